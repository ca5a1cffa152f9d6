use std::collections::BTreeMap;

use super::data::{Data, MAP, SHELF, TABLES};
use super::lexicon::look_up;

fn ours() -> Data {
    SHELF.load(&BTreeMap::new()).unwrap_or_else(|faults| {
        let all: Vec<String> = faults.iter().map(|fault| fault.what.clone()).collect();
        panic!("{}", all.join("\n"))
    })
}

#[test]
fn our_own_files_state_every_printed_fact() {
    ours();
    let findings = SHELF.findings(&BTreeMap::new());
    let denied: Vec<&str> = findings.iter().filter(|found| !found.holds).map(|found| found.what.as_str()).collect();
    assert!(denied.is_empty(), "{denied:?}");
    assert!(findings.len() > 150, "{}", findings.len());
}

fn with(file: &str, from: &str, to: &str) -> Vec<String> {
    let text = super::data::FILES.iter().find(|ours| ours.name == file).map(|ours| ours.text).unwrap_or_default();
    assert!(text.contains(from), "{from}");
    let files = BTreeMap::from([(file.to_owned(), text.replacen(from, to, 1))]);
    let findings = SHELF.findings(&files).into_iter().filter(|found| !found.holds);
    findings.map(|found| format!("{}:{} {}", found.file, found.place, found.what)).collect()
}

#[test]
fn a_fact_that_does_not_hold_is_named_with_its_place() {
    let found = with(TABLES, "jungle: {move: 2,", "jungle: {move: 3,");
    assert!(
        matches!(found.as_slice(), [one] if one.starts_with("tables.yaml:65:") && one.contains("jungle: 2 MP")),
        "{found:?}"
    );
    let found = with(MAP, "us-edge: {hex: \"0937\"", "us-edge: {hex: \"0936\"");
    assert!(matches!(found.as_slice(), [one] if one.contains("US supply comes from 0937")), "{found:?}");
    let found = with(TABLES, "rows: {0: 4,", "rows: {");
    assert!(found.iter().any(|one| one.contains("0 to 9")), "{found:?}");
    let found = with(
        "counters.yaml",
        "cf: 4, mf: 6, flags: [corps-asset], source",
        "cf: 5, mf: 6, flags: [corps-asset], source",
    );
    assert!(matches!(found.as_slice(), [one] if one.contains("rated 4-6")), "{found:?}");
    let found = with("scenarios.yaml", "units: [us-inf-07, us-inf-12, us-inf-17]", "units: [us-inf-07, us-inf-12]");
    assert!(matches!(found.as_slice(), [one] if one.contains("7 Inf, 12 Inf, 17 Inf")), "{found:?}");
}

#[test]
fn broken_files_have_faults_and_nothing_else() {
    for (file, from, to) in [
        (MAP, "\"29\": \"", "\"29\": \"jjj"),
        (MAP, "forts:\n  - {hex: \"2531\"", "forts:\n  - {hex: \"1001\""),
        ("counters.yaml", "parts: [us-inf-01-a, ", "parts: [us-inf-02-a, "),
        ("counters.yaml", "chief: kent", "chief: lawton"),
        ("scenarios.yaml", "bivouacs: [1]", "bivouacs: [7]"),
        ("scenarios.yaml", "combines: [el-caney", "combines: [el-canai"),
        (TABLES, "columns: [1, 3, 5,", "columns: [1, 5, 3,"),
        (TABLES, "[1M/1, 1/1M, -/1M", "[1M/1, 1/1M, -/1X"),
    ] {
        assert!(!with(file, from, to).is_empty(), "{to}");
    }
}

#[test]
fn names_are_understood_or_refused_with_what_they_could_mean() {
    let data = ours();
    for (text, id) in [
        ("us-inf-9", "us-inf-09"),
        ("US-INF-09", "us-inf-09"),
        ("9 Inf", "us-inf-09"),
        ("9th Infantry", "us-inf-09"),
        ("71 NY", "us-vol-71ny"),
        ("melga", "sp-ldr-melgar"),
        ("Duffield", "us-ldr-duffeld"),
        ("Vaquero", "sp-ldr-vaquero"),
        ("Basquero", "sp-ldr-basquero"),
        ("RR", "us-usvc-01"),
        ("C-D/9 Cav", "us-cav-09-cd"),
        ("1 D.C.", "us-vol-1dc"),
        ("us-2cav", "us-2cav"),
        ("61/6 HA", "sp-art-61-6ha"),
    ] {
        assert_eq!(look_up(&data, "unit", text).map_err(|unknown| unknown.hint), Ok(id.to_owned()), "{text}");
    }
    for (text, could) in [
        ("1st", "us-inf-01"),
        ("1st", "us-cav-01"),
        ("9", "us-cav-09"),
        ("2 Cav", "us-2cav-a"),
        ("A/2", "us-art-a2"),
        ("A/2", "us-2cav-a"),
    ] {
        let refused = look_up(&data, "unit", text).map_err(|unknown| unknown.hint);
        assert!(refused.as_ref().is_err_and(|hint| hint.contains(could)), "{text}: {refused:?}");
    }
    let near = look_up(&data, "unit", "Vasquero").map_err(|unknown| unknown.nearest);
    assert!(near.is_err_and(|near| near.len() >= 2));
    assert_eq!(look_up(&data, "hex", "el caney").ok().as_deref(), Some("2629"));
    assert!(look_up(&data, "hex", "0237").is_err());
}
