//! Whether a part a person wrote fits a whole the game gave.
//!
//! Texts fit numbers, words and truth values that are written the same; a map fits an object that has its keys, with
//! values that fit; a list fits a list of the same length, item by item. Against a list, a map may also say `has`
//! (items that stand in it, in any order), `lacks` (items that do not) and `count`. The word `absent` fits a key that is
//! not there.

use std::ops::ControlFlow;

use crate::engine::Json;
use crate::engine::doc::{DocPath, Node, same_key};

/// The key of a group of events of which none need come before another.
pub const ANY_ORDER: &str = "any-order";

/// A place where a part does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where: `units.us-inf-1.steps`.
    pub at: DocPath,
    /// What was expected there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// How many levels down it lies: the deeper, the nearer the part was to fitting.
    pub depth: usize,
}

/// The first place where the part does not fit, if it does not.
pub fn misfit(part: &Node, whole: &Json) -> Option<Misfit> {
    let mut first = None;
    let _ = fit(part, Some(whole), &mut Vec::new(), &mut |misfit| {
        first = Some(misfit);
        ControlFlow::Break(())
    });
    first
}

/// Every place where the part does not fit.
pub fn misfits(part: &Node, whole: &Json) -> Vec<Misfit> {
    let mut all = Vec::new();
    let _ = fit(part, Some(whole), &mut Vec::new(), &mut |misfit| {
        all.push(misfit);
        ControlFlow::Continue(())
    });
    all
}

/// What is left when parts and things that fit are paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpaired {
    /// The parts that cannot have a thing of their own.
    pub parts: Vec<usize>,
    /// The things that no part has.
    pub things: Vec<usize>,
}

/// Gives as many parts as can be a thing of their own that fits them.
///
/// A part that fits several things gives way to one that fits only one of them.
pub fn pair<P, T>(parts: &[P], things: &[T], fits: impl Fn(&P, &T) -> bool) -> Unpaired {
    let fitting: Vec<Vec<usize>> = parts
        .iter()
        .map(|part| (0..things.len()).filter(|at| things.get(*at).is_some_and(|thing| fits(part, thing))).collect())
        .collect();
    let mut owners: Vec<Option<usize>> = vec![None; things.len()];
    let mut is_left = |part: &usize| !settle(*part, &fitting, &mut owners, &mut vec![false; things.len()]);
    let parts = (0..parts.len()).filter(|part| is_left(part)).collect();
    let things = (0..).zip(&owners).filter(|(_, owner)| owner.is_none()).map(|(thing, _)| thing).collect();
    Unpaired { parts, things }
}

/// Finds a thing for a part, moving others to other things where need be.
fn settle(part: usize, fitting: &[Vec<usize>], owners: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    for thing in fitting.get(part).into_iter().flatten().copied() {
        match tried.get_mut(thing) {
            Some(tried) if !*tried => *tried = true,
            _ => continue,
        }
        let owner = owners.get(thing).copied().flatten();
        if owner.is_none_or(|owner| settle(owner, fitting, owners, tried)) {
            if let Some(place) = owners.get_mut(thing) {
                *place = Some(part);
            }
            return true;
        }
    }
    false
}

/// Whether an event is of the kind, or fits the part, that a case names.
pub fn fits_event(part: &Node, event: &Json) -> bool {
    match part.as_text() {
        Some(kind) => kind_of(event) == Some(kind),
        None => misfit(part, event).is_none(),
    }
}

/// The kind of an event: the one key of its object, or the word it is written as.
pub fn kind_of(event: &Json) -> Option<&str> {
    match event {
        Json::Str(word) => Some(word),
        Json::Map(members) if members.len() == 1 => members.keys().next().map(String::as_str),
        _ => None,
    }
}

/// The kind of event a part asks for.
pub fn kind_asked(part: &Node) -> Option<&str> {
    match part {
        Node::Text { text, .. } => Some(text),
        Node::Map(entries) if entries.len() == 1 => entries.first().map(|(key, _)| key.as_str()),
        _ => None,
    }
}

/// A part as one line of YAML.
pub fn written(node: &Node) -> String {
    match node {
        Node::Text { text, .. } => text.clone(),
        Node::List(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key}: {}", written(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A step down into a part: the way is written out only where something does not fit.
#[derive(Clone, Copy)]
enum Step<'p> {
    Key(&'p str),
    Item(usize),
}

fn wrong(trail: &[Step<'_>], expected: impl Into<String>, found: impl Into<String>) -> Misfit {
    let at = trail.iter().fold(DocPath::root(), |at, step| match step {
        Step::Key(key) => at.key(key),
        Step::Item(index) => at.index(*index),
    });
    Misfit { at, expected: expected.into(), found: found.into(), depth: trail.len() }
}

/// Who hears of what does not fit, and may have heard enough.
type Told<'t> = &'t mut dyn FnMut(Misfit) -> ControlFlow<()>;

fn fit<'p>(part: &'p Node, whole: Option<&Json>, trail: &mut Vec<Step<'p>>, tell: Told<'_>) -> ControlFlow<()> {
    let absent = part.as_text() == Some("absent");
    let Some(whole) = whole else {
        return if absent { ControlFlow::Continue(()) } else { tell(wrong(trail, written(part), "nothing")) };
    };
    if absent {
        return tell(wrong(trail, "nothing", whole.to_string()));
    }
    match (part, whole) {
        (Node::Text { text, .. }, _) => match text_of(whole) {
            Some(found) if found == *text || is_truth(text, whole) => ControlFlow::Continue(()),
            _ => tell(wrong(trail, text, whole.to_string())),
        },
        (Node::Map(entries), Json::Map(members)) => {
            for (key, part) in entries {
                let member = members.get(key).or_else(|| {
                    let spelled = members.iter().find(|(name, _)| same_key(name, key));
                    spelled.map(|(_, member)| member)
                });
                trail.push(Step::Key(key));
                fit(part, member, trail, tell)?;
                trail.pop();
            }
            ControlFlow::Continue(())
        }
        (Node::List(parts), Json::List(items)) => {
            if parts.len() != items.len() {
                let expected = format!("a list of {}: {}", parts.len(), written(part));
                return tell(wrong(trail, expected, format!("a list of {}: {whole}", items.len())));
            }
            for (index, (part, item)) in parts.iter().zip(items).enumerate() {
                trail.push(Step::Item(index));
                fit(part, Some(item), trail, tell)?;
                trail.pop();
            }
            ControlFlow::Continue(())
        }
        (Node::Map(entries), Json::List(items)) => fit_list(entries, items, whole, trail, tell),
        _ => tell(wrong(trail, written(part), whole.to_string())),
    }
}

/// `has`, `lacks` and `count` against a list.
fn fit_list(
    entries: &[(String, Node)],
    items: &[Json],
    whole: &Json,
    trail: &[Step<'_>],
    tell: Told<'_>,
) -> ControlFlow<()> {
    let each = |node: &Node| node.as_list().map_or_else(|| vec![node.clone()], <[Node]>::to_vec);
    for (key, node) in entries {
        match key.as_str() {
            "has" => {
                let parts = each(node);
                for part in pair(&parts, items, |part, item| misfit(part, item).is_none()).parts {
                    let expected = format!("an item {}", parts.get(part).map_or_else(String::new, written));
                    tell(wrong(trail, expected, whole.to_string()))?;
                }
            }
            "lacks" => {
                for part in each(node) {
                    if items.iter().any(|item| misfit(&part, item).is_none()) {
                        let expected = format!("no item {}", written(&part));
                        tell(wrong(trail, expected, whole.to_string()))?;
                    }
                }
            }
            "count" => {
                if node.as_text() != Some(items.len().to_string().as_str()) {
                    let expected = format!("{} items", written(node));
                    tell(wrong(trail, expected, format!("{}: {whole}", items.len())))?;
                }
            }
            _ => {
                let expected = format!("{key}: {}", written(node));
                tell(wrong(trail, expected, format!("a list: {whole}")))?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Int(number) => Some(number.to_string()),
        Json::Str(text) => Some(text.clone()),
        Json::List(_) | Json::Map(_) => None,
    }
}

/// `yes` and `no` are what people write for truth values.
fn is_truth(text: &str, value: &Json) -> bool {
    matches!((text, value.as_bool()), ("yes", Some(true)) | ("no", Some(false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::read_document;

    fn part(text: &str) -> Node {
        read_document("part", format!("part: {text}").as_bytes()).expect("a part").0.get("part").expect("it").clone()
    }

    fn whole() -> Json {
        let text =
            r#"{"at":"0816","dead":false,"list":[{"n":1,"w":"a"},{"n":2,"w":"b"}],"units":{"us-1":{"steps":2}}}"#;
        Json::parse_canonical(text.as_bytes()).expect("canonical")
    }

    #[test]
    fn a_part_fits_what_is_written_the_same() {
        for fitting in [
            "{at: 0816}",
            "{at: \"0816\", units: {us-1: {steps: 2}}}",
            "{dead: no}",
            "{dead: false}",
            "{base: absent}",
            "{units: {us-2: absent}}",
            "{list: [{n: 1}, {w: b}]}",
            "{list: {has: {n: 2}}}",
            "{list: {has: [{n: 2}, {n: 1}], lacks: {n: 3}, count: 2}}",
        ] {
            assert_eq!(misfit(&part(fitting), &whole()), None, "{fitting}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        for (part_text, at, expected, found) in [
            ("{at: 816}", "at", "816", "\"0816\""),
            ("{at: absent}", "at", "nothing", "\"0816\""),
            ("{dead: yes}", "dead", "yes", "false"),
            ("{units: {us-1: {steps: 1}}}", "units.us-1.steps", "1", "2"),
            ("{units: {us-2: {steps: 1}}}", "units.us-2", "{steps: 1}", "nothing"),
            ("{list: [{n: 1}, {w: c}]}", "list[1].w", "c", "\"b\""),
            (
                "{list: {has: [{n: 1}, {w: a}]}}",
                "list",
                "an item {w: a}",
                "[{\"n\":1,\"w\":\"a\"},{\"n\":2,\"w\":\"b\"}]",
            ),
            ("{list: {count: 3}}", "list", "3 items", "2: [{\"n\":1,\"w\":\"a\"},{\"n\":2,\"w\":\"b\"}]"),
        ] {
            let misfit = misfit(&part(part_text), &whole()).unwrap_or_else(|| panic!("{part_text} must not fit"));
            assert_eq!(
                (misfit.at.to_string().as_str(), misfit.expected.as_str(), misfit.found.as_str()),
                (at, expected, found)
            );
        }
        assert!(misfit(&part("{list: [{n: 1}]}"), &whole()).is_some(), "a list is given in full");
        assert!(misfit(&part("{list: {lacks: {n: 1}}}"), &whole()).is_some());
        assert!(misfit(&part("{list: {hass: {n: 1}}}"), &whole()).is_some(), "a slip of the pen does not pass");
    }

    #[test]
    fn every_place_where_a_part_does_not_fit_is_found() {
        let part =
            part("{at: 0817, dead: no, list: {has: [{n: 2}, {n: 3}, {n: 4}], count: 3}, units: {us-1: {steps: 1}}}");
        let found: Vec<String> =
            misfits(&part, &whole()).iter().map(|misfit| format!("{}: {}", misfit.at, misfit.expected)).collect();
        let expected =
            ["at: 0817", "list: an item {n: 3}", "list: an item {n: 4}", "list: 3 items", "units.us-1.steps: 1"];
        assert_eq!(found, expected);
        assert_eq!(misfit(&part, &whole()).as_ref(), misfits(&part, &whole()).first());
    }

    #[test]
    fn a_part_that_fits_several_things_gives_way() {
        let divides = |part: &u32, thing: &u32| thing.is_multiple_of(*part);
        let unpaired = |parts: &[u32], things: &[u32]| {
            let Unpaired { parts, things } = pair(parts, things, divides);
            (parts, things)
        };
        assert_eq!(unpaired(&[1, 3], &[6, 4]), (vec![], vec![]));
        assert_eq!(unpaired(&[2, 2, 3], &[6, 4, 8, 5]), (vec![], vec![3]), "only the first is divided by three");
        assert_eq!(unpaired(&[2, 3, 3, 2, 7], &[6, 4, 8, 5]), (vec![2, 4], vec![3]));
        assert_eq!(misfit(&part("{list: {has: [{n: 1}, {w: a}]}}"), &whole()).map(|found| found.depth), Some(1));
        assert_eq!(misfit(&part("{list: {has: [{}, {n: 1}]}}"), &whole()), None);
    }

    #[test]
    fn an_event_is_named_by_its_kind_or_by_a_part_of_it() {
        let event = Json::parse_canonical(br#"{"shock":{"die":4}}"#).expect("canonical");
        assert!(fits_event(&part("shock"), &event));
        assert!(fits_event(&part("{shock: {die: 4}}"), &event));
        assert!(!fits_event(&part("{shock: {die: 5}}"), &event));
        assert!(!fits_event(&part("fire"), &event));
        assert!(fits_event(&part("posted"), &Json::from("posted")));
    }
}
