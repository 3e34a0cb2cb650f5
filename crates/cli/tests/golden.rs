//! The real binary against what the README and `tests/cmd/` say it prints.
//!
//! `TRYCMD=overwrite cargo test -p maxtile --test golden` writes what it prints now.

#[test]
fn readme_and_golden_output() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/cmd/*.md")
        .case("../../README.md");
}
