//! Luck: what a match came to, set against what its very attacks could have come to. The method is in docs/luck.md.

use std::collections::BTreeMap;

use crate::engine::doc::DocPath;
use crate::engine::{Affair, AsPlayed, Effort, How, Match, Ratio, Rolled, Shown, Side, Spread, Upshot, View};
use crate::trust::replay::Played;

/// One attack: what could have come of it and what did.
#[derive(Clone, Debug)]
pub struct Attack {
    /// The turn.
    pub turn: u32,
    /// The attacker.
    pub by: Side,
    /// The place.
    pub at: String,
    /// The entry of its packet.
    pub entry: DocPath,
    /// What it came to.
    pub upshot: Upshot,
    /// What it could have come to.
    pub spread: Spread,
    /// How that was found.
    pub how: How,
}

/// A number that came about, what was to be expected, and how it lies in what could have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// What came about.
    pub was: u32,
    /// The mean of what could have been.
    pub expected: Ratio,
    /// The chance of less, and half the chance of just as much.
    pub percentile: Ratio,
}

/// How some attacks went for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fortune {
    /// Attacks of its own.
    pub attacks: u32,
    /// Steps it took from its enemies, in its own attacks and theirs.
    pub inflicted: Measured,
    /// Places it took in its own attacks.
    pub taken: Measured,
}

/// Dice of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rolls {
    /// How many dice.
    pub dice: u32,
    /// The sum of their faces.
    pub sum: u64,
    /// Twice the sum of their means.
    pub twice_mean: u64,
}

/// How even the dice of one size fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evenness {
    /// Sides of the die.
    pub sides: u16,
    /// How often each face came up.
    pub faces: Vec<u32>,
    /// Chi-square.
    pub chi_square: Ratio,
    /// What nineteen of twenty honest sets stay below, in thousandths; nothing for sizes without a table.
    pub usual: Option<u32>,
    /// What 99 of a hundred stay below.
    pub rare: Option<u32>,
}

/// The luck of a match.
#[derive(Clone, Debug, Default)]
pub struct Luck {
    /// Every attack, in order.
    pub attacks: Vec<Attack>,
    /// Dice by phase side and purpose.
    pub rolls: BTreeMap<(String, String), Rolls>,
    /// Faces by size of the die.
    faces: BTreeMap<u16, Vec<u32>>,
}

/// The critical values of chi-square for 1 to 19 degrees of freedom: 95 and 99 of a hundred, in thousandths.
const CRITICAL: [(u32, u32); 19] = [
    (3841, 6635),
    (5991, 9210),
    (7815, 11345),
    (9488, 13277),
    (11070, 15086),
    (12592, 16812),
    (14067, 18475),
    (15507, 20090),
    (16919, 21666),
    (18307, 23209),
    (19675, 24725),
    (21026, 26217),
    (22362, 27688),
    (23685, 29141),
    (24996, 30578),
    (26296, 32000),
    (27587, 33409),
    (28869, 34805),
    (30144, 36191),
];
/// Fewer dice for each face than this say nothing by chi-square.
const LEAST_EACH: u32 = 5;

/// Luck is reckoned over many attacks: each is looked at less closely than `garcia odds` would.
pub const GLANCE: Effort<'static> =
    Effort { seed: "luck", apart: 120, varied: 16, together: 120, drawn: 150, orders_only: true };

impl Luck {
    /// Reckons the luck of some spans.
    pub fn of<'p>(table: &dyn Match, played: impl IntoIterator<Item = &'p Played>, effort: &Effort<'_>) -> Luck {
        let mut luck = Luck::default();
        for span in played {
            luck.add(table, span, effort);
        }
        luck
    }

    fn add(&mut self, table: &dyn Match, span: &Played, effort: &Effort<'_>) {
        for roll in span.settled.rolls.values() {
            self.roll(roll);
        }
        let upshots = table.upshots(&span.journal);
        let Some(author) = span.stop.who().filter(|_| upshots.values().any(|upshot| upshot.fight.is_some())) else {
            return;
        };
        let view = View { state: &span.base, holdings: &span.holdings, side: None };
        let played = AsPlayed { settled: &span.settled, said: &span.said };
        let chances = table.chances_as_played(view, author, &played, &span.orders, effort);
        let turn = table.turn(&span.base);
        for prospect in chances.prospects {
            let Affair::Entry(entry) = prospect.affair else { continue };
            let Some(upshot) = upshots.get(&entry) else { continue };
            if let Some((by, at)) = upshot.fight.clone() {
                let (upshot, spread, how) = (upshot.clone(), prospect.spread, prospect.how);
                self.attacks.push(Attack { turn, by, at, entry, upshot, spread, how });
            }
        }
    }

    fn roll(&mut self, roll: &Rolled) {
        let Shown::Faces(faces) = &roll.shown else { return };
        let mut parts = roll.label.as_str().split('/');
        let side = parts.next().and_then(|phase| phase.split('.').nth(1)).unwrap_or("all");
        let purpose = parts.nth(1).unwrap_or("roll");
        let kind = self.rolls.entry((side.to_owned(), purpose.to_owned())).or_default();
        for (face, die) in faces.iter().zip(&roll.sides) {
            kind.dice += 1;
            kind.sum += u64::from(*face);
            kind.twice_mean += u64::from(die.sides()) + 1;
            let counts = self.faces.entry(die.sides()).or_insert_with(|| vec![0; usize::from(die.sides())]);
            if let Some(count) = counts.get_mut(usize::from(*face).wrapping_sub(1)) {
                *count += 1;
            }
        }
    }

    /// The turns in which there were attacks.
    pub fn turns(&self) -> Vec<u32> {
        let mut turns: Vec<u32> = self.attacks.iter().map(|attack| attack.turn).collect();
        turns.dedup();
        turns
    }

    /// How a side fared, in one turn or in all.
    pub fn fortune(&self, side: Side, turn: Option<u32>) -> Fortune {
        let attacks = || self.attacks.iter().filter(|attack| turn.is_none_or(|turn| attack.turn == turn));
        let from_enemies = |upshot: &Upshot| {
            let others = upshot.lost.iter().filter(|(loser, _)| **loser != side);
            others.map(|(_, steps)| steps).sum::<u32>()
        };
        let own = || attacks().filter(|attack| attack.by == side);
        let taken = |upshot: &Upshot| u32::from(upshot.taken);
        Fortune {
            attacks: u32::try_from(own().count()).unwrap_or(u32::MAX),
            inflicted: measured(attacks(), from_enemies),
            taken: measured(own(), taken),
        }
    }

    /// Chi-square of every size of die that was rolled often enough.
    pub fn evenness(&self) -> Vec<Evenness> {
        let mut list = Vec::new();
        for (sides, faces) in &self.faces {
            let all: u32 = faces.iter().sum();
            if *sides < 2 || all < LEAST_EACH * u32::from(*sides) {
                continue;
            }
            // The sum of (n - e)²/e with e = all/sides is (sides × Σ n² - all²) / all.
            let squares: u64 = faces.iter().map(|count| u64::from(*count).pow(2)).sum();
            let (all, k) = (u64::from(all), u64::from(*sides));
            let chi_square = Ratio::new(k * squares - all * all, all);
            let critical = CRITICAL.get(usize::from(*sides).wrapping_sub(2));
            list.push(Evenness {
                sides: *sides,
                faces: faces.clone(),
                chi_square,
                usual: critical.map(|(usual, _)| *usual),
                rare: critical.map(|(_, rare)| *rare),
            });
        }
        list
    }
}

/// Adds a number up over attacks: what it was, its mean, and where it lies among all sums there could have been.
fn measured<'a>(attacks: impl Iterator<Item = &'a Attack>, number: impl Fn(&Upshot) -> u32) -> Measured {
    let mut sums: BTreeMap<u32, Ratio> = BTreeMap::from([(0, Ratio::ONE)]);
    let (mut was, mut expected) = (0, Ratio::ZERO);
    for attack in attacks {
        was += number(&attack.upshot);
        expected = expected.plus(attack.spread.expected(&number));
        let numbers = attack.spread.numbers(&number);
        let mut next: BTreeMap<u32, Ratio> = BTreeMap::new();
        for (sum, chance) in &sums {
            for (more, weight) in &numbers {
                let known = next.entry(sum + more).or_insert(Ratio::ZERO);
                *known = known.plus(chance.times(*weight));
            }
        }
        sums = next;
    }
    let less = sums.range(..was).fold(Ratio::ZERO, |sum, (_, chance)| sum.plus(*chance));
    let same = sums.get(&was).copied().unwrap_or(Ratio::ZERO);
    Measured { was, expected, percentile: less.plus(same.times(Ratio::new(1u32, 2u32))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Key;
    use crate::engine::dice::Die;

    const RED: Side = Side("red");
    const BLUE: Side = Side("blue");

    /// Red takes nothing, one step or two steps with these weights of six; it took `was`.
    fn attack(turn: u32, weights: [u32; 3], was: u32) -> Attack {
        let upshot = |steps: u32| Upshot {
            fight: Some((RED, "fort".to_owned())),
            lost: if steps > 0 { [(BLUE, steps)].into() } else { BTreeMap::new() },
            taken: steps == 2,
            ..Upshot::default()
        };
        let mut spread = Spread::default();
        for (steps, weight) in (0..).zip(weights) {
            spread.add(upshot(steps), Ratio::new(weight, 6u32));
        }
        let how = How::Exact { left_out: Ratio::ZERO };
        Attack { turn, by: RED, at: "fort".to_owned(), entry: DocPath::root(), upshot: upshot(was), spread, how }
    }

    #[test]
    fn luck_is_measured_against_the_very_attacks() {
        let luck = Luck { attacks: vec![attack(1, [3, 2, 1], 2), attack(1, [3, 2, 1], 0)], ..Luck::default() };
        let fortune = luck.fortune(RED, None);
        assert_eq!(fortune.attacks, 2);
        // By hand, in 36ths: sums 0, 1, 2, 3, 4 come up in 9, 12, 10, 4, 1. Two lie above 21, and half of 10 beside them.
        assert_eq!(fortune.inflicted.was, 2);
        assert_eq!(fortune.inflicted.expected.to_string(), "4/3");
        assert_eq!(fortune.inflicted.percentile.to_string(), "13/18");
        // Places: 25, 10, 1 in 36; one was taken.
        assert_eq!(fortune.taken.expected.to_string(), "1/3");
        assert_eq!(fortune.taken.percentile.to_string(), "5/6");
        // The defender inflicted nothing and could not have.
        let blue = luck.fortune(BLUE, Some(1));
        assert_eq!((blue.attacks, blue.inflicted.was, blue.inflicted.percentile), (0, 0, Ratio::new(1u32, 2u32)));
    }

    #[test]
    fn chi_square_of_dice_that_fell_six_times_as_reckoned_by_hand() {
        let mut luck = Luck::default();
        for (index, face) in [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 6, 6]
            .into_iter()
            .enumerate()
        {
            let label = Key::parse(&format!("t1.us.shock/1210/shock/{index}")).expect("a key");
            luck.roll(&Rolled { label, sides: vec![Die::D6], shown: Shown::Faces(vec![face]) });
        }
        let even = luck.evenness();
        assert_eq!(even[0].faces, [10, 5, 5, 5, 3, 2]);
        // Five are expected of each: (25 + 0 + 0 + 0 + 4 + 9) / 5.
        assert_eq!(even[0].chi_square.to_string(), "38/5");
        assert_eq!(even[0].usual, Some(11_070));
        let rolls = &luck.rolls[&("us".to_owned(), "shock".to_owned())];
        assert_eq!((rolls.dice, rolls.sum, rolls.twice_mean), (30, 82, 210));
    }
}
