//! Chapters 9 and 10: stacking while moving, movement costs, zones of control on the way, overruns.
//!
//! One function prices and bars a step as the public sees it; the check, the template and the random player use it
//! with the mover's own knowledge, and the resolution adds the hidden facts it leaves open.

use std::collections::BTreeMap;

use crate::board::{Field, Hex, Reach, Step, reach};

use super::data::Mp;
use super::play::{Position, Trit};
use super::state::Post;
use super::supply::{Lay, SupplyMaps};
use super::terms::{Arm, HoldingBox, Land, Nation, Piece, StackPlace, Token, UnitId};
use super::toll::Toll;

/// Why a step or an order is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The clause.
    pub clause: &'static str,
    /// In words.
    pub why: String,
}

impl Bar {
    /// A reason.
    pub fn new(clause: &'static str, why: impl Into<String>) -> Bar {
        Bar { clause, why: why.into() }
    }
}

/// A unit about to move.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Which.
    pub piece: Piece,
    /// Its nationality.
    pub nation: Nation,
    /// What it is; unknown for a face-down counter of somebody else.
    pub arm: Option<Arm>,
    /// Jungle costs it one point (§10.9a, §17.3b).
    pub light: bool,
    /// Points it has.
    pub purse: Mp,
    /// Out of supply when it starts: only towards supply (§12.10c).
    pub lost: bool,
    /// Coming ashore: supply is checked, nothing else differs (§6.2l).
    pub landing: bool,
}

/// One step as the public sees it.
#[derive(Clone, Debug)]
pub struct Stride {
    /// What it costs.
    pub cost: Mp,
    /// Why.
    pub why: Toll,
    /// Spanish counters that must turn out to be a lone battery, or American guns that are overrun.
    pub overrun: bool,
    /// Is the hex in an enemy zone of control?
    pub zone: Trit,
    /// Would an American unit be in supply there?
    pub supply: Trit,
}

impl Position<'_> {
    /// The mover for a piece that stands on the map.
    pub fn mover(&self, piece: Piece, maps: &SupplyMaps) -> Option<Mover> {
        let data = self.data();
        if let Some(token) = piece.token() {
            let arm = self.token_arm(token);
            let fixed = arm == Some(Arm::Garrison); // §2.12c
            let purse = if fixed { Mp::ZERO } else { data.movement_factor(Nation::Spanish) };
            let nation = Nation::Spanish;
            return Some(Mover { piece, nation, arm, light: false, purse, lost: false, landing: false });
        }
        let id = piece.unit();
        let (nation, arm) = (self.nation(id)?, self.arm(id));
        let hex = self.state.hex_of(id)?;
        let full = data.movement_factor(nation);
        if nation == Nation::Cuban {
            return Some(Mover { piece, nation, arm, light: true, purse: full, lost: false, landing: false });
        }
        let lost = maps.at(self, hex) == Trit::No;
        let purse = if lost { full.half().unwrap_or(full) } else { full }; // §12.9d
        Some(Mover { piece, nation, arm, light: self.guided(hex), purse, lost, landing: false })
    }

    /// Does the balloon guide units that start here through the jungle? (§17.3b)
    pub fn guided(&self, hex: Hex) -> bool {
        let Some((_, at)) = self.balloon().filter(|_| self.state.balloon_up) else { return false };
        at == hex || (self.data().adjacent(at, hex) && self.data().land(hex) == Land::Jungle)
    }

    /// One step, as far as the viewer can tell.
    pub fn stride(&self, mover: &Mover, from: Hex, to: Hex, maps: &SupplyMaps) -> Result<Stride, Bar> {
        match (self.price(mover, from, to)?, mover.nation) {
            (price, Nation::Spanish) => self.spanish_stride(mover, to, price, None),
            (price, _) => self.us_stride(mover, to, price, maps, None),
        }
    }

    fn us_stride(
        &self,
        mover: &Mover,
        to: Hex,
        (cost, why): (Mp, Toll),
        maps: &SupplyMaps,
        lay: Option<&Lay>,
    ) -> Result<Stride, Bar> {
        let data = self.data();
        let cuban = mover.nation == Nation::Cuban;
        if self.is_closed(to) {
            let clause = if to == data.guantanamo { "23.1f" } else { "23.2c" };
            return Err(Bar::new(
                clause,
                format!("{to} is closed until all Spanish reinforcements have entered there"),
            ));
        }
        let empty = lay.is_some_and(|lay| lay.taken.get(data.grid(), to) == Some(&false));
        let tokens: Vec<Token> = if empty { Vec::new() } else { self.state.tokens_in(to).collect() };
        if cuban && data.is_city(to) {
            return Err(Bar::new("14.3a", format!("Cuban units never enter Santiago ({to})")));
        }
        if cuban && data.is_fortress(to) && !self.us_holds_or_passed(to) {
            return Err(Bar::new("22.5", format!("Cuban units enter the fortress {to} only after US units took it")));
        }
        let overrun = !tokens.is_empty();
        if overrun {
            if self.exerts_of(to, &tokens) == Trit::Yes {
                return Err(Bar::new("10.7b", format!("{to} is held by Spanish units")));
            }
            if mover.arm.is_some_and(Arm::is_gun_or_balloon) {
                let clause = if mover.arm == Some(Arm::Artillery) { "10.8f" } else { "10.8k" };
                return Err(Bar::new(clause, format!("{} cannot overrun the counter in {to}", mover.piece)));
            }
        }
        // §9.1b: the stacking limits hold while passing through; US and Cuban units may pass each other (§9.4b).
        if empty {
            // Nobody is there to be in the way.
        } else if cuban {
            if self.cubans_in(to).into_iter().any(|id| Piece::from(id) != mover.piece) {
                return Err(Bar::new("9.4a", format!("another Cuban unit is in {to}")));
            }
        } else if let Some(arm) = mover.arm {
            let (line, gun) = self.us_room(to, &[mover.piece.unit()]);
            let full = match arm.place() {
                StackPlace::Line => line == 0,
                StackPlace::Gun => gun == 0,
                StackPlace::Free => false,
            };
            if full {
                let clause = match (data.land(to), arm) {
                    (Land::Jungle, _) => "9.2b",
                    (_, Arm::Gatling) => "9.3a",
                    (_, Arm::Artillery) => "9.2e",
                    _ => "9.2a",
                };
                return Err(Bar::new(clause, format!("{to} has no room for {}", mover.piece)));
            }
        }
        let zone = match lay {
            _ if cuban => Trit::No,
            Some(lay) => lay.zones.get(data.grid(), to).copied().unwrap_or(Trit::No),
            None => self.spanish_zone(to),
        };
        let supply = if cuban { Trit::Yes } else { maps.at(self, to) };
        Ok(Stride { cost, why, overrun, zone, supply })
    }

    pub(super) fn spanish_stride(
        &self,
        mover: &Mover,
        to: Hex,
        (cost, why): (Mp, Toll),
        lay: Option<&Lay>,
    ) -> Result<Stride, Bar> {
        if let Some(lay) = lay.filter(|lay| lay.taken.get(self.data().grid(), to) == Some(&false)) {
            let zone = lay.zones.get(self.data().grid(), to).copied().unwrap_or(Trit::No);
            return Ok(Stride { cost, why, overrun: false, zone, supply: Trit::Yes });
        }
        let enemies: Vec<UnitId> = self.state.units_in(to).collect();
        let overrun = !enemies.is_empty();
        if overrun {
            let fighting = |id: &UnitId| !self.arm(*id).is_some_and(Arm::is_gun_or_balloon);
            if let Some(id) = enemies.iter().find(|id| fighting(id)) {
                let clause = if self.arm(*id) == Some(Arm::Gatling) { "10.8g" } else { "10.7b" };
                return Err(Bar::new(clause, format!("{to} is held by {id}")));
            }
            if mover.arm == Some(Arm::Artillery) {
                return Err(Bar::new("10.8f", format!("artillery cannot overrun what is in {to}")));
            }
        }
        let mut tokens: Vec<Token> =
            self.state.tokens_in(to).filter(|token| Piece::from(*token) != mover.piece).collect();
        tokens.extend(mover.piece.token());
        if self.spanish_overstacked(to, &tokens) {
            let clause = if self.data().land(to) == Land::Jungle { "9.2b" } else { "9.2a" };
            return Err(Bar::new(clause, format!("{to} has no room for {}", mover.piece)));
        }
        let zone = if self.us_zone(to) { Trit::Yes } else { Trit::No };
        Ok(Stride { cost, why, overrun, zone, supply: Trit::Yes })
    }

    /// Is the hex in a zone of control of the mover's enemies?
    pub fn enemy_zone(&self, mover: &Mover, hex: Hex) -> Trit {
        match mover.nation {
            Nation::Cuban => Trit::No, // §7.2b
            Nation::Us => self.spanish_zone(hex),
            Nation::Spanish if self.us_zone(hex) => Trit::Yes,
            Nation::Spanish => Trit::No,
        }
    }

    /// Everything a mover may reach as far as the viewer can tell; where he cannot tell, the mover's luck is assumed.
    pub fn reach(&self, mover: &Mover, from: Hex, maps: &SupplyMaps) -> Reach<crate::board::HexGrid, 2> {
        let pinned = self.enemy_zone(mover, from) == Trit::Yes;
        let home = self.way_home(mover, maps);
        let grid = self.data().grid();
        let lay = self.lay(mover.nation);
        let mut beyond: BTreeMap<Hex, bool> = BTreeMap::new();
        reach(grid, from, mover.purse, |a, edge, b| {
            // Water and swamp bar every step; nobody reads why, so it is not put into words.
            if !self.data().is_open(b) {
                return Step::Barred(());
            }
            let along = self.data().map.leaving(a, edge);
            let Ok(price) = self.price_across(along, mover, a, b) else { return Step::Barred(()) };
            let stride = match mover.nation {
                Nation::Spanish => self.spanish_stride(mover, b, price, Some(&lay)),
                Nation::Us | Nation::Cuban => self.us_stride(mover, b, price, maps, Some(&lay)),
            };
            let Ok(stride) = stride else { return Step::Barred(()) };
            if !self.brings_home(home.as_ref(), a, b) {
                return Step::Barred(());
            }
            let unsupplied = mover.nation == Nation::Us && !mover.lost && stride.supply == Trit::No;
            if unsupplied && *beyond.entry(b).or_insert_with(|| self.barred_by_supply(mover, &stride, b, maps)) {
                return Step::Barred(());
            }
            if stride.zone == Trit::Yes {
                // §7.1d: who starts in an enemy zone may not go straight into another.
                if pinned && a == from { Step::Barred(()) } else { Step::PayAndHalt(stride.cost) }
            } else {
                Step::Pay(stride.cost)
            }
        })
    }

    /// §12.10a: no American unit moves into lack of supply; what it overruns there does not count.
    pub fn barred_by_supply(&self, mover: &Mover, stride: &Stride, to: Hex, maps: &SupplyMaps) -> bool {
        if mover.nation != Nation::Us || mover.lost || stride.supply != Trit::No {
            return false;
        }
        !stride.overrun || !self.may_be_supplied_vacated(maps, to)
    }

    /// How far everything is from supply, for a mover who is out of it (§12.10c).
    pub fn way_home(&self, mover: &Mover, maps: &SupplyMaps) -> Option<WayHome> {
        mover.lost.then(|| {
            let least = self.steps_to_supply(&maps.maybe);
            let most = if maps.maybe == maps.surely { least.clone() } else { self.steps_to_supply(&maps.surely) };
            WayHome { least, most }
        })
    }

    /// §12.10c: who is out of supply only moves towards it, one hex closer with each step. Where face-down counters
    /// decide how far it is, nothing is barred that some of them would allow.
    pub fn brings_home(&self, home: Option<&WayHome>, from: Hex, to: Hex) -> bool {
        let Some(home) = home else { return true };
        let grid = self.data().grid();
        // Cut off from every path, whatever the counters are: nothing leads home.
        let (Some(here), Some(there)) = (home.least.get(grid, from), home.least.get(grid, to)) else { return false };
        let most = |hex: Hex| home.most.get(grid, hex).unwrap_or(u32::MAX);
        here.max(there + 1) <= most(from).min(most(to).saturating_add(1))
    }

    /// May the mover end a phase in this hex? US and Cuban units do not share one (§9.4c).
    pub fn may_stay(&self, mover: &Mover, hex: Hex) -> bool {
        match mover.nation {
            Nation::Us => self.cubans_in(hex).is_empty(),
            Nation::Cuban => self.americans_in(hex).is_empty(),
            Nation::Spanish => true,
        }
    }

    /// The hex through which a counter in a box enters, if it may enter now (§23.1, §23.2).
    pub fn entry(&self, token: Token) -> Result<Hex, Bar> {
        let clock = &self.data().tables.clock;
        match self.state.counters.get(&token).map(|counter| counter.at) {
            Some(Post::In(HoldingBox::Guantanamo)) if self.state.turn < clock.guantanamo_turn => {
                Err(Bar::new("23.1j", format!("Guantanamo units come from turn {} on", clock.guantanamo_turn)))
            }
            Some(Post::In(HoldingBox::Guantanamo)) => Ok(self.data().guantanamo),
            Some(Post::In(HoldingBox::Manzanillo)) if self.state.turn < clock.manzanillo_turn => {
                Err(Bar::new("23.2a", format!("Manzanillo units come from turn {} on", clock.manzanillo_turn)))
            }
            Some(Post::In(HoldingBox::Manzanillo)) => Ok(self.data().manzanillo),
            _ => Err(Bar::new("23.1e", format!("{token} is in no holding box"))),
        }
    }
}

/// Steps to the nearest hex in supply, as far as somebody can tell.
pub struct WayHome {
    /// If every doubtful counter is a lone battery.
    pub least: Field,
    /// If none of them is.
    pub most: Field,
}
