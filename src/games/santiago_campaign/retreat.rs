//! §11.15, §11.16 and §14.4: retreats, displacement chains, and Cubans pushed aside.
//!
//! Where the choice hangs on face-down counters, one fact tells the list of legal hexes or chains and nothing more.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::document;
use crate::engine::{Clause, Question, Ruling, Say, Subject};

use super::US;
use super::combat::{Battle, Fighter};
use super::data::Along;
use super::events::{Cause, Event, RetreatRank, Shove};
use super::play::{Known, Play, Position, Trit};
use super::policy::{CUBAN_RETREAT, DISPLACE, Ever, Policy, RETREAT};
use super::terms::{Arm, Land, Nation, Piece, StackPlace, Token, UnitId};

/// No chain is longer: a player would give up the retreating units first, and so does the search.
const LONGEST_CHAIN: usize = 4;
/// Chains offered at most.
const CHAINS: usize = 48;

document! {
    /// A retreat into a full hex: where to, and who makes room.
    pub struct Chain {
        /// The hex retreated into.
        pub to: Hex,
        /// Who moves on, in order.
        pub moves: Vec<Shove>,
    }
}

/// Units that must retreat together.
#[derive(Clone, Debug)]
struct Party {
    nation: Nation,
    from: Hex,
    pieces: Vec<Piece>,
    arms: Vec<Arm>,
}

impl Position<'_> {
    /// May a unit of this nationality retreat into the hex at all, stacking and zones aside? (§11.15c)
    fn may_fall_back(&self, nation: Nation, from: Hex, to: Hex) -> bool {
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

    /// Is the hex in a zone of control that bars a retreat of this nationality?
    fn zone_against(&self, nation: Nation, hex: Hex) -> Trit {
        match nation {
            Nation::Cuban => Trit::No,
            Nation::Us => self.spanish_zone(hex),
            Nation::Spanish if self.us_zone(hex) => Trit::Yes,
            Nation::Spanish => Trit::No,
        }
    }

    /// Own units in a hex with what they are; a counter nobody can read counts as non-artillery.
    fn residents(&self, nation: Nation, hex: Hex) -> Vec<(Piece, Arm)> {
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
                && self.fits(*hex, &arms)
                && (negated || self.zone_against(party.nation, *hex) != Trit::Yes)
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
        (self.zone_against(nation, hex) == Trit::Yes, distance, hex)
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
                && self.fits(*hex, &party.arms)
        };
        let mut hexes: Vec<Hex> = data.around(party.from).filter(held).collect();
        hexes.sort_by_key(|hex| self.retreat_key(party.nation, *hex));
        hexes
    }

    /// The shortest displacement chains that make room (§11.16), the default first.
    fn chains(&self, party: &Party) -> Vec<Chain> {
        let mut targets: Vec<Hex> = (self.data().around(party.from))
            .filter(|hex| self.may_fall_back(party.nation, party.from, *hex))
            .filter(|hex| !self.residents(party.nation, *hex).is_empty())
            .collect();
        targets.sort_unstable();
        for longest in 1..=LONGEST_CHAIN {
            let mut found: Vec<(u32, Chain)> = Vec::new();
            for to in &targets {
                let mut search = Search { position: self, party, moved: BTreeMap::new(), found: Vec::new() };
                search.fill(*to, longest, Vec::new());
                found.extend(search.found.into_iter().map(|moves| {
                    let factors = moves.iter().map(|shove| self.piece_factor(shove.piece)).sum();
                    (factors, Chain { to: *to, moves })
                }));
            }
            if !found.is_empty() {
                let key = |(factors, chain): &(u32, Chain)| {
                    let to: Vec<Hex> = chain.moves.iter().map(|shove| shove.to).collect();
                    let who: Vec<Piece> = chain.moves.iter().map(|shove| shove.piece).collect();
                    (*factors, chain.to, to, who)
                };
                found.sort_by_key(key);
                found.dedup_by(|a, b| a.1 == b.1);
                found.truncate(CHAINS);
                return found.into_iter().map(|(_, chain)| chain).collect();
            }
        }
        Vec::new()
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

/// A search for displacement chains of one length.
struct Search<'s, 'p> {
    position: &'s Position<'p>,
    party: &'s Party,
    /// Where displaced units are now.
    moved: BTreeMap<Piece, Hex>,
    found: Vec<Vec<Shove>>,
}

impl Search<'_, '_> {
    /// Units in a hex as the chain has left it, the newcomers marked.
    fn present(&self, hex: Hex, to: Hex) -> Vec<(Piece, Arm, bool)> {
        let nation = self.party.nation;
        let mut units: Vec<(Piece, Arm, bool)> = (self.position.residents(nation, hex).into_iter())
            .filter(|(piece, _)| !self.moved.contains_key(piece))
            .map(|(piece, arm)| (piece, arm, false))
            .collect();
        for (piece, at) in self.moved.iter().filter(|(_, at)| **at == hex) {
            let _ = at;
            units.push((*piece, self.arm(*piece), true));
        }
        if hex == to {
            let party = self.party.pieces.iter().copied().zip(self.party.arms.iter().copied());
            units.extend(party.map(|(piece, arm)| (piece, arm, true)));
        }
        units
    }

    fn arm(&self, piece: Piece) -> Arm {
        let arm = match piece.token() {
            Some(token) => self.position.token_arm(token),
            None => self.position.arm(piece.unit()),
        };
        arm.unwrap_or(Arm::Infantry)
    }

    /// Makes room in `to` with exactly `left` more displacements.
    fn fill(&mut self, to: Hex, left: usize, moves: Vec<Shove>) {
        if self.found.len() >= 4 * CHAINS {
            return;
        }
        let hexes: BTreeSet<Hex> = std::iter::once(to).chain(self.moved.values().copied()).collect();
        let full = hexes.into_iter().find(|hex| {
            let arms: Vec<Arm> = self.present(*hex, to).into_iter().map(|(_, arm, _)| arm).collect();
            !self.position.fits(*hex, &arms)
        });
        let Some(hex) = full else {
            if left == 0 {
                self.found.push(moves);
            }
            return;
        };
        if left == 0 {
            return;
        }
        // §11.16h: artillery, the balloon and garrisons are never displaced.
        let fixed = |arm: Arm| matches!(arm, Arm::Artillery | Arm::Balloon | Arm::Garrison);
        let candidates: Vec<Piece> =
            self.present(hex, to).into_iter().filter(|(_, arm, new)| !new && !fixed(*arm)).map(|(p, _, _)| p).collect();
        let around: Vec<Hex> = self.position.data().around(hex).collect();
        for piece in candidates {
            for next in around.iter().copied().filter(|next| *next != self.party.from && *next != to) {
                if !self.may_take(piece, hex, next, to) {
                    continue;
                }
                self.moved.insert(piece, next);
                let mut on = moves.clone();
                on.push(Shove { piece, from: hex, to: next });
                self.fill(to, left - 1, on);
                self.moved.remove(&piece);
            }
        }
    }

    /// May a displaced unit go there? The rules of a retreat hold (§11.16c).
    fn may_take(&self, _piece: Piece, from: Hex, next: Hex, to: Hex) -> bool {
        let nation = self.party.nation;
        let negated = !self.present(next, to).is_empty();
        self.position.may_fall_back(nation, from, next)
            && (negated || self.position.zone_against(nation, next) != Trit::Yes)
    }
}

impl Play<'_, '_> {
    /// DR: the artillery is lost, the rest retreat together (§11.6c, §11.14j, §11.15d).
    pub fn drive_back(&mut self, battle: &Battle) -> Ruling<()> {
        let (line, guns): (Vec<Fighter>, Vec<Fighter>) = battle.defenders.iter().cloned().partition(Fighter::is_line);
        for fighter in &guns {
            self.eliminate(fighter, Cause::LeftBehind);
        }
        let Some(nation) = line.first().map(|fighter| fighter.nation) else { return Ok(()) };
        let party = Party {
            nation,
            from: battle.target,
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
        let chains = self.list_chains(&party)?;
        let cause = match self.choose_chain(&party, chains)? {
            Ok(chain) => {
                self.umpire.note(Event::Displaced { moves: chain.moves.clone() });
                for shove in chain.moves.iter().rev() {
                    self.put(shove.piece, shove.to);
                }
                for shove in chain.moves.iter().rev() {
                    self.entered(shove.piece, shove.to, "displacement")?;
                }
                return self.fall_back(&party, chain.to, RetreatRank::Displacing);
            }
            Err(cause) => cause,
        };
        for fighter in &line {
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
        self.fact(&tokens, party.from, "retreats", |units| {
            let known = Known(units.clone());
            Position { game, state: &state, known: &known }.free_retreats(party)
        })
    }

    fn list_chains(&mut self, party: &Party) -> Ruling<Vec<Chain>> {
        let range = u32::try_from(LONGEST_CHAIN + 2).unwrap_or(6);
        let tokens = self.hidden_near(party.from, range);
        let (game, state) = (self.game, self.state.clone());
        self.fact(&tokens, party.from, "chains", |units| {
            let known = Known(units.clone());
            let mut chains = Position { game, state: &state, known: &known }.chains(party);
            // The first is the default; the order of the others would tell which counters are the weaker ones.
            if let Some((_, others)) = chains.split_first_mut() {
                others.sort_by_cached_key(|chain| {
                    let moves: Vec<(Piece, Hex)> = chain.moves.iter().map(|shove| (shove.piece, shove.to)).collect();
                    (chain.to, moves)
                });
            }
            chains
        })
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
        self.umpire.ask(question, None, |policy| prefer(policy, &listed))
    }

    /// A chain, or why the retreating units are lost (§11.16d, §11.16e).
    fn choose_chain(&mut self, party: &Party, chains: Vec<Chain>) -> Ruling<Result<Chain, Cause>> {
        let Some(default) = chains.first().cloned() else { return Ok(Err(Cause::NoRetreat)) };
        let mut options: Vec<Displacement> = chains.into_iter().map(|chain| Displacement(Some(chain))).collect();
        options.push(Displacement(None));
        let question = Question {
            who: party.nation.side(),
            kind: DISPLACE,
            about: Subject::of(party.from),
            clause: Clause("11.16e"),
            text: format!(
                "the units in {} can retreat only if others make room: who does? `give-up` loses them.",
                party.from
            ),
            options,
            default: Displacement(Some(default)),
            also: None,
        };
        let chosen = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Displacement(None)),
            _ => Say::Default,
        })?;
        Ok(chosen.0.ok_or(Cause::GivenUp))
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
                self.umpire.ask(question, None, |policy| prefer(policy, &listed))?
            };
            self.umpire.note(Event::CubanDisplaced { unit: id, from: hex, to });
            self.put(Piece::from(id), to);
            self.entered(Piece::from(id), to, "displacement")?;
        }
        Ok(())
    }
}

/// The first preferred hex that is among the options.
fn prefer(policy: &Policy, options: &[Hex]) -> Say<Hex> {
    match policy {
        Policy::Hexes(wished) => match wished.iter().find(|hex| options.contains(hex)) {
            Some(hex) => Say::Choose(*hex),
            None => Say::Default,
        },
        _ => Say::Default,
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
