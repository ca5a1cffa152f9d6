//! What many games came to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::engine::Ruleset;
use crate::engine::rules::RuleBook;

/// One game that ended as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tale {
    /// The scenario.
    pub scenario: String,
    /// The winner; a draw if none.
    pub winner: Option<&'static str>,
    /// The victory line.
    pub ending: String,
    /// The turn it ended in.
    pub turns: u32,
    /// Packets of orders.
    pub packets: u64,
    /// Segments resolved.
    pub segments: u64,
    /// Stops for answers.
    pub stops: u64,
    /// Packets that were closed as by mail, by a side that knows its own secrets alone.
    pub mailed: u64,
    /// Stops at which somebody had to state facts about what he hides, by what it was.
    pub facts: BTreeMap<String, u64>,
    /// Choices that were replaced by their default.
    pub lapses: u64,
    /// Packets with a mistake in them that were judged and carried out beside the game.
    pub mistakes: u64,
    /// Those of them that the check refused.
    pub refused: u64,
    /// Orders found legal that were looked up in the list of what is legal.
    pub looked_up: u64,
    /// Events.
    pub events: u64,
    /// Questions put, by kind.
    pub asked: BTreeMap<&'static str, u64>,
    /// How often each clause was applied.
    pub clauses: BTreeMap<&'static str, u64>,
}

impl Tale {
    pub(super) fn new(scenario: &str) -> Tale {
        Tale {
            scenario: scenario.to_owned(),
            winner: None,
            ending: String::new(),
            turns: 0,
            packets: 0,
            segments: 0,
            stops: 0,
            mailed: 0,
            facts: BTreeMap::new(),
            lapses: 0,
            mistakes: 0,
            refused: 0,
            looked_up: 0,
            events: 0,
            asked: BTreeMap::new(),
            clauses: BTreeMap::new(),
        }
    }
}

/// A share in thousandths, with the bounds between which the true share lies nineteen times out of twenty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// The lower bound.
    pub low: u64,
    /// The share that was counted.
    pub share: u64,
    /// The upper bound.
    pub high: u64,
}

/// Wilson's interval for `k` out of `n`, at 95 %, in thousandths: the bounds rounded outwards, the share to the nearest.
pub fn wilson(k: u64, n: u64) -> Interval {
    if n == 0 {
        return Interval { low: 0, share: 0, high: 1000 };
    }
    // With z = 1.96: (2k + z² ± z·sqrt(z² + 4k(n−k)/n)) / (2(n + z²)); here every term times SCALE.
    const SCALE: u128 = 10_000;
    const Z2: u128 = 38_416;
    let (k, n) = (u128::from(k.min(n)), u128::from(n));
    let middle = 2 * k * SCALE + Z2;
    let root = (Z2 * (Z2 * n + 4 * k * (n - k) * SCALE) / n).isqrt();
    let whole = 2 * (n * SCALE + Z2);
    let low = middle.saturating_sub(root + 1) * 1000 / whole;
    let high = ((middle + root + 1) * 1000).div_ceil(whole).min(1000);
    let low = if k == 0 { 0 } else { low };
    let high = if k == n { 1000 } else { high };
    let small = |value: u128| u64::try_from(value).unwrap_or(1000);
    Interval { low: small(low), share: small((2000 * k + n) / (2 * n)), high: small(high) }
}

/// The sum of many games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Statistics {
    /// The game.
    pub game: String,
    /// How many were played.
    pub games: u64,
    /// Games won, by side.
    pub wins: BTreeMap<String, u64>,
    /// Games drawn.
    pub draws: u64,
    /// Games by scenario.
    pub scenarios: BTreeMap<String, u64>,
    /// How they ended: the victory lines, figures left out.
    pub endings: BTreeMap<String, u64>,
    /// Games by the turn they ended in.
    pub turns: BTreeMap<u32, u64>,
    /// Packets of orders.
    pub packets: u64,
    /// Segments resolved.
    pub segments: u64,
    /// Stops for answers.
    pub stops: u64,
    /// Packets that were closed as by mail, by a side that knows its own secrets alone.
    pub mailed: u64,
    /// Stops at which somebody had to state facts about what he hides, by what it was.
    pub facts: BTreeMap<String, u64>,
    /// Choices that were replaced by their default.
    pub lapses: u64,
    /// Packets with a mistake in them that were judged and carried out beside the games.
    pub mistakes: u64,
    /// Those of them that the check refused.
    pub refused: u64,
    /// Orders found legal that were looked up in the list of what is legal.
    pub looked_up: u64,
    /// Events.
    pub events: u64,
    /// Questions put, by kind.
    pub asked: BTreeMap<String, u64>,
    /// How often each clause was applied.
    pub clauses: BTreeMap<String, u64>,
    /// Clauses of the rules that no event applied.
    pub unseen: Vec<String>,
}

impl Statistics {
    pub(super) fn new(ruleset: &dyn Ruleset) -> Statistics {
        let rules = RuleBook::read(ruleset.about().rules);
        let unseen = rules.map_or_else(|_| Vec::new(), |rules| rules.clauses.into_iter().map(|c| c.id).collect());
        Statistics {
            game: ruleset.id().to_owned(),
            games: 0,
            wins: ruleset.sides().iter().map(|side| (side.as_str().to_owned(), 0)).collect(),
            draws: 0,
            scenarios: BTreeMap::new(),
            endings: BTreeMap::new(),
            turns: BTreeMap::new(),
            packets: 0,
            segments: 0,
            stops: 0,
            mailed: 0,
            facts: BTreeMap::new(),
            lapses: 0,
            mistakes: 0,
            refused: 0,
            looked_up: 0,
            events: 0,
            asked: ruleset.kinds().iter().map(|info| (info.kind.0.to_owned(), 0)).collect(),
            clauses: BTreeMap::new(),
            unseen,
        }
    }

    pub(super) fn add(&mut self, tale: &Tale) {
        self.games += 1;
        match tale.winner {
            Some(side) => *self.wins.entry(side.to_owned()).or_insert(0) += 1,
            None => self.draws += 1,
        }
        *self.scenarios.entry(tale.scenario.clone()).or_insert(0) += 1;
        *self.endings.entry(without_figures(&tale.ending)).or_insert(0) += 1;
        *self.turns.entry(tale.turns).or_insert(0) += 1;
        self.packets += tale.packets;
        self.segments += tale.segments;
        self.stops += tale.stops;
        self.mailed += tale.mailed;
        for (what, count) in &tale.facts {
            *self.facts.entry(what.clone()).or_insert(0) += count;
        }
        self.lapses += tale.lapses;
        self.mistakes += tale.mistakes;
        self.refused += tale.refused;
        self.looked_up += tale.looked_up;
        self.events += tale.events;
        for (kind, count) in &tale.asked {
            *self.asked.entry((*kind).to_owned()).or_insert(0) += count;
        }
        for (clause, count) in &tale.clauses {
            *self.clauses.entry((*clause).to_owned()).or_insert(0) += count;
            self.unseen.retain(|unseen| unseen != clause);
        }
    }

    /// The share of games a side won.
    pub fn share(&self, side: &str) -> Interval {
        wilson(self.wins.get(side).copied().unwrap_or(0), self.games)
    }

    /// How often somebody had to state facts about what he hides.
    pub fn facts_stops(&self) -> u64 {
        self.facts.values().sum()
    }

    /// The statistics for a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let percent = |mille: u64| format!("{}.{} %", mille / 10, mille % 10);
        let row = |text: &mut String, name: &str, count: u64| {
            let Interval { low, share, high } = wilson(count, self.games);
            let bounds = format!("{} to {}", percent(low), percent(high));
            let _ = writeln!(text, "  {name:<24} {count:>8}  {:>8}  ({bounds})", percent(share));
        };
        let _ = writeln!(text, "{}: {} games, every invariant held", self.game, self.games);
        let _ = writeln!(text, "\nWon by");
        for (side, wins) in &self.wins {
            row(&mut text, side, *wins);
        }
        row(&mut text, "nobody", self.draws);
        let _ = writeln!(text, "\nScenario");
        for (scenario, games) in &self.scenarios {
            row(&mut text, scenario, *games);
        }
        let _ = writeln!(text, "\nEnded");
        for (ending, games) in &self.endings {
            let _ = writeln!(text, "  {games:>8}  {ending}");
        }
        let _ = writeln!(text, "\nLast turn");
        for (turn, games) in &self.turns {
            row(&mut text, &turn.to_string(), *games);
        }
        let _ = writeln!(
            text,
            "\n{} packets, {} segments, {} stops, {} lapsed choices, {} events",
            self.packets, self.segments, self.stops, self.lapses, self.events
        );
        let _ = writeln!(text, "{} stops for facts in {} packets closed as by mail", self.facts_stops(), self.mailed);
        for (what, count) in &self.facts {
            let _ = writeln!(text, "  {what:<24} {count:>8}");
        }
        let _ = writeln!(
            text,
            "{} packets with a mistake judged and carried out, {} of them refused; {} legal orders found in the list",
            self.mistakes, self.refused, self.looked_up
        );
        let _ = writeln!(text, "\nQuestions put");
        for (kind, count) in &self.asked {
            let _ = writeln!(text, "  {kind:<24} {count:>8}");
        }
        let all = self.clauses.len() + self.unseen.len();
        let _ = writeln!(text, "\nClauses applied by events: {} of {all}", self.clauses.len());
        text
    }
}

/// A victory line without its figures, so that lines of one kind are counted together.
fn without_figures(line: &str) -> String {
    let mut text = String::new();
    for c in line.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}
