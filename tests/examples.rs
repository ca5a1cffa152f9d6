//! The matches in `examples/` are good as they lie there: every record, die, rule and audit.

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_verifies_in_both_folders_and_they_agree() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut matches = 0;
    for entry in std::fs::read_dir(&examples).expect("the examples").filter_map(Result::ok) {
        let (us, spain) = (entry.path().join("us"), entry.path().join("spain"));
        if !us.is_dir() {
            continue;
        }
        let home = tempfile::tempdir().expect("a folder");
        let garcia = |arguments: &[&std::ffi::OsStr]| {
            let run =
                Command::new(env!("CARGO_BIN_EXE_garcia")).env("GARCIA_HOME", home.path()).args(arguments).output();
            let run = run.expect("garcia runs");
            assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stdout));
        };
        garcia(&["verify".as_ref(), us.as_ref(), spain.as_ref()]);
        garcia(&["compare".as_ref(), us.as_ref(), spain.as_ref()]);
        matches += 1;
    }
    assert!(matches >= 2, "{matches} examples");
}
