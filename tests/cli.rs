//! One snapshot per message: help texts, errors, exit codes. `TRYCMD=overwrite cargo test --test cli` rewrites them.

#[test]
fn what_a_player_reads() {
    let cases = trycmd::TestCases::new();
    cases.env("GARCIA_HOME", "home").env("NO_COLOR", "1").case("tests/cli/*.trycmd");
}
