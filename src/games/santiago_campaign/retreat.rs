//! §11.15, §11.16 and §14.4: retreats, displacement chains, and Cubans pushed aside.
//!
//! Where the choice hangs on face-down counters, one fact tells the list of legal hexes or chains and nothing more.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::{Clause, Ever, Question, Ruling, Say, Subject};

use super::US;
use super::combat::{Battle, Fighter};
use super::data::Along;
use super::displace::{Chain, Offers};
use super::events::{Cause, Event, RetreatRank};
use super::play::{Known, Play, Position, Trit};
use super::policy::{CUBAN_RETREAT, DISPLACE, Policy, RETREAT};
use super::stacking::Room;
use super::terms::{Arm, Land, Nation, Piece, StackPlace, Token, UnitId};

/// Units that must retreat together.
#[derive(Clone, Debug)]
pub struct Party {
    /// Their nationality.
    pub nation: Nation,
    /// The hex they leave.
    pub from: Hex,
    /// Who.
    pub pieces: Vec<Piece>,
    /// What they are, in the same order.
    pub arms: Vec<Arm>,
}

impl Position<'_> {
    /// May a unit of this nationality retreat into the hex at all, stacking and zones aside? (§11.15c)
    pub fn may_fall_back(&self, nation: Nation, from: Hex, to: Hex) -> bool {
        let data = self.data();
        if !data.is_open(to) || data.between(from, to).has(Along::Water) {
            return false;
        }
        match nation {
            Nation::Spanish => self.state.units_in(to).next().is_none(),
            Nation::Us => {
                self.state.tokens_in(to).next().is_none() && self.cubans_in(to).is_empty() && !self.is_closed(to)
            }
            Nation::Cuban => {
                let fortress = data.is_fortress(to) && !self.us_holds_or_passed(to);
                self.state.tokens_in(to).next().is_none()
                    && self.state.units_in(to).next().is_none()
                    && !self.is_closed(to)
                    && !data.is_city(to)
                    && !fortress
            }
        }
    }

    /// Own units in a hex with what they are; a counter nobody can read counts as non-artillery.
    pub fn residents(&self, nation: Nation, hex: Hex) -> Vec<(Piece, Arm)> {
        match nation {
            Nation::Spanish => {
                let arm = |token: Token| self.token_arm(token).unwrap_or(Arm::Infantry);
                self.state.tokens_in(hex).map(|token| (Piece::from(token), arm(token))).collect()
            }
            _ => {
                let own = |id: &UnitId| self.nation(*id) == Some(nation);
                let arm = |id: UnitId| self.arm(id).unwrap_or(Arm::Infantry);
                self.state.units_in(hex).filter(own).map(|id| (Piece::from(id), arm(id))).collect()
            }
        }
    }

    /// Hexes a party may retreat into within the stacking limits (§11.15b): enemy zones are negated by friends (§7.5a).
    fn free_retreats(&self, party: &Party) -> Vec<Hex> {
        let free = |hex: &Hex| {
            let there = self.residents(party.nation, *hex);
            let arms: Vec<Arm> = there.iter().map(|(_, arm)| *arm).chain(party.arms.iter().copied()).collect();
            let negated = !there.is_empty();
            self.may_fall_back(party.nation, party.from, *hex)
                && Room::of(self.data().land(*hex)).holds(&arms)
                && (negated || self.enemy_zone(party.nation, *hex) != Trit::Yes)
        };
        let mut hexes: Vec<Hex> = self.data().around(party.from).filter(free).collect();
        hexes.sort_by_key(|hex| self.retreat_key(party.nation, *hex));
        hexes
    }

    /// The order of preference where nobody says anything.
    fn retreat_key(&self, nation: Nation, hex: Hex) -> (bool, u32, Hex) {
        let data = self.data();
        let nearest = |hexes: &mut dyn Iterator<Item = Hex>| {
            hexes.map(|other| data.grid().distance(hex, other)).min().unwrap_or(u32::MAX)
        };
        let distance = match nation {
            Nation::Spanish => nearest(&mut data.city.iter().copied()),
            Nation::Us => nearest(&mut self.state.sources.keys().copied()),
            Nation::Cuban => nearest(&mut data.grid().cells().filter(|hex| data.land(*hex) == Land::Jungle)),
        };
        (self.enemy_zone(nation, hex) == Trit::Yes, distance, hex)
    }

    /// Does a list of free retreats hang on counters nobody can read?
    fn retreat_is_hidden(&self, party: &Party) -> bool {
        let line = party.arms.iter().filter(|arm| arm.place() == StackPlace::Line).count();
        self.data().around(party.from).filter(|hex| self.may_fall_back(party.nation, party.from, *hex)).any(|hex| {
            match party.nation {
                Nation::Cuban => false,
                Nation::Us => self.spanish_zone(hex) == Trit::Maybe && self.residents(Nation::Us, hex).is_empty(),
                Nation::Spanish => {
                    let there: Vec<Token> = self.state.tokens_in(hex).collect();
                    let hidden = there.iter().any(|token| self.token_arm(*token).is_none());
                    // One counter and two to come, or two and one: it depends on whether one is a battery.
                    hidden && self.data().land(hex) != Land::Jungle && there.len() + line == 3
                }
            }
        })
    }

    /// Hexes held by a Cuban unit alone, for Spaniards with no other way (§14.4a, §14.4b).
    fn over_cubans(&self, party: &Party) -> Vec<Hex> {
        if party.nation != Nation::Spanish {
            return Vec::new();
        }
        let data = self.data();
        let held = |hex: &Hex| {
            data.is_open(*hex)
                && !data.between(party.from, *hex).has(Along::Water)
                && !self.cubans_in(*hex).is_empty()
                && self.americans_in(*hex).is_empty()
                && !self.us_zone(*hex)
                && Room::of(data.land(*hex)).holds(&party.arms)
        };
        let mut hexes: Vec<Hex> = data.around(party.from).filter(held).collect();
        hexes.sort_by_key(|hex| self.retreat_key(party.nation, *hex));
        hexes
    }

    /// The factor of a piece, as far as it can be read.
    pub fn piece_factor(&self, piece: Piece) -> u32 {
        match piece.token() {
            Some(token) => self.identity(token).map_or(0, |unit| self.factor(unit)),
            None => self.factor(piece.unit()),
        }
    }

    /// Where a Cuban unit pushed out of a hex may go (§14.4c, §14.4e), best first.
    fn cuban_refuges(&self, hex: Hex, spaniards_from: Hex) -> Vec<Hex> {
        let data = self.data();
        let grid = data.grid();
        let mut hexes: Vec<Hex> = (data.around(hex))
            .filter(|next| *next != spaniards_from && self.may_fall_back(Nation::Cuban, hex, *next))
            .collect();
        let stacks: Vec<Hex> = self.stacks().into_keys().collect();
        hexes.sort_by_key(|next| {
            let near = stacks.iter().map(|stack| grid.distance(*next, *stack)).min().unwrap_or(u32::MAX);
            (data.land(*next) != Land::Jungle, std::cmp::Reverse(near), *next)
        });
        hexes
    }
}

impl Play<'_, '_> {
    /// DR: the artillery is lost, the rest retreat together (§11.6c, §11.14j, §11.15d). US and Cuban units found in one
    /// hex part on the way, since no retreat may end with them together (§14.1c).
    pub fn drive_back(&mut self, battle: &Battle) -> Ruling<()> {
        let (line, guns): (Vec<Fighter>, Vec<Fighter>) = battle.defenders.iter().cloned().partition(Fighter::is_line);
        for fighter in &guns {
            self.eliminate(fighter, Cause::LeftBehind);
        }
        for nation in [Nation::Us, Nation::Cuban, Nation::Spanish] {
            let together: Vec<&Fighter> = line.iter().filter(|fighter| fighter.nation == nation).collect();
            if !together.is_empty() {
                self.retreat(nation, battle.target, &together)?;
            }
        }
        Ok(())
    }

    /// The units of one nationality retreat.
    fn retreat(&mut self, nation: Nation, from: Hex, line: &[&Fighter]) -> Ruling<()> {
        let party = Party {
            nation,
            from,
            pieces: line.iter().map(|fighter| fighter.piece).collect(),
            arms: line.iter().map(|fighter| fighter.arm).collect(),
        };
        let free = self.list_free(&party)?;
        if !free.is_empty() {
            let to = self.choose_retreat(&party, free)?;
            return self.fall_back(&party, to, RetreatRank::Free);
        }
        let over = self.now().over_cubans(&party);
        if !over.is_empty() {
            let to = self.choose_retreat(&party, over)?;
            self.push_cubans(&party, to)?;
            return self.fall_back(&party, to, RetreatRank::OverCubans);
        }
        let cause = match self.choose_chain(&party)? {
            Ok(chain) => {
                self.umpire.note(Event::Displaced { moves: chain.moves.clone() });
                for shove in chain.moves.iter().rev() {
                    self.unsettle(&[shove.piece], &[shove.from, shove.to], "combat");
                    self.put(shove.piece, shove.to);
                }
                for shove in chain.moves.iter().rev() {
                    self.entered(shove.piece, shove.to, "displacement")?;
                }
                return self.fall_back(&party, chain.to, RetreatRank::Displacing);
            }
            Err(cause) => cause,
        };
        for fighter in line {
            self.eliminate(fighter, cause);
        }
        Ok(())
    }

    /// Spanish counters whose nature could matter near a hex.
    fn hidden_near(&self, hex: Hex, range: u32) -> Vec<Token> {
        let now = self.now();
        let grid = now.data().grid();
        let near = now.stacks().into_iter().filter(|(at, _)| grid.distance(hex, *at) <= range);
        near.flat_map(|(_, tokens)| tokens).filter(|token| now.token_arm(*token).is_none()).collect()
    }

    fn list_free(&mut self, party: &Party) -> Ruling<Vec<Hex>> {
        if !self.now().retreat_is_hidden(party) {
            return Ok(self.now().free_retreats(party));
        }
        let tokens = self.hidden_near(party.from, 2);
        let (game, state) = (self.game, self.state.clone());
        let hope = self.now().free_retreats(party);
        let retreats = |units: &BTreeMap<Token, UnitId>| {
            let known = Known(units.clone());
            Position { game, state: &state, known: &known }.free_retreats(party)
        };
        self.fact(&tokens, party.from, "retreats", retreats, hope)
    }

    fn list_chains(&mut self, party: &Party, begun: Option<&Chain>) -> Ruling<Offers> {
        let tokens = self.hidden_near(party.from, u32::MAX);
        let (game, state) = (self.game, self.state.clone());
        let list = |known: Known| {
            let mut offers = Position { game, state: &state, known: &known }.chains(party, begun);
            // The first is the default; the order of the others would tell which counters are the weaker ones.
            if let Some((_, others)) = offers.chains.split_first_mut() {
                others.sort_by_cached_key(|chain| {
                    let moves: Vec<(Piece, Hex)> = chain.moves.iter().map(|shove| (shove.piece, shove.to)).collect();
                    (chain.to, moves)
                });
            }
            offers
        };
        let hope = if self.umpire.foresees() || self.umpire.counts_chances() {
            list(self.known.clone())
        } else {
            Offers::none()
        };
        self.fact(&tokens, party.from, "chains", |units| list(Known(units.clone())), hope)
    }

    fn choose_retreat(&mut self, party: &Party, options: Vec<Hex>) -> Ruling<Hex> {
        let Some(default) = options.first().copied() else { return Ok(party.from) };
        if options.len() == 1 {
            return Ok(default);
        }
        let listed = options.clone();
        let question = Question {
            who: party.nation.side(),
            kind: RETREAT,
            about: Subject::of(party.from),
            clause: Clause("11.15f"),
            text: format!("the units in {} must retreat: where to?", party.from),
            options,
            default,
            also: None,
        };
        self.umpire.ask(question, None, |policy| policy.prefer(&listed))
    }

    /// A chain, or why the retreating units are lost (§11.16d, §11.16e).
    fn choose_chain(&mut self, party: &Party) -> Ruling<Result<Chain, Cause>> {
        let mut begun: Option<Chain> = None;
        loop {
            let offers = self.list_chains(party, begun.as_ref())?;
            let Some(default) = offers.chains.first().cloned() else { return Ok(Err(Cause::NoRetreat)) };
            let mut options: Vec<Displacement> =
                offers.chains.into_iter().map(|chain| Displacement(Some(chain))).collect();
            options.push(Displacement(None));
            let question = Question {
                who: party.nation.side(),
                kind: DISPLACE,
                about: Subject::of(party.from),
                clause: Clause("11.16e"),
                text: format!(
                    "the units in {} can retreat only if others make room: {}? `give-up` loses them.",
                    party.from,
                    if offers.whole { "who does" } else { "who is the next to go" },
                ),
                options,
                default: Displacement(Some(default)),
                also: None,
            };
            let chosen = self.umpire.ask(question, None, |policy| match policy {
                Policy::Ever(Ever::Never) => Say::Choose(Displacement(None)),
                _ => Say::Default,
            })?;
            match chosen.0 {
                None => return Ok(Err(Cause::GivenUp)),
                Some(chain) if offers.whole => return Ok(Ok(chain)),
                Some(chain) => begun = Some(chain),
            }
        }
    }

    fn fall_back(&mut self, party: &Party, to: Hex, rank: RetreatRank) -> Ruling<()> {
        self.umpire.note(Event::Retreated { pieces: party.pieces.clone(), from: party.from, to, rank });
        for piece in &party.pieces {
            self.put(*piece, to);
        }
        for piece in &party.pieces {
            self.entered(*piece, to, "retreat")?;
        }
        Ok(())
    }

    /// Cubans in the way go elsewhere, or are lost (§14.4c, §14.4d).
    fn push_cubans(&mut self, party: &Party, hex: Hex) -> Ruling<()> {
        for id in self.now().cubans_in(hex) {
            let options = self.now().cuban_refuges(hex, party.from);
            let Some(default) = options.first().copied() else {
                self.lose_unit(id, Cause::PushedAway);
                continue;
            };
            let to = if options.len() == 1 {
                default
            } else {
                let listed = options.clone();
                let question = Question {
                    who: US,
                    kind: CUBAN_RETREAT,
                    about: Subject::of(id),
                    clause: Clause("14.4c"),
                    text: format!("retreating Spaniards push {id} out of {hex}: where does it go?"),
                    options,
                    default,
                    also: None,
                };
                self.umpire.ask(question, None, |policy| policy.prefer(&listed))?
            };
            self.umpire.note(Event::CubanDisplaced { unit: id, from: hex, to });
            // Whatever else he was ordered to do hangs on the die that drove the Spaniards back.
            self.unsettle(&[Piece::from(id)], &[hex, to], "combat");
            self.put(Piece::from(id), to);
            self.entered(Piece::from(id), to, "displacement")?;
        }
        Ok(())
    }
}

/// A chain, or giving up the retreating units.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Displacement(Option<Chain>);

impl serde::Serialize for Displacement {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(chain) => chain.serialize(serializer),
            None => serializer.serialize_str("give-up"),
        }
    }
}

impl crate::engine::doc::FromDoc for Displacement {
    fn read(
        node: &crate::engine::doc::Node,
        at: &crate::engine::doc::DocPath,
        reader: &mut crate::engine::doc::Reader<'_>,
    ) -> Option<Self> {
        if node.as_text() == Some("give-up") {
            return Some(Displacement(None));
        }
        Chain::read(node, at, reader).map(|chain| Displacement(Some(chain)))
    }
}
