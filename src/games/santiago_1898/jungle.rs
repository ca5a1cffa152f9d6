//! Chapter 8.6: US troops in the jungle. The die for every jungle hex, and the stack the Spanish player leads astray.

use crate::board::{Grid, Hex, Step};
use crate::engine::{Clause, Question, Ruling, Say, Subject, Tally};

use super::events::{Event, Paid};
use super::movement::Stack;
use super::play::{Play, Position};
use super::policy::{LOST_STACK, Policy};
use super::tables::Jungle;
use super::terms::{Force, Terrain};
use super::{SPAIN, Switch};

impl Position<'_> {
    /// Ways a lost stack can be sent with what it has left: every hex in reach, and staying (§8.6c, §IMP.6).
    fn astray(&self, stack: &Stack, at: Hex, left: u32, column: bool) -> Vec<Vec<Hex>> {
        let mut ways = vec![Vec::new()];
        let lay = self.lay(stack.force, self.fighters(stack));
        let reach = self.reach_at(&lay, at, left, column);
        for hex in reach.cells().filter(|hex| *hex != at && self.fits(stack, *hex)) {
            if let Some(path) = reach.path(hex) {
                ways.push(path.into_iter().filter(|h| *h != at).collect());
            }
        }
        ways
    }

    /// Would the stack stay within the limit there? (§5.2a)
    fn fits(&self, stack: &Stack, hex: Hex) -> bool {
        let there = self.combat_units(stack.force, hex);
        let joining = stack.units.iter().filter(|id| self.is_combat(**id) && !there.contains(id)).count();
        u32::try_from(joining).is_ok_and(|joining| joining <= self.room(stack.force, hex))
    }

    /// Is a completion of a lost stack's move legal? (§IMP.6)
    fn astray_legal(&self, stack: &Stack, at: Hex, left: u32, column: bool, path: &[Hex]) -> bool {
        let lay = self.lay(stack.force, self.fighters(stack));
        let step = self.step(&lay, column);
        let mut before = at;
        let mut spent = 0;
        for hex in path {
            if self.data().grid.edge_between(before, *hex).is_none() {
                return false;
            }
            match step(before, *hex) {
                Step::Pay(cost) | Step::PayAndHalt(cost) => spent += cost.floor(),
                Step::Barred(_) => return false,
            }
            before = *hex;
        }
        spent <= left && (path.is_empty() || self.fits(stack, before))
    }
}

impl Play<'_, '_> {
    /// Is a Cuban unit next to the hex where the move starts? (§8.6g)
    pub fn cubans_beside(&self, from: Hex) -> bool {
        let now = self.now();
        self.data().grid.neighbours(from).any(|(_, hex)| !now.combat_units(Force::Cuban, hex).is_empty())
    }

    /// §8.6a: every jungle hex entered, along a road too unless the option says otherwise (R30).
    pub fn jungle_roll_due(&self, from: Hex, to: Hex) -> bool {
        let road = self.data().road_between(from, to);
        self.data().terrain(to) == Terrain::Jungle && !(road && self.game.switch(Switch::NoJungleRollOnRoad))
    }

    pub fn jungle_roll(&mut self, stack: &Stack, left: Hex, hex: Hex, beside_cubans: bool) -> Ruling<Jungle> {
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
        let die = self.d6(hex, "jungle")?;
        let modified = i32::from(die) + modifiers.total();
        let result = self.data().tables.jungle(modified);
        self.umpire.note(Event::JungleRoll { units: stack.units.clone(), hex, die, modifiers, modified, result });
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
            let listed = ways.clone();
            let question = Question {
                who: SPAIN,
                kind: LOST_STACK,
                about: Subject::of(at),
                clause: Clause("8.6c"),
                text: format!(
                    "a US stack is lost in {at} and has {left} movement points left: which hexes does it enter? None: it halts."
                ),
                options: ways,
                default: Vec::new(),
                also: Some(Box::new(|path: &Vec<Hex>| position.astray_legal(stack, at, left, column, path))),
            };
            let grid = &self.game.data.grid;
            self.umpire.ask(question, None, |policy| match policy {
                Policy::LostToward(goal) => {
                    // Fewest hexes, lowest numbers, no farther than it brings the stack nearer.
                    let key = |path: &Vec<Hex>| {
                        let end = path.last().copied().unwrap_or(at);
                        (grid.distance(end, goal.toward), path.len(), path.clone())
                    };
                    Say::Choose(listed.iter().min_by_key(|path| key(path)).cloned().unwrap_or_default())
                }
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
        let mut paid = Vec::new();
        let mut before = at;
        for hex in &path {
            if let Ok(cost) = now.step_cost(&lay, before, *hex) {
                paid.push(Paid { hex: *hex, cost: cost.points, why: cost.why });
            }
            before = *hex;
        }
        self.umpire.note(Event::LedAstray { units: stack.units.clone(), from: at, path: paid });
        let mut led = stack.units.clone();
        for hex in path {
            self.enter(&led, hex)?;
            led.retain(|id| self.state.hex_of(*id) == Some(hex)); // §6.2e, as on a march
        }
        Ok(())
    }
}
