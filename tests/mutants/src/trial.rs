//! The tests against each change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A change that makes the tests run longer than this is noticed by everybody.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs a command with each change switched on, in an order that makes any part of it a fair sample.
pub fn all(clone: &Path, command: &[&str]) -> Result<(), String> {
    let folder = clone.join("target/mutants");
    let list = std::fs::read_to_string(folder.join("list.tsv")).map_err(|_| "weave first".to_owned())?;
    let tried = std::fs::read_to_string(folder.join("tried.tsv")).unwrap_or_default();
    let known: BTreeSet<&str> = tried.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    if runs(clone, command, "0")? != "missed" {
        return Err("the command fails without any change".to_owned());
    }
    let mut rows: Vec<&str> = list.lines().filter(|row| !known.contains(number(row))).collect();
    // Multiplied by an odd number all numbers change places, the same way every time.
    rows.sort_by_key(|row| number(row).parse().unwrap_or(0u32).wrapping_mul(2_654_435_761));
    let mut out = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("tried.tsv"))
        .map_err(|error| error.to_string())?;
    for row in rows {
        let came = runs(clone, command, number(row))?;
        writeln!(out, "{came}\t{row}").map_err(|error| error.to_string())?;
    }
    tell(clone)
}

fn number(row: &str) -> &str {
    row.split('\t').next().unwrap_or("0")
}

fn runs(clone: &Path, command: &[&str], mutant: &str) -> Result<&'static str, String> {
    let [program, words @ ..] = command else { return Err("no command".to_owned()) };
    let mut child = Command::new(program);
    child.args(words).current_dir(clone).env("MUTANT", mutant);
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().map_err(|error| format!("{program}: {error}"))?;
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(if status.success() { "missed" } else { "caught" }),
            None if begun.elapsed() > LONGEST => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok("caught");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// What has been tried, file by file, and the changes that nobody noticed.
pub fn tell(clone: &Path) -> Result<(), String> {
    let tried = std::fs::read_to_string(clone.join("target/mutants/tried.tsv")).map_err(|_| "try first".to_owned())?;
    let mut files: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut all = (0, 0);
    for line in tried.lines() {
        let file = line.split('\t').nth(2).and_then(|place| place.split(':').next()).unwrap_or_default();
        let caught = u32::from(line.starts_with("caught"));
        for (of, among) in [files.entry(file).or_default(), &mut all] {
            *of += caught;
            *among += 1;
        }
    }
    tried.lines().filter(|line| line.starts_with("missed")).for_each(|line| println!("{line}"));
    files.iter().for_each(|(file, (caught, of))| println!("{caught:5} of {of:5}  {file}"));
    println!("{:5} of {:5}  caught, {} in a hundred", all.0, all.1, (100 * all.0).checked_div(all.1).unwrap_or(0));
    Ok(())
}
