//! Changes woven into a clone, less those that do not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use quote::{ToTokens, quote};
use serde_json::Value;
use syn::visit_mut::VisitMut;

use super::switches::Switches;

/// Rounds of compiling before something is wrong with the whole.
const MOST_ROUNDS: usize = 40;

/// What a woven source asks.
const MUTANT: &str = r#"
/// Whether this change is the one that is tried.
#[inline]
pub fn mutant(number: u32) -> bool {
    static TRIED: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *TRIED.get_or_init(|| std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)) == number
}
"#;

/// Weaves the changes of some files in. What does not compile is left out, round after round.
pub fn weave(clone: &Path, files: &[&str]) -> Result<(), String> {
    let mut left_out = BTreeSet::new();
    for round in 1..=MOST_ROUNDS {
        run(clone, "git", &["checkout", "-q", "--", "src"])?;
        let lib = clone.join("src/lib.rs");
        write(&lib, &(read(&lib)? + MUTANT))?;
        let mut switches = Switches::new(left_out.clone());
        for file in files {
            put_into(clone, file, &mut switches)?;
        }
        let refused = refused(clone)?;
        eprintln!("round {round}: {} changes, {} do not compile", switches.changes.len(), refused.len());
        if refused.is_empty() {
            let mut list = String::new();
            for change in &switches.changes {
                let _ = writeln!(list, "{}\t{}\t{}\t{}", change.number, change.place, change.function, change.what);
            }
            let folder = clone.join("target/mutants");
            std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            return write(&folder.join("list.tsv"), &list);
        }
        left_out.extend(refused);
    }
    Err(format!("something still does not compile after {MOST_ROUNDS} rounds"))
}

fn put_into(clone: &Path, file: &str, switches: &mut Switches) -> Result<(), String> {
    let path = clone.join(file);
    let mut source = syn::parse_file(&read(&path)?).map_err(|error| format!("{file}: {error}"))?;
    file.clone_into(&mut switches.file);
    switches.visit_file_mut(&mut source);
    // A line for each item, so that what the compiler says can be read.
    let attributes = &source.attrs;
    let mut text = quote!(#(#attributes)*).to_string();
    for item in &source.items {
        let _ = write!(text, "\n{}", item.to_token_stream());
    }
    write(&path, &(text + "\n"))
}

/// The changes at which the compiler stumbles: each complaint is about the switch before it.
fn refused(clone: &Path) -> Result<BTreeSet<u32>, String> {
    let mut check = Command::new("cargo");
    check.args(["check", "--lib", "--message-format=json"]).current_dir(clone);
    check.env("RUSTFLAGS", "--cap-lints=allow").env("CARGO_TARGET_DIR", clone.join("target"));
    let done = check.output().map_err(|error| format!("cargo: {error}"))?;
    let mut refused = BTreeSet::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let Ok(said) = serde_json::from_str::<Value>(line) else { continue };
        let Some(message) = said.get("message").filter(|message| message["level"] == "error") else { continue };
        let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(span) = spans.iter().find(|span| span["is_primary"] == true).or(spans.first()) else { continue };
        let file = span["file_name"].as_str().unwrap_or_default().to_owned();
        if !texts.contains_key(&file) {
            texts.insert(file.clone(), read(&clone.join(&file))?);
        }
        let (from, to) = (offset(span, "byte_start"), offset(span, "byte_end"));
        let text = texts[&file].as_str();
        let culprit = text.get(..=from).and_then(last_switch).or_else(|| last_switch(text.get(from..to)?));
        refused.insert(culprit.ok_or_else(|| format!("not for a change: {}", message["message"]))?);
    }
    match done.status.success() || !refused.is_empty() {
        true => Ok(refused),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

fn offset(span: &Value, name: &str) -> usize {
    span[name].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0)
}

/// The number in the last `mutant (12u32)` of a text.
fn last_switch(text: &str) -> Option<u32> {
    let (_, after) = text.rsplit_once("mutant (")?;
    after.split_once("u32")?.0.parse().ok()
}

fn run(folder: &Path, program: &str, words: &[&str]) -> Result<(), String> {
    let done = Command::new(program).args(words).current_dir(folder).status();
    match done.map_err(|error| format!("{program}: {error}"))?.success() {
        true => Ok(()),
        false => Err(format!("{program} {} failed", words.join(" "))),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
