//! What the interface answers, object by object.

use serde_json::{Value, json};

use crate::client::Server;

#[test]
fn what_the_server_is() {
    let server = Server::start();
    let about = server.get("/api/about").json();
    assert_eq!(about["default_agent"]["4x4"], "expectimax(net=default)");
    assert_eq!(about["default_agent"]["2x3"], "exact");
    assert_eq!(about["default_agent"]["3x3"], "heuristic");
    assert_eq!(about["solved"], json!(["2x2", "2x3", "3x2"]));
    assert!(about["networks"][0]["bytes"].as_u64() > Some(1_000_000));
    let described = server.get("/api/openapi.json").json();
    assert_eq!(described["openapi"], "3.1.0");
    let published = server.get("/api/published").json();
    assert!(published.as_array().unwrap().iter().any(|curve| curve["points"][0][1].is_number()));
    let presets = server.get("/api/presets").json();
    let tc = presets.as_array().unwrap().iter().find(|preset| preset["name"] == "tc-4x6").unwrap();
    assert!(tc["summary"].as_str().unwrap().contains("TC(0)"), "{tc}");
}

#[test]
fn questions_about_positions() {
    let server = Server::start();
    let reply =
        server.post("/api/analyse", r#"{"id":"a","position":"ba98000012340001","spawns":true}"#);
    let answer = reply.json();
    assert_eq!((&answer["id"], &answer["agent"]), (&"a".into(), &"expectimax(net=default)".into()));
    assert_eq!(answer["best"], answer["moves"][0]["move"]);
    assert!(answer["spawns"].as_array().unwrap().len() > 10);
    // The same as the command line says.
    let hint = std::process::Command::new(env!("CARGO_BIN_EXE_maxtile"))
        .args(["hint", "ba98000012340001", "--json"])
        .output()
        .unwrap();
    let hint: Value = serde_json::from_slice(&hint.stdout).unwrap();
    assert_eq!(answer["best"], hint["best"]);
    assert_eq!(answer["moves"][0]["value"], hint["moves"][0]["value"]);
    // A game instead of a position, and a game that is over.
    let game = r#"{"start":"2x2:1001","plies":[["up",2,1]],"agent":"exact"}"#;
    let answer = server.post("/api/analyse", game).json();
    assert_eq!((&answer["position"], &answer["exact"]), (&"2x2:1110".into(), &true.into()));
    let over = server.post("/api/analyse", r#"{"position":"1212212112122121"}"#).json();
    assert_eq!((&over["best"], &over["moves"]), (&Value::Null, &json!([])));
    // An unknown field is warned about.
    let warned = server.post("/api/analyse", r#"{"position":"2x2:1001","agnt":"exact"}"#).json();
    assert!(warned["warnings"][0].as_str().unwrap().contains("agent"), "{warned}");
}

#[test]
fn small_boards_exactly() {
    let server = Server::start();
    let boards = server.get("/api/explore").json();
    assert_eq!(
        boards["boards"][1],
        json!({"size": "2x3", "state": "ready", "states": 21752, "seconds": 0.1})
    );
    let state = server.get("/api/explore/2x2/2x2:1001").json();
    assert_eq!(format!("{:.4}", state["value"].as_f64().unwrap()), "67.6963");
    assert_eq!((&state["exact"], &state["tiles_exact"]), (&true.into(), &true.into()));
    assert!(state["worst"].as_f64() < state["value"].as_f64());
    assert_eq!(state["model"]["agent"], "heuristic");
    // Best move: its value is its reward and the mean over its spawns.
    let best = &state["moves"][0];
    let spawns = state["spawns"].as_array().unwrap().iter().filter(|s| s["move"] == best["move"]);
    let mean: f64 =
        spawns.map(|s| s["probability"].as_f64().unwrap() * s["value"].as_f64().unwrap()).sum();
    let value = best["value"].as_f64().unwrap();
    assert!((best["reward"].as_f64().unwrap() + mean - value).abs() < 1e-9);
    assert_eq!(server.get("/api/explore/2x2/1001").json(), state);
    let random = server.get("/api/explore/2x3/random?seed=7").json();
    assert_eq!(server.get("/api/explore/2x3/random?seed=7").json(), random);
    let position = random["position"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/explore/2x3/{position}")).status, 200);
    let gap = server.get("/api/explore/2x2/disagreement?agent=greedy(net=zero)").json();
    assert!(gap["looked"].as_u64() > Some(0) && gap["exact"] != gap["model"], "{gap}");
    assert_eq!(server.get("/api/explore/3x3/120000000").refused().0, 409);
    assert_eq!(server.get("/api/explore/4x4/random").refused().0, 404);
    assert_eq!(server.get("/api/explore/2x2/9999").refused(), (400, "position".into()));
    assert_eq!(server.get("/api/explore/2x2/3x3:120000000").refused(), (400, "position".into()));
    assert_eq!(server.get("/api/explore/2x2/random?seed=x").refused().0, 400);
    assert_eq!(server.get("/api/explore/2x2/1001?agent=random").refused(), (400, "agent".into()));
    let lines = server.post("/api/explore/2x2/build", "").lines();
    assert_eq!(lines.last().unwrap()["type"], "done");
}

/// As `maxtile solve --scores` has it, which its own tests compare with the solver.
#[test]
fn scores_of_the_best_player() {
    let server = Server::start();
    let known = server.get("/api/explore/2x2/scores").json();
    assert_eq!(format!("{:.6}", known["mean"].as_f64().unwrap()), "66.964149");
    assert_eq!(format!("{:.6}", known["std"].as_f64().unwrap()), "23.971258");
    assert_eq!((&known["scores"], &known["exact"]), (&36.into(), &true.into()));
    let median = json!([
        [0.01, 16],
        [0.05, 44],
        [0.25, 60],
        [0.5, 64],
        [0.75, 68],
        [0.95, 136],
        [0.99, 144]
    ]);
    assert_eq!(known["quantiles"], median);
    let shares = known["shares"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap());
    let outside = known["below"].as_f64().unwrap() + known["above"].as_f64().unwrap();
    assert!((shares.sum::<f64>() + outside - 1.0).abs() < 1e-9, "{known}");
    // A board and the same board turned have the same scores.
    let [lying, standing] = ["2x3", "3x2"].map(|size| {
        let known = server.get(&format!("/api/explore/{size}/scores")).json();
        format!("{:.9} {:.9} {}", known["mean"], known["std"], known["quantiles"])
    });
    assert_eq!(lying, standing);
    let lines = server.post("/api/explore/2x3/scores", "").lines();
    assert_eq!(lines.last().unwrap()["type"], "done");
    assert_eq!(server.get("/api/explore/3x3/scores").refused().0, 409);
    assert_eq!(server.get("/api/explore/4x4/scores").refused().0, 404);
    let lines = server.post("/api/explore/3x3/scores", "").lines();
    assert_eq!(lines.last().unwrap()["type"], "error");
}

#[test]
fn a_larger_board_is_solved_once() {
    let server = Server::start();
    assert_eq!(server.get("/api/explore/2x4/scores").refused().0, 409);
    let lines = server.post("/api/explore/2x4/build", "").lines();
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["states"]), (&"done".into(), &4_980_767.into()), "{last}");
    assert!(lines.iter().filter(|line| line["type"] == "progress").count() > 10);
    assert_eq!(server.get("/api/explore/2x4/12000000").json()["exact"], true);
    assert!(server.data.path().join("solved/2x4-score.mts").exists());
    let about = server.get("/api/about").json();
    assert_eq!(about["default_agent"]["2x4"], "exact");
    // Its scores are followed with progress, kept, and there at once the next time.
    let lines = server.post("/api/explore/2x4/scores", "").lines();
    assert_eq!(lines.last().unwrap()["type"], "done", "{lines:?}");
    assert!(lines.iter().filter(|line| line["type"] == "progress").count() > 10);
    assert!(server.data.path().join("solved/2x4-scores.json").exists());
    let known = server.get("/api/explore/2x4/scores").json();
    // The value that others have published.
    assert_eq!(format!("{:.6}", known["mean"].as_f64().unwrap()), "2641.873036");
}

#[test]
fn records_come_back() {
    let server = Server::start();
    let game = json!({"record": "2x2:1100 left 2@1 down 2@0"}).to_string();
    let id = server.post("/api/records", &game).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(server.post("/api/records", &game).json()["id"], *id);
    let record = server.get(&format!("/api/records/{id}")).json();
    assert_eq!((&record["start"], &record["score"]), (&"2x2:1100".into(), &4.into()), "{record}");
    assert_eq!(server.get("/api/records/0123456789abcdef").refused().0, 404);
    assert_eq!(server.get("/api/records/x").refused().0, 404);
    // What came back is a record too.
    let again = json!({"record": record.to_string()}).to_string();
    assert_eq!(server.post("/api/records", &again).json()["id"], *id);
}
