//! The framework that trains neural networks is nobody's burden who did not ask for it.

use std::process::Command;

fn tree(more: &[&str]) -> String {
    let cargo = env!("CARGO");
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(cargo);
    command.current_dir(folder).args(["tree", "--offline", "--locked", "--prefix", "none"]);
    let found = command.args(["--edges", "normal,build"]).args(more).output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    String::from_utf8(found.stdout).unwrap()
}

#[test]
fn the_default_build_has_no_framework() {
    let framework = |tree: &str| tree.lines().any(|line| line.starts_with("burn"));
    assert!(!framework(&tree(&[])), "a default build brings burn");
    let asked = tree(&["--features", "neural-train"]);
    assert!(framework(&asked) && asked.contains("maxtile-neural-train"));
}
