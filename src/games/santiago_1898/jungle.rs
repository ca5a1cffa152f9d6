//! Chapter 8.6: US troops in the jungle. The die for every jungle hex, and the stack the Spanish player leads astray.

use std::collections::BTreeMap;

use crate::board::{self, Bearing, Grid, Hex, Points, Step};
use crate::engine::{Clause, Question, Ruling, Say, Subject, Tally, Touch, count_of};

use super::events::{Event, Paid};
use super::movement::Stack;
use super::play::{Play, Position, subjects};
use super::policy::{LOST_STACK, Policy};
use super::tables::Jungle;
use super::terms::{Force, Terrain};
use super::{SPAIN, Switch, US};

impl Position<'_> {
    /// Ways a lost stack can be sent with what it has left: every hex in reach, and staying (§8.6c, §IMP.6).
    fn astray(&self, stack: &Stack, at: Hex, left: u32, column: bool) -> Vec<Vec<Hex>> {
        let mut ways = vec![Vec::new()];
        let lay = self.lay(stack.force, self.fighters(stack));
        let reach = self.reach_at(&lay, at, left, column);
        for hex in reach.cells().filter(|hex| *hex != at && self.fit(stack.force, &stack.units, *hex)) {
            if let Some(path) = reach.path(hex) {
                ways.push(path.into_iter().filter(|h| *h != at).collect());
            }
        }
        ways
    }

    /// The way towards a hex: as near as the points allow, then the fewest hexes, then the lowest numbers.
    fn toward(&self, stack: &Stack, at: Hex, left: u32, column: bool, goal: Hex) -> Vec<Hex> {
        let grid = &self.data().grid;
        let lay = self.lay(stack.force, self.fighters(stack));
        let step = self.step(&lay, column);
        let mut best = (grid.distance(at, goal), Vec::new());
        // Ways of one more hex each time, the lowest numbers first; of two to one hex only a cheaper one is followed up.
        let mut ways: Vec<(Vec<Hex>, u32)> = vec![(Vec::new(), 0)];
        let mut cheapest: BTreeMap<Hex, u32> = BTreeMap::from([(at, 0)]);
        while !ways.is_empty() {
            let mut longer: Vec<(Vec<Hex>, u32)> = Vec::new();
            for (way, spent) in &ways {
                let from = way.last().copied().unwrap_or(at);
                let mut next: Vec<(Bearing, Hex)> = grid.neighbours(from).collect();
                next.sort_by_key(|(_, hex)| *hex);
                for (side, hex) in next {
                    let (Step::Pay(cost) | Step::PayAndHalt(cost)) = step(from, side, hex) else { continue };
                    let spent = spent + cost.floor();
                    if spent > left || cheapest.get(&hex).is_some_and(|before| *before <= spent) {
                        continue;
                    }
                    cheapest.insert(hex, spent);
                    longer.push((way.iter().copied().chain([hex]).collect(), spent));
                }
            }
            for (way, _) in &longer {
                let Some(end) = way.last() else { continue };
                let distance = grid.distance(*end, goal);
                if distance < best.0 && self.fit(stack.force, &stack.units, *end) {
                    best = (distance, way.clone());
                }
            }
            ways = longer;
        }
        best.1
    }

    /// Is a completion of a lost stack's move legal? (§IMP.6)
    fn astray_legal(&self, stack: &Stack, at: Hex, left: u32, column: bool, path: &[Hex]) -> bool {
        let lay = self.lay(stack.force, self.fighters(stack));
        let way: Vec<Hex> = std::iter::once(at).chain(path.iter().copied()).collect();
        let walk = board::walk(&self.data().grid, &way, Points::<1>::whole(left), self.step(&lay, column));
        walk.fault.is_none() && path.last().is_none_or(|end| self.fit(stack.force, &stack.units, *end))
    }

    /// §8.6a: every jungle hex entered, along a road too unless the option says otherwise (R30).
    pub fn jungle_roll_due(&self, from: Hex, to: Hex) -> bool {
        let road = self.data().road_between(from, to);
        self.data().terrain(to) == Terrain::Jungle && !(road && self.game.switch(Switch::NoJungleRollOnRoad))
    }

    /// The hexes of a march that a stack has to roll for: those of the Army alone (§8.6a).
    pub fn jungle_on<'s>(&'s self, stack: &Stack, path: &'s [Hex]) -> impl Iterator<Item = Hex> + 's {
        let (from, army) = (stack.from, stack.force == Force::Us);
        let steps = std::iter::once(from).chain(path.iter().copied()).zip(path.iter().copied());
        steps.filter(move |(a, b)| army && self.jungle_roll_due(*a, *b)).map(|(_, b)| b)
    }
}

impl Play<'_, '_> {
    /// Is a Cuban unit next to the hex where the move starts? (§8.6g)
    pub fn cubans_beside(&self, from: Hex) -> bool {
        let now = self.now();
        self.data().grid.neighbours(from).any(|(_, hex)| !now.combat_units(Force::Cuban, hex).is_empty())
    }

    /// The die for a jungle hex. `chance` is in how many of how many ways the column came through all the jungle so far.
    pub fn jungle_roll(
        &mut self,
        stack: &Stack,
        left: Hex,
        hex: Hex,
        beside_cubans: bool,
        chance: &mut (u64, u64),
    ) -> Ruling<Jungle> {
        let mut modifiers = Tally::new();
        // §8.6f: the balloon counts from the hex being left (R32).
        if self.state.balloon
            && let Some((_, balloon)) = self.now().signals()
            && self.data().grid.distance(balloon, left) <= 1
        {
            modifiers.add("balloon adjacent or stacked", self.data().tables.us_jungle.balloon, Clause("8.6f"));
        }
        if beside_cubans {
            modifiers.add("started next to Cubans", self.data().tables.us_jungle.cubans, Clause("8.6g"));
        }
        let (tables, total) = (&self.game.data.tables, modifiers.total());
        let on = Touch::counted_on(subjects(&stack.units));
        let (die, result) = self.throw(US, hex, "jungle", on, |face| match tables.jungle(face + total) {
            Jungle::On => (Jungle::On, 2, "on".to_owned()),
            Jungle::Halt => (Jungle::Halt, 1, "halt".to_owned()),
            Jungle::SpanishMoves => (Jungle::SpanishMoves, 0, "lost".to_owned()),
        })?;
        let through = die.chances().first().and_then(|best| {
            *chance = (chance.0 * u64::from(best.ways), chance.1 * u64::from(best.of));
            (chance.1 > u64::from(best.of)).then(|| format!("{} of {}", chance.0, chance.1))
        });
        let modified = i32::from(die.face()) + total;
        let units = stack.units.clone();
        self.umpire.note(Event::JungleRoll { units, hex, die, modifiers, modified, result, through });
        Ok(result)
    }

    /// The Spanish player completes the move of a lost stack (§8.6c, §IMP.6).
    pub fn lead_astray(&mut self, stack: &Stack, at: Hex, left: u32, column: bool) -> Ruling<()> {
        let now = self.now();
        let ways = now.astray(stack, at, left, column);
        let path = if ways.len() == 1 {
            Vec::new() // §8.6i
        } else {
            let position = Position { game: self.game, state: &*self.state };
            let question = Question {
                who: SPAIN,
                kind: LOST_STACK,
                about: Subject::of(at),
                clause: Clause("8.6c"),
                text: format!(
                    "a US stack is lost in {at} and has {} left: which hexes does it enter? None: it halts.",
                    count_of(left, "movement point")
                ),
                options: ways,
                default: Vec::new(),
                also: Some(Box::new(|path: &Vec<Hex>| position.astray_legal(stack, at, left, column, path))),
            };
            self.umpire.ask(question, None, |policy| match policy {
                Policy::LostToward(goal) => Say::Choose(position.toward(stack, at, left, column, goal.toward)),
                Policy::LostPaths(lost) => match lost.paths.get(&at) {
                    Some(wished) => {
                        // An illegal rest of a path is cut.
                        let legal = (0..=wished.len()).rev().find_map(|n| {
                            let part = wished.get(..n)?;
                            position.astray_legal(stack, at, left, column, part).then(|| part.to_vec())
                        });
                        Say::Choose(legal.unwrap_or_default())
                    }
                    None => Say::Default,
                },
                _ => Say::Choose(Vec::new()),
            })?
        };
        let now = self.now();
        let lay = now.lay(stack.force, now.fighters(stack));
        let mut paid: Vec<Paid> = Vec::new();
        for hex in &path {
            let before = paid.last().map_or(at, |paid| paid.hex);
            paid.extend(now.paid(&lay, before, *hex));
        }
        let mut led = stack.units.clone();
        if paid.is_empty() {
            self.umpire.note(Event::LedAstray { units: led, from: at, path: paid });
            return Ok(());
        }
        let (mut from, mut way, mut taken) = (at, Vec::new(), Vec::new());
        let mut steps = paid.into_iter();
        while let Some(paid) = steps.next() {
            let hex = paid.hex;
            way.push(paid);
            for id in &led {
                self.place(*id, hex, &mut taken);
            }
            let lone = self.now().lone_leaders();
            if !lone.is_empty() || steps.len() == 0 {
                let path = std::mem::take(&mut way);
                self.umpire.note(Event::LedAstray { units: led.clone(), from, path });
                self.note_all(std::mem::take(&mut taken));
                from = hex;
            }
            self.relocate_all(lone)?;
            led.retain(|id| self.state.hex_of(*id) == Some(hex)); // §6.2e, as on a march
            if led.is_empty() {
                break;
            }
        }
        Ok(())
    }
}
