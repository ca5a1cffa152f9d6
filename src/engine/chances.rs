//! Chances: a packet carried out over all dice, with the eyes of its author.
//!
//! The same walk as that of a check, by the same rules, with the dice let loose. Nothing is reckoned here but how likely
//! each course of events is; what an affair came to the events say themselves ([`super::Rules::marks`]).

use std::collections::BTreeMap;

use serde::Serialize;

use super::doc::Segment;
use super::foresee::{Hopes, Luck, hopeful};
use super::loose::{Fall, Grown, Loose};
use super::mark::{Affair, Spread, Upshot};
use super::umpire::Umpire;
use super::{Foresaid, Halt, Holdings, Json, Ratio, Rules, Said, Seen, Settled, Side, Stop, Versions, to_json};

/// Draws for what belongs to no order.
const ASIDE: u32 = 400;

/// How much is tried before dice are drawn instead of counted, and with which draws.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// The text the draws are made from: the same text gives the same figures.
    pub seed: &'a str,
    /// Runs at most in which every affair is counted for itself.
    pub apart: u32,
    /// Runs at least in which the dice of others vary once every affair is counted: none of them may mind. Each of so many
    /// results of a die comes up in them, the unlikely ones too. Only how chances are counted hangs on it; what a check
    /// refuses or warns of is found by [`super::foresee()`].
    pub varied: u32,
    /// Runs at most in which all dice are counted together.
    pub together: u32,
    /// Runs with drawn dice.
    pub drawn: u32,
    /// Whether the author's orders alone are looked at: nothing after the last of them comes up (fever, events, the next
    /// day), and dice that belong to none of them fall as they do and are not counted.
    pub orders_only: bool,
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { seed: "garcia", apart: 1500, varied: 16, together: 2000, drawn: 4000, orders_only: false }
    }
}

/// How chances were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Every path of the dice was counted.
    Exact {
        /// The chance of branches too unlikely to be followed.
        left_out: Ratio,
    },
    /// Every path of its own dice was counted, and in so many runs it did not matter how other dice fell.
    Apart {
        /// How often the dice of other orders were varied.
        runs: u32,
        /// The chance of branches too unlikely to be followed.
        left_out: Ratio,
    },
    /// Dice were drawn so often.
    Drawn {
        /// How often.
        runs: u32,
    },
}

impl How {
    /// The greatest error of a chance that nineteen of twenty such figures keep within.
    pub fn error(self) -> Ratio {
        match self {
            How::Exact { left_out } | How::Apart { left_out, .. } => left_out,
            // 1.96 times the root of a half by a half in so many runs.
            How::Drawn { runs } => Ratio::new(98u32, 100u32).times(Ratio::new(1u32, runs.max(1)).root()),
        }
    }
}

/// What one affair can come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prospect {
    /// The entry of the packet, or the phase.
    pub affair: Affair,
    /// Who is ordered by that entry, as the packet names them.
    pub ordered: Vec<String>,
    /// Its chances; if the opponent's hidden pieces are the weakest they can be.
    pub spread: Spread,
    /// How they were found.
    pub how: How,
    /// The same if they are the strongest, where that makes a difference.
    pub at_worst: Option<(Spread, How)>,
}

/// What a packet can come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    /// Affair by affair, in the order of play.
    pub prospects: Vec<Prospect>,
    /// Something only the opponent knows ended every run before all orders were carried out.
    pub cut_short: bool,
    /// How often the packet was carried out.
    pub runs: u32,
    /// The contradiction the rules fell into, if they did.
    pub bug: Option<String>,
}

/// What is known of how a packet was really carried out: everything is kept as it was but the dice.
#[derive(Clone, Copy, Debug)]
pub struct AsPlayed<'a> {
    /// Choices made, facts stated, values opened.
    pub settled: &'a Settled,
    /// What was said.
    pub said: &'a Said,
}

struct Runs<'r, 'a, G: Rules> {
    game: &'r G,
    seen: &'r Seen<'a, G::State>,
    author: Side,
    said: &'r Said,
    foresaid: &'r Foresaid<'a>,
    orders: &'r G::Orders,
    played: Option<&'r Settled>,
    fear: bool,
    guessed: bool,
    cut_short: bool,
    bug: Option<String>,
}

impl<G: Rules> Runs<'_, '_, G> {
    /// Carries the packet out once. `whole`: with everything after the author's last order.
    fn run(&mut self, loose: &mut Loose, whole: bool) {
        let (public, versions, closer) = (Holdings::default(), Versions::new(), [self.author]);
        let (mut state, mut orders) = (self.seen.state.clone(), self.orders.clone());
        let mut segment = hopeful(self.seen, self.said, &public, &versions, &closer, self.foresaid.questions);
        if let Some(settled) = self.played {
            segment.settled = settled.clone();
        }
        let mut umpire = Umpire::new(self.game, segment);
        let mut hopes = Hopes::new(self.author, Luck::Loose { fear: self.fear, whole }, false);
        hopes.all_open = self.played.is_some();
        umpire.hopes = Some(hopes);
        umpire.loose = Some(loose);
        umpire.book = Some(BTreeMap::new());
        let halt = self.game.resolve(&mut state, &mut orders, &mut umpire).err();
        let (upshots, hopes) = umpire.end_counting();
        match halt {
            Some(Halt::Bug(bug)) => self.bug = Some(bug),
            Some(Halt::Foreseen | Halt::Stop(Stop::End)) | None => {}
            Some(_) => self.cut_short |= !hopes.as_ref().is_some_and(|hopes| hopes.decided),
        }
        self.guessed |= hopes.is_some_and(|hopes| hopes.guessed);
        loose.end_run(&upshots);
    }

    fn all(&mut self, effort: &Effort<'_>) -> (Vec<(Grown, How)>, u32) {
        let mut apart = Loose::new(Fall::Apart, effort);
        let mut counted = u32::MAX;
        // Once everything is counted, as many runs again in which only the dice of others differ.
        while apart.runs < effort.apart && apart.runs / 2 < counted && self.bug.is_none() {
            self.run(&mut apart, !effort.orders_only);
            if apart.is_done() && counted == u32::MAX {
                counted = apart.runs.max(effort.varied);
                if apart.alone() {
                    break;
                }
            }
        }
        let (mut runs, trials, alone) = (apart.runs, apart.runs, apart.alone());
        let mut all: Vec<(Grown, How)> = Vec::new();
        for grown in apart.grown() {
            let left_out = grown.left_out;
            let how = if alone { How::Exact { left_out } } else { How::Apart { runs: trials, left_out } };
            all.push((grown, how));
        }
        let ordered = |grown: &Grown| matches!(grown.affair, Affair::Entry(_));
        let entries = || all.iter().map(|(grown, _)| grown).filter(|grown| ordered(grown) && grown.dice);
        let paths = entries().fold(1u64, |paths, grown| paths.saturating_mul(u64::from(grown.leaves)));
        let tangled = entries().any(|grown| !grown.whole);
        // What is known not to fit is not begun.
        let huge = entries().any(|grown| grown.leaves > effort.together);
        if !alone && !huge && (tangled || paths <= u64::from(effort.together)) {
            let mut together = Loose::new(Fall::Together, effort);
            while together.runs < effort.together && !together.is_done() && self.bug.is_none() {
                self.run(&mut together, false);
            }
            runs += together.runs;
            if together.is_done() {
                for grown in together.grown().into_iter().filter(|grown| grown.whole && ordered(grown)) {
                    let how = How::Exact { left_out: grown.left_out };
                    replace(&mut all, grown, how);
                }
            }
        }
        if all.iter().any(|(grown, _)| !grown.whole) {
            // What no order decides is not worth the time that orders are.
            let unsure = all.iter().any(|(grown, _)| ordered(grown) && !grown.whole);
            let most = if unsure { effort.drawn } else { effort.drawn.min(ASIDE) };
            let mut drawn = Loose::new(Fall::Drawn, effort);
            while drawn.runs < most && self.bug.is_none() {
                self.run(&mut drawn, !effort.orders_only);
            }
            runs += drawn.runs;
            let how = How::Drawn { runs: drawn.runs };
            for grown in drawn.grown() {
                let known = all.iter().find(|(known, _)| known.affair == grown.affair);
                if known.is_none_or(|(known, _)| !known.whole) {
                    replace(&mut all, grown, how);
                }
            }
        }
        (all, runs)
    }
}

fn replace(all: &mut Vec<(Grown, How)>, grown: Grown, how: How) {
    match all.iter_mut().find(|(known, _)| known.affair == grown.affair) {
        Some(known) => {
            let dice = known.0.dice || grown.dice;
            *known = (Grown { dice, ..grown }, how);
        }
        None => all.push((grown, how)),
    }
}

/// What a packet can come to, as its author can know it.
pub fn chances<G: Rules>(
    game: &G,
    seen: &Seen<'_, G::State>,
    stop: &Stop,
    said: &Foresaid<'_>,
    orders: &G::Orders,
    effort: &Effort<'_>,
) -> Chances {
    let Some(author) = stop.who() else { return Chances::default() };
    let spoken = said.spoken(author);
    let runs = |fear| Runs {
        game,
        seen,
        author,
        said: &spoken,
        foresaid: said,
        orders,
        played: None,
        fear,
        guessed: false,
        cut_short: false,
        bug: None,
    };
    let mut hoped = runs(false);
    let (all, mut count) = hoped.all(effort);
    let mut feared: BTreeMap<Affair, (Spread, How)> = BTreeMap::new();
    if hoped.guessed {
        let (worst, more) = runs(true).all(effort);
        count += more;
        feared = worst.into_iter().map(|(grown, how)| (grown.affair, (grown.spread, how))).collect();
    }
    told(all, feared, orders, Chances { cut_short: hoped.cut_short, runs: count, bug: hoped.bug, ..Chances::default() })
}

/// What a packet could have come to when it was carried out, everything but the dice kept as it was.
pub fn chances_as_played<G: Rules>(
    game: &G,
    seen: &Seen<'_, G::State>,
    author: Side,
    played: &AsPlayed<'_>,
    orders: &G::Orders,
    effort: &Effort<'_>,
) -> Chances {
    let mut settled = played.settled.clone();
    settled.rolls.clear();
    settled.asked.clear();
    let mut runs = Runs {
        game,
        seen,
        author,
        said: played.said,
        foresaid: &Foresaid::default(),
        orders,
        played: Some(&settled),
        fear: false,
        guessed: false,
        cut_short: false,
        bug: None,
    };
    let (all, count) = runs.all(effort);
    told(
        all,
        BTreeMap::new(),
        orders,
        Chances { cut_short: runs.cut_short, runs: count, bug: runs.bug, ..Chances::default() },
    )
}

fn told<O: Serialize>(
    all: Vec<(Grown, How)>,
    mut feared: BTreeMap<Affair, (Spread, How)>,
    orders: &O,
    mut chances: Chances,
) -> Chances {
    let blank = Upshot::default();
    // Orders that are no plain data stop at the signing; here they only lack their names.
    let orders = to_json(orders).unwrap_or_else(|_| Json::map());
    for (grown, how) in all {
        let Grown { affair, spread, dice, .. } = grown;
        let at_worst = feared.remove(&affair).filter(|(worst, _)| *worst != spread);
        // An order without dice that comes to nothing anybody counts is not told.
        if dice || at_worst.is_some() || spread.0.keys().any(|upshot| *upshot != blank) {
            let ordered = ordered(&orders, &affair);
            chances.prospects.push(Prospect { affair, ordered, spread, how, at_worst });
        }
    }
    chances
}

/// The keys under which an entry says who is to do it.
const WHO: [&str; 4] = ["unit", "units", "attackers", "by"];

/// Who is ordered by an entry.
fn ordered(orders: &Json, affair: &Affair) -> Vec<String> {
    let Affair::Entry(place) = affair else { return Vec::new() };
    let entry = place.segments().iter().try_fold(orders, |within, segment| match segment {
        Segment::Index(index) => within.as_list()?.get(*index),
        Segment::Key(key) | Segment::Name(key) => within.get(key),
    });
    match entry.and_then(|entry| WHO.iter().find_map(|key| entry.get(key))) {
        Some(Json::Str(unit)) => vec![unit.clone()],
        Some(Json::List(units)) => units.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
