//! The real engine, spoken to as other programs do.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::Value;

fn converse(input: &str, arguments: &[&str]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_maxtile"))
        .arg("engine")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // All at once, before the first answer is read; then standard input is closed.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn thousands_of_queries_are_all_answered() {
    let query = |id: usize| {
        let position = ["ba98000012340001", "1100000000000000", "0123456789ab0000"][id % 3];
        format!("{{\"id\":{id},\"position\":\"{position}\",\"agent\":\"greedy(net=empties)\"}}\n")
    };
    let input: String = (0..5000).map(query).collect();
    let answers = converse(&input, &["--threads", "3"]);
    let ids: HashSet<u64> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!((answers.len(), ids.len()), (5000, 5000));
    assert!(answers.iter().all(|answer| answer["best"].is_string()));
}

#[test]
fn the_conversation_goes_on_after_errors() {
    let input = "nonsense\n{\"id\":1}\n\n{\"id\":2,\"position\":\"1100000000000000\",\"limits\":{\"depth\":2}}";
    let answers = converse(input, &["--threads", "1", "--agent", "expectimax(net=empties)"]);
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["field"], &answers[1]["field"]), (&"query".into(), &"position".into()));
    assert_eq!((&answers[2]["id"], &answers[2]["depth"]), (&2.into(), &2.into()));
}

#[test]
fn the_example_client_works() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/engine_client.py");
    let run = Command::new("python3")
        .args([
            client,
            "--program",
            env!("CARGO_BIN_EXE_maxtile"),
            "ba98000012340001",
            "1212212112122121",
        ])
        .output();
    // Without Python there is nothing to try.
    let Ok(run) = run else { return };
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{text}");
    assert!(text.contains("ba98000012340001: ") && text.contains("no move is left"), "{text}");
}

#[test]
fn bad_words_are_one_sentence() {
    for arguments in
        [&["engine", "--agent", "nosuch"][..], &["hint", "xyz"], &["watch", "nosuch"], &["watch"]]
    {
        let run = Command::new(env!("CARGO_BIN_EXE_maxtile"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.starts_with("error: "), "{text}");
    }
}
