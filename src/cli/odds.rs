//! `garcia odds`: what the orders of a file can come to, before any die.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use crate::engine::doc::{DocPath, Fault, Node, Reader, same_key};
use crate::engine::submission::{Joined, Outlook, Submission};
use crate::engine::{Chances, Effort, Json, Side};
use crate::report::chances::side_by_side;
use crate::report::{ChancesReport, Page, terminal};

use super::sight::{Sight, read_files};
use super::{Done, Trouble, World};

/// Show what the orders of a file can come to, over all dice.
///
/// The orders are carried out by the rules themselves over every fall of the dice: for each battle the chance of each
/// result, the steps each side loses, whether the hex is taken, the attack called off, a leader lost; for marches
/// whether they get through; and what the dice after your last order can bring. You see no more than you may know: your
/// opponent's choices are taken as their defaults, and where his hidden pieces matter you get both ends, the weakest and
/// the strongest they can be. Where there are too many ways to count, dice are drawn, and the error is told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia odds orders/t3-us-turn.yaml
  garcia odds --compare bold.yaml careful.yaml        two plans side by side
  garcia odds plan.yaml --what-if naval=yes           the plan as it is, and with `naval: yes` wherever it fits
  garcia odds plan.yaml --what-if battles[0].naval=yes --what-if losses=default
  garcia odds plan.yaml --what-if spain.retreat=ask   as if that were Spain's standing order
  garcia odds plan.yaml --draws 20000 --seed monday   where dice are drawn: more often, and other draws")]
pub struct Odds {
    /// The order file, or several of one side.
    #[arg(required = true, value_name = "ORDERS")]
    files: Vec<PathBuf>,
    /// Each file is a plan of its own; set them side by side.
    #[arg(long)]
    compare: bool,
    /// Set the plan beside itself with one thing changed: a key of an order or policy, its place (`battles[0].naval`), or
    /// a policy somebody else is supposed to have (`spain.retreat`).
    #[arg(long, value_name = "KEY=VALUE")]
    what_if: Vec<String>,
    /// Where dice are drawn: how often.
    #[arg(long, value_name = "N", default_value_t = Effort::default().drawn, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    draws: u32,
    /// Where dice are drawn: the text the draws are made from.
    #[arg(long, default_value = "garcia")]
    seed: String,
}

/// One plan and what it can come to.
struct Plan {
    name: String,
    submission: Submission,
    outlook: Outlook,
    chances: Chances,
}

/// Policies somebody else is supposed to have.
type Supposed = BTreeMap<(Side, String), Json>;

impl Odds {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let mut plans = Vec::new();
        if self.compare {
            for file in &self.files {
                let joined = read_files(std::slice::from_ref(file))?;
                plans.push(self.plan(&sight, file.display().to_string(), joined, &Supposed::new())?);
            }
        } else {
            let joined = read_files(&self.files)?;
            plans.push(self.plan(&sight, "as it is".to_owned(), joined, &Supposed::new())?);
        }
        for what_if in &self.what_if {
            let files = if self.compare { self.files.get(..1).unwrap_or_default() } else { &self.files[..] };
            let (joined, supposed) = self.supposing(&sight, read_files(files)?, what_if)?;
            plans.push(self.plan(&sight, what_if.clone(), (joined, Vec::new()), &supposed)?);
        }
        self.answer(&sight, &plans, world)
    }

    fn plan(
        &self,
        sight: &Sight,
        name: String,
        (joined, faults): (Joined, Vec<Fault>),
        supposed: &Supposed,
    ) -> Result<Plan, Trouble> {
        let (submission, outlook, _) = sight.foresee_joined(&joined, faults)?;
        let (Some(orders), Some(outlook)) = (&submission.orders, outlook) else {
            return Err(Trouble::usage("there are no `orders` in the file", "see `garcia template`"));
        };
        let effort = Effort { seed: &self.seed, drawn: self.draws, ..Effort::default() };
        let chances = sight.chances(orders, &outlook, supposed, &effort);
        if let Some(bug) = &chances.bug {
            return Err(Trouble::bug(bug.clone()));
        }
        Ok(Plan { name, submission, outlook, chances })
    }

    fn answer(&self, sight: &Sight, plans: &[Plan], world: &World) -> Result<Done, Trouble> {
        let report = |plan: &'_ Plan| {
            let (table, reader) = (sight.table(), plan.submission.side);
            let report = ChancesReport {
                table,
                reader,
                chances: &plan.chances,
                outlook: Some(&plan.outlook.journal),
                seed: &self.seed,
            };
            (report.diary(), report.json())
        };
        if world.json {
            return match plans {
                [one] => Done::json(&report(one).1),
                many => {
                    let plans: Vec<_> = many.iter().map(|plan| (&plan.name, report(plan).1)).collect();
                    let named = |(name, json): &(&String, BTreeMap<String, Json>)| serde_json::json!({ "plan": name, "chances": json });
                    Done::json(&serde_json::json!({ "plans": plans.iter().map(named).collect::<Vec<_>>() }))
                }
            };
        }
        let mut page = Page::new("Odds before any die");
        match plans {
            [one] => {
                let (diary, _) = report(one);
                if diary.entries().is_empty() {
                    page.lead.push("Nothing in this file hangs on a die.".to_owned());
                }
                page.section("", diary);
            }
            many => {
                let named: Vec<(String, &Chances)> =
                    many.iter().map(|plan| (plan.name.clone(), &plan.chances)).collect();
                page.section("", side_by_side(&named));
            }
        }
        Ok(Done::good(terminal(&page, world.look)))
    }

    /// The file with one thing changed, or what somebody else is supposed to have laid down.
    fn supposing(
        &self,
        sight: &Sight,
        (mut joined, faults): (Joined, Vec<Fault>),
        what_if: &str,
    ) -> Result<(Joined, Supposed), Trouble> {
        let Some((key, value)) = what_if.split_once('=') else {
            let remedy = "write it like `--what-if naval=yes`";
            return Err(Trouble::usage(format!("`{what_if}` does not say what is to be otherwise"), remedy));
        };
        let value = read_value(value)?;
        if let Some((side, kind)) = key.split_once('.')
            && let Some(side) = sight.table().ruleset().side(side)
        {
            let mut reader = Reader::new(sight.table().lexicon());
            let at = DocPath::root().key(key);
            let said = match value.as_text() {
                Some("default" | "ask") => Some(value.to_json()),
                _ => sight.table().check_policy(side, kind, &value, &at, &mut reader),
            };
            let (Some(said), false) = (said, reader.refused()) else { return Err(Trouble::refused(reader.faults)) };
            return Ok((joined, [((side, kind.to_owned()), said)].into()));
        }
        let before = joined.node.clone();
        let wrong = |node: &Node| {
            let mut trial = joined.clone();
            trial.node = node.clone();
            sight.foresee_joined(&trial, faults.clone()).is_err()
        };
        let mut changed = before.clone();
        let mut any = false;
        for place in places(&before, key) {
            let mut trial = changed.clone();
            if put(&mut trial, &place, &value) && trial != changed && !wrong(&trial) {
                changed = trial;
                any = true;
            }
        }
        if !any {
            let what = format!("`{key}` cannot be `{}` anywhere in this file", value.as_text().unwrap_or("so"));
            let remedy = "name a key of an order or policy of the file, or its place like `battles[0].naval`; \
                          `garcia template` lists what may be written";
            return Err(Trouble::usage(what, remedy));
        }
        joined.node = changed;
        Ok((joined, Supposed::new()))
    }
}

/// A value as it would stand in the file.
fn read_value(text: &str) -> Result<Node, Trouble> {
    let document = format!("value: {text}\n");
    match crate::engine::doc::read_document("--what-if", document.as_bytes()) {
        Ok((node, _)) => Ok(node.get("value").cloned().unwrap_or_else(|| Node::text(text))),
        Err(bad) => Err(Trouble::faults(vec![(bad.source, bad.faults)])),
    }
}

/// One step down into a document.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Where a key could be set: the place itself if it is one, else in every order, in the packet and among the policies.
fn places(node: &Node, key: &str) -> Vec<Vec<Step>> {
    let top = |key: &str| vec![Step::Key(key.to_owned())];
    if key.contains(['[', '.']) {
        let mut steps = top("orders");
        for part in key.split(['.', '[']).filter(|part| !part.is_empty()) {
            match part.strip_suffix(']').and_then(|index| index.parse().ok()) {
                Some(index) => steps.push(Step::Index(index)),
                None => steps.push(Step::Key(part.to_owned())),
            }
        }
        return vec![steps];
    }
    let mut places = Vec::new();
    for section in ["policies", "orders"] {
        places.push([top(section), top(key)].concat());
    }
    for (list, items) in node.get("orders").and_then(Node::as_map).unwrap_or_default() {
        for index in 0..items.as_list().map_or(0, <[Node]>::len) {
            places.push(vec![
                Step::Key("orders".to_owned()),
                Step::Key(list.clone()),
                Step::Index(index),
                Step::Key(key.to_owned()),
            ]);
        }
    }
    places
}

/// Sets a value; tells whether there was a place for it.
fn put(node: &mut Node, place: &[Step], value: &Node) -> bool {
    let Some((step, rest)) = place.split_first() else {
        *node = value.clone();
        return true;
    };
    match (step, node) {
        (Step::Index(index), Node::List(items)) => items.get_mut(*index).is_some_and(|item| put(item, rest, value)),
        (Step::Key(key), Node::Map(entries)) => {
            if let Some((_, below)) = entries.iter_mut().find(|(name, _)| same_key(name, key)) {
                return put(below, rest, value);
            }
            let mut below = if rest.is_empty() { value.clone() } else { Node::Map(Vec::new()) };
            let done = rest.is_empty() || put(&mut below, rest, value);
            if done {
                entries.push((key.clone(), below));
            }
            done
        }
        _ => false,
    }
}
