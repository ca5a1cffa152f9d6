//! The games.

pub mod end_of_empire;
pub mod lone_warrior;
pub mod santiago_1898;
pub mod santiago_campaign;
pub mod splendid_little_war;

use crate::engine::{RulesOf, Ruleset};

/// Every rule set garcia knows, one line each.
pub static GAMES: &[&dyn Ruleset] = &[
    &RulesOf::<santiago_1898::Santiago1898>::new(),
    &RulesOf::<santiago_campaign::SantiagoCampaign>::new(),
    &RulesOf::<lone_warrior::LoneWarrior>::new(),
    &RulesOf::<end_of_empire::EndOfEmpire>::new(),
    &RulesOf::<splendid_little_war::SplendidLittleWar>::new(),
];

/// The rule set with this name.
pub fn find(id: &str) -> Option<&'static dyn Ruleset> {
    GAMES.iter().copied().find(|game| game.id() == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::{DocPath, Reader, read_document, read_plain_data, read_tree};
    use crate::engine::{Charter, Side};

    #[test]
    fn what_the_build_made_of_our_files_is_what_they_say() {
        let files = [
            santiago_1898::data::FILES,
            santiago_campaign::data::FILES,
            lone_warrior::data::FILES,
            splendid_little_war::data::FILES,
            end_of_empire::data::FILES,
        ];
        assert_eq!(files.len(), GAMES.len());
        for ours in files.into_iter().flatten() {
            let (said, _) = read_plain_data(ours.name, ours.text.as_bytes()).expect(ours.name);
            assert_eq!(ours.tree.and_then(read_tree), Some(said), "{}", ours.name);
        }
    }

    #[test]
    fn examples_of_policies_can_be_typed_and_name_counters_the_choice_is_about() {
        let whose = |word: &str| match word.get(..3) {
            Some("us-" | "cu-") => Some("us"),
            Some("sp-") => Some("spain"),
            _ => None,
        };
        for game in GAMES {
            let scenario = game.about().scenarios.first().map_or(String::new(), |scenario| scenario.id.to_owned());
            let table = game.open(&Charter { scenario, ..Charter::default() }).expect("a table");
            for info in game.kinds() {
                let forms = |side: &Side| game.forms(info, &[*side]);
                let faults = |side: &Side, form: &str| {
                    let (node, _) = read_document("policy", format!("policy: {form}").as_bytes()).expect(form);
                    let mut reader = Reader::new(table.lexicon());
                    let (_, policy) = &node.as_map().expect("a map")[0];
                    table.check_policy(*side, info.kind.0, policy, &DocPath::root(), &mut reader);
                    reader.faults
                };
                for side in info.asked_of {
                    // What one side names is nothing the other may name.
                    let naming = |form: &&str| !info.forms.contains(form);
                    for other in info.asked_of.iter().filter(|other| *other != side) {
                        for form in forms(other).into_iter().filter(naming) {
                            assert!(!faults(side, form).is_empty(), "{} {}: {side} says {form}", game.id(), info.kind);
                        }
                    }
                    for form in forms(side) {
                        let faults = faults(side, form);
                        assert!(faults.is_empty(), "{} {}: {form}: {faults:?}", game.id(), info.kind);
                        let words = form.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                        let enemies = ["an enemy hex", "Spanish pieces"].iter().any(|words| info.text.contains(words));
                        let wanted = |whose: &str| (whose == side.as_str()) != enemies;
                        assert!(words.filter_map(whose).all(wanted), "{} {} of {side}: {form}", game.id(), info.kind);
                    }
                }
                let counts: Vec<usize> = info.asked_of.iter().map(|side| forms(side).len()).collect();
                assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{} {}: {counts:?}", game.id(), info.kind);
            }
        }
    }
}
