//! Training runs: begun, watched, stopped, resumed, finished.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Server;

fn until(server: &Server, path: &str, good: impl Fn(&Value) -> bool) -> Value {
    let clock = Instant::now();
    loop {
        let found = server.get(path).json();
        if good(&found) {
            return found;
        }
        assert!(clock.elapsed() < Duration::from_mins(1), "{found}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn from_the_first_game_to_the_last() {
    let server = Server::start();
    assert_eq!(server.get("/api/runs").json(), Value::Array(Vec::new()));
    let body = r#"{"preset":"whole-2x3","set":{"games":"2000000","block":1000,"seed":"5","eval-every":0}}"#;
    let name = server.post("/api/runs", body).json()["name"].as_str().unwrap().to_owned();
    assert_eq!(name, "whole-2x3-1");
    let path = format!("/api/runs/{name}");
    let again = format!(r#"{{"preset":"whole-2x3","name":"{name}"}}"#);
    assert_eq!(server.post("/api/runs", &again).refused().0, 409);
    until(&server, &path, |run| run["state"] == "running" && run["games"].as_u64() > Some(1000));
    assert_eq!(server.post(&format!("{path}/resume"), "").refused().0, 409);
    let metrics = server.get(&format!("{path}/metrics")).json();
    let next = metrics["next"].as_u64().unwrap();
    assert!(next > 0 && metrics["lines"].as_array().unwrap().len() as u64 == next);
    assert!(metrics["lines"][0]["mean"].is_number() && metrics["restart"] == false);

    let stopped = server.post(&format!("{path}/stop"), "").json();
    assert_eq!(stopped["state"], "stopped");
    assert_eq!(server.post(&format!("{path}/stop"), "").refused().0, 409);
    let run = server.get(&path).json();
    let checkpoint = run["checkpoints"].as_array().unwrap().last().unwrap();
    assert_eq!(checkpoint["games"], run["games"]);
    assert_eq!((&run["recipe"]["seed"], &run["total"]), (&5.into(), &2_000_000.into()));
    assert!(run["origin"]["command"].is_array() && run.get("error").is_none(), "{run}");

    // What was learned can be asked and watched, by the text that the run gives.
    let body = serde_json::json!({"position": "2x3:120000", "agent": checkpoint["agent"]});
    let answer = server.post("/api/analyse", &body.to_string()).json();
    assert_eq!(answer["agent"], checkpoint["agent"], "{answer}");
    assert!(answer["value"].as_f64() > Some(1.0), "{answer}");
    // The run itself is its newest checkpoint.
    let newest =
        serde_json::json!({"position": "2x3:120000", "agent": format!("greedy(net=runs/{name})")});
    let newest = newest.to_string();
    let before = server.post("/api/analyse", &newest).json();
    assert_eq!(before["moves"], answer["moves"]);
    let weights = server.get(&format!("{path}/weights")).json();
    assert_eq!((&weights["games"], &run["size"]), (&run["games"], &"2x3".into()));

    assert_eq!(server.post(&format!("{path}/resume"), "").json()["state"], "running");
    until(&server, &path, |now| now["games"].as_u64() > run["games"].as_u64());
    let far = server.get(&format!("{path}/metrics?after=99999999")).json();
    assert_eq!(far["restart"], true);
    let list = server.get("/api/runs").json();
    assert_eq!((&list[0]["name"], &list[0]["state"]), (&name.as_str().into(), &"running".into()));
    assert_eq!(server.post(&format!("{path}/stop"), "").status, 200);

    // It has learned on, and whoever asks again asks what it knows now.
    let run = server.get(&path).json();
    let checkpoint = run["checkpoints"].as_array().unwrap().last().unwrap();
    let body = serde_json::json!({"position": "2x3:120000", "agent": checkpoint["agent"]});
    let now = server.post("/api/analyse", &body.to_string()).json();
    assert_ne!(now["moves"], before["moves"]);
    assert_eq!(server.post("/api/analyse", &newest).json()["moves"], now["moves"]);
    let game = |agent: &Value| {
        let body = serde_json::json!({"agent": agent, "rules": {"size": "2x3"}, "seed": "1"});
        let lines = server.post("/api/play", &body.to_string()).lines();
        lines.iter().map(|line| line["value"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(game(&format!("greedy(net=runs/{name})").into()), game(&checkpoint["agent"]));
    let later = server.get(&format!("{path}/weights")).json();
    assert!(later["games"].as_u64() > weights["games"].as_u64(), "{later}");
}

#[test]
fn a_run_ends_by_itself() {
    let server = Server::start();
    let body = r#"{"preset":"whole-2x2","name":"short","set":{"games":2000,"eval-games":100}}"#;
    assert_eq!(server.post("/api/runs", body).status, 200);
    let run = until(&server, "/api/runs/short", |run| run["state"] == "done");
    assert_eq!((&run["games"], &run["total"]), (&2000.into(), &2000.into()));
    assert_eq!(server.post("/api/runs/short/resume", "").refused().0, 409);
    assert_eq!(server.get("/api/runs").json()[0]["size"], "2x2");
    let weights = server.get("/api/runs/short/weights").json();
    let table = &weights["tables"][0];
    assert_eq!((&weights["games"], &table["cells"]), (&2000.into(), &"0123".into()), "{weights}");
    let [count, nonzero] = ["count", "nonzero"].map(|field| table[field].as_u64().unwrap());
    assert!(0 < nonzero && nonzero <= count, "{table}");
    let counts = table["histogram"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), nonzero);
    let [min, mean, max] = ["min", "mean", "max"].map(|field| table[field].as_f64().unwrap());
    assert!(min <= mean && mean <= max, "{table}");
    // The stream of a run that is over tells all of it.
    let events = {
        use std::io::{BufRead, BufReader, Write};
        let mut stream = server.connect();
        let request =
            crate::client::request(&server.address, "GET", "/api/runs/short/live", "", b"");
        stream.write_all(&request).unwrap();
        let mut text = String::new();
        for line in BufReader::new(stream).lines() {
            text += &line.unwrap();
            text.push('\n');
            if text.contains("\"state\":\"done\"") {
                break;
            }
        }
        text
    };
    assert!(events.contains("event: metrics") && events.contains("\"type\":\"eval\""), "{events}");
}

#[test]
fn too_much_and_nonsense() {
    let server = Server::start();
    let start = |body: &str| server.post("/api/runs", body);
    assert_eq!(start(r#"{"preset":"nosuch"}"#).refused(), (400, "preset".into()));
    assert_eq!(start(r#"{"preset":"whole-2x2","set":{"gaems":1}}"#).refused(), (400, "set".into()));
    assert_eq!(
        start(r#"{"preset":"whole-2x2","set":{"games":"-5"}}"#).refused(),
        (400, "set".into())
    );
    assert_eq!(
        start(r#"{"preset":"whole-2x2","set":{"threads":4000}}"#).refused(),
        (400, "set".into())
    );
    assert_eq!(
        start(r#"{"preset":"whole-2x2","set":{"games":[]}}"#).refused(),
        (400, "set".into())
    );
    let endless = r#"{"preset":"whole-2x2","set":{"games":1000000000}}"#;
    assert_eq!((start(endless).status, start(endless).status), (200, 200));
    assert_eq!(start(endless).refused().0, 409);
    for end in ["", "/metrics", "/live", "/weights"] {
        assert_eq!(server.get(&format!("/api/runs/none{end}")).refused().0, 404, "{end}");
    }
    // A run whose checkpoint is no network, and one without any, are refused and nothing worse.
    let run = server.data.path().join("runs/broken");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::copy(server.data.path().join("runs/whole-2x2-1/recipe.toml"), run.join("recipe.toml"))
        .unwrap();
    assert_eq!(server.get("/api/runs/broken/weights").refused().0, 409);
    std::fs::create_dir(run.join("checkpoint-000000000007")).unwrap();
    std::fs::write(run.join("checkpoint-000000000007/network.safetensors"), "nothing").unwrap();
    assert_eq!(server.get("/api/runs/broken/weights").refused().0, 409);
    assert_eq!(server.post("/api/runs/none/stop", "").refused().0, 404);
}
