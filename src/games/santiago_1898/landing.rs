//! Chapters 8.2, 8.3 and 10.3: landings, the Logistical Base and the Escario column.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Ruling, Subject, count_of};

use super::events::{Event, PhaseName};
use super::orders::{Landing, TurnOrders};
use super::play::{Judged, Play, Position, Used, item};
use super::state::{Ending, Place};
use super::terms::{Flag, Force, UnitId};
use super::{SPAIN, US};

/// Who comes ashore in one landing.
#[derive(Clone, Debug, Default)]
pub struct Ashore {
    pub units: Vec<UnitId>,
    pub steps: u32,
    /// The unit that finds no steps left: with it the landings end.
    surplus: Option<UnitId>,
}

impl Position<'_> {
    /// US counters that could land now, with the steps each takes (§8.2g, §8.2h).
    pub fn pool(&self) -> Vec<(UnitId, u32)> {
        let waiting = |(id, unit): (&UnitId, &super::state::UnitState)| {
            (unit.at == Place::OffMap && self.force(*id) == Some(Force::Us)).then_some((*id, u32::from(unit.steps)))
        };
        self.state.units.iter().filter_map(waiting).collect()
    }

    /// Why nothing US can land in the hex, and what would be open (§8.2c, §8.2d, §8.2i).
    pub fn beach_bars(&self, hex: Hex) -> Vec<Bar> {
        let remedy = || self.open_beaches(|hex| self.beach_closed(hex).is_empty());
        let bars = self.beach_closed(hex).into_iter();
        bars.map(|bar| Bar { remedy: remedy(), ..bar }).collect()
    }

    /// Why this unit cannot land there now, and where it could: the beach, and the waves of the historical set-up (§HSU).
    pub fn landing_bars(&self, id: UnitId, hex: Hex) -> Vec<Bar> {
        let closed = |hex| self.beach_closed(hex).into_iter().chain(self.wave_closed(id, hex));
        let remedy = || self.open_beaches(|hex| closed(hex).next().is_none());
        closed(hex).map(|bar| Bar { remedy: remedy(), ..bar }.about([Subject::of(id)])).collect()
    }

    fn open_beaches(&self, is_open: impl Fn(Hex) -> bool) -> String {
        let open: Vec<String> = self.data().beaches.iter().filter(|hex| is_open(**hex)).map(Hex::to_string).collect();
        match open.as_slice() {
            [] => "wait: no beach is open to it now".to_owned(),
            [only] => format!("land at {only}, or wait"),
            _ => format!("land at one of {}, or wait", open.join(", ")),
        }
    }

    fn beach_closed(&self, hex: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        if !self.data().is_beach(hex) {
            let beaches: Vec<String> = self.data().beaches.iter().map(Hex::to_string).collect();
            return vec![
                Bar::new("8.2c", format!("{hex} is no beach; the beaches are {}", beaches.join(", ")), "").firm(),
            ];
        }
        if self.enemy_in(US, hex) {
            bars.push(Bar::new("8.2d", format!("Spanish units stand in {hex}"), ""));
        }
        if !self.combat_units(Force::Cuban, hex).is_empty() {
            bars.push(Bar::new("8.2i", format!("Cuban units stand in {hex}"), ""));
        }
        bars
    }

    /// The waves of the historical set-up (§HSU.a, §HSU.d, §HSU.e, §IMP.21).
    fn wave_closed(&self, id: UnitId, hex: Hex) -> Option<Bar> {
        let entry = self.game.landing_entry(id, self.state.turn)?;
        if self.state.turn < entry.from {
            return Some(Bar::new("HSU.d", format!("{id} lands from turn {} on", entry.from), ""));
        }
        let ports = entry.at.as_ref()?;
        if ports.contains(&hex) || (entry.if_controlled.contains(&hex) && self.state.us_controls(hex)) {
            return None;
        }
        let names = |hexes: &[Hex]| hexes.iter().map(|hex| self.data().describe(*hex)).collect::<Vec<_>>().join(", ");
        let (clause, also) = if entry.if_controlled.is_empty() {
            ("HSU.a", String::new())
        } else {
            ("HSU.e", format!(", or at {} while in US hands", names(&entry.if_controlled)))
        };
        Some(Bar::new(clause, format!("{id} lands at {}{also}", names(ports)), ""))
    }

    /// Why the Logistical Base cannot be landed there (§10.3).
    pub fn base_bars(&self, hex: Hex) -> Vec<Bar> {
        let ashore = || Bar::new("10.3c", "the base is ashore and never moves again", "leave `base` out").firm();
        if self.state.base.is_some() { vec![ashore()] } else { self.beach_bars(hex) }
    }

    /// Who of a landing comes ashore (§8.2).
    pub fn judge_landing(&self, used: &Used, order: &Landing) -> Judged<Ashore> {
        let limit = self.data().tables.limits.landing_steps;
        let mut ashore = Ashore { surplus: used.surplus, ..Ashore::default() };
        let mut bars = Vec::new();
        if order.units.is_empty() {
            bars.push(Bar::new("8.2b", "no unit is named", "name the units that land").part("units").firm());
        }
        for (place, id) in order.units.iter().enumerate() {
            let unit = self.state.unit(*id);
            let steps = u32::from(unit.steps);
            let left = limit.saturating_sub(used.landed + ashore.steps);
            let bar = |clause, why: String, remedy: &str| {
                Bar::new(clause, why, remedy).at(item("units", place)).about([Subject::of(id)])
            };
            let closed = self.landing_bars(*id, order.at);
            if unit.landed || ashore.units.contains(id) {
                bars.push(bar("8.2b", format!("{id} is named twice"), "name each unit once").firm());
            } else if unit.at != Place::OffMap || self.force(*id) != Some(Force::Us) {
                let remedy = "name units of the pool (`garcia status`)";
                bars.push(bar("8.2b", format!("{id} is not in the pool"), remedy).firm());
            } else if !closed.is_empty() {
                bars.extend(closed.into_iter().map(|bar| bar.part("at")));
            } else if let Some(surplus) = ashore.surplus {
                let why = format!("{id} comes after {surplus}, with which the landings end");
                bars.push(bar("8.2g", why, "mend that one first").about([Subject::of(surplus)]));
            } else if steps > left {
                ashore.surplus = Some(*id);
                let why = format!("{id} needs {} and {left} of the {limit} are left", count_of(steps, "step"));
                let remedy = format!("land at most {limit} steps a turn, the base counting six");
                bars.push(bar("8.2g", why, &remedy));
            } else {
                ashore.steps += steps;
                ashore.units.push(*id);
            }
        }
        Judged { deed: ashore, bars }
    }

    /// Why a unit of the column may not be ordered to enter there (§8.3).
    pub fn entry_bars(&self, id: UnitId, hex: Hex) -> Vec<Bar> {
        let by = |hexes: &[Hex]| {
            let listed: Vec<String> = hexes.iter().map(Hex::to_string).collect();
            format!("enter by {}", listed.join(", "))
        };
        let bar = |clause, why: String, remedy: String| Bar::new(clause, why, remedy).about([Subject::of(id)]);
        let mut bars = Vec::new();
        if !self.escario().contains(&id) {
            let why = format!("{id} is not a unit of the column waiting to enter");
            return vec![bar("8.3a", why, "leave it out".to_owned()).firm()];
        }
        if !self.escario_due() {
            bars.push(
                bar("8.3a", "the Escario column is not due yet".to_owned(), "leave `entry` out".to_owned()).firm(),
            );
        }
        let open = self.entry_hexes();
        if !self.data().west_edge.contains(&hex) {
            bars.push(bar("8.3c", format!("{hex} is not on the west edge"), by(&self.data().west_edge)).firm());
        } else if !open.contains(&hex) {
            bars.push(bar("8.3d", format!("{hex} is not empty of US and Cuban units"), by(&open)));
        }
        bars
    }

    /// West-edge hexes open to the Escario column (§8.3c, §8.3d).
    pub fn entry_hexes(&self) -> Vec<Hex> {
        self.data()
            .west_edge
            .iter()
            .copied()
            .filter(|hex| {
                // §IMP.2: the base alone keeps nobody out.
                self.data().is_land(*hex) && !self.enemy_in(SPAIN, *hex) && self.signals_in(*hex).is_none()
            })
            .collect()
    }

    /// The Escario units still to come.
    pub fn escario(&self) -> Vec<UnitId> {
        let waiting = |id: &UnitId| self.state.unit(*id).at == Place::OffMap;
        let column = self.data().units.values().filter(|unit| unit.has(Flag::Escario)).map(|counter| counter.id);
        column.filter(waiting).collect()
    }

    /// Where a unit of the column enters if its owner names no hex: the default, else the open one nearest to it, with
    /// room if there is any.
    pub fn default_entry(&self, id: UnitId, open: &[Hex]) -> Option<Hex> {
        let default = self.game.default_hex(id).unwrap_or(self.data().santiago);
        let key = |hex: &Hex| {
            let full = self.room(Force::Spanish, *hex) == 0;
            (full, self.data().grid.distance(default, *hex), *hex)
        };
        open.iter().copied().min_by_key(key)
    }

    /// Is the column due this turn or overdue? (§8.3a, §7.2.2a, §IMP.20)
    pub fn escario_due(&self) -> bool {
        let Some(entry) = self.game.escario_entry() else { return false };
        let due = if self.state.escario_delayed { entry.delayed } else { entry.turn };
        !self.state.escario_arrived && self.state.turn >= due && !self.escario().is_empty()
    }
}

impl Play<'_, '_> {
    /// Landings, before anything moves (§8.2a).
    pub fn landings(&mut self, orders: &TurnOrders) -> Ruling<()> {
        self.begin_phase("us", "landing", PhaseName::Landing)?;
        if let Some(hex) = orders.base {
            self.in_hand(DocPath::root().key("base"), |play| play.land_base(hex))?;
        }
        for (index, landing) in orders.landings.iter().enumerate() {
            self.in_hand(item("landings", index), |play| play.land(landing, item("landings", index)))?;
        }
        Ok(())
    }

    pub fn land_base(&mut self, hex: Hex) -> Ruling<()> {
        let bars = self.now().base_bars(hex);
        if !bars.is_empty() {
            self.lapse(&[], bars);
            return Ok(());
        }
        let steps = self.data().tables.limits.base_landing_steps;
        self.used.landed += steps;
        self.used.filled.insert(hex, DocPath::root().key("base"));
        self.state.base = Some(hex);
        self.umpire.note(Event::BaseLanded { at: hex, steps });
        self.relocate_lone_leaders()
    }

    pub fn land(&mut self, order: &Landing, entry: DocPath) -> Ruling<()> {
        let Judged { deed: Ashore { units, steps, surplus }, bars } = self.now().judge_landing(&self.used, order);
        self.lapse(&order.units, bars);
        self.used.surplus = surplus;
        if units.is_empty() {
            return Ok(());
        }
        self.used.landed += steps;
        self.used.filled.insert(order.at, entry);
        self.umpire.note(Event::Landed { units: units.clone(), at: order.at, steps });
        for id in units {
            if let Some(unit) = self.state.units.get_mut(&id) {
                unit.landed = true; // §8.2e, §8.2f
            }
            self.put(id, order.at)?;
        }
        self.relocate_lone_leaders()
    }

    /// The Escario column enters on the west edge (§8.3).
    pub fn enter_escario(&mut self, orders: &BTreeMap<UnitId, Hex>) -> Ruling<()> {
        let mut wished = BTreeMap::new();
        for (id, hex) in orders {
            let bars = self.now().entry_bars(*id, *hex);
            if bars.is_empty() {
                wished.insert(*id, *hex);
            }
            self.in_hand(DocPath::root().key("entry").key(id.as_str()), |play| play.lapse(&[*id], bars));
        }
        if !self.now().escario_due() {
            return Ok(());
        }
        let column = self.now().escario();
        let open = self.now().entry_hexes();
        if open.is_empty() {
            self.umpire.note(Event::EntryBlocked { units: column });
            return Ok(());
        }
        let mut places = BTreeMap::new();
        for id in column {
            let Some(hex) = wished.get(&id).copied().or_else(|| self.now().default_entry(id, &open)) else { continue };
            places.insert(id, hex);
            if wished.contains_key(&id) {
                self.used.filled.insert(hex, DocPath::root().key("entry").key(id.as_str()));
            }
            if let Some(unit) = self.state.units.get_mut(&id) {
                unit.at = Place::At(hex);
            }
        }
        self.state.escario_arrived = true;
        self.umpire.note(Event::Entered { places: places.clone() });
        // The column comes in as one: whoever takes the base ends the game with all of it on the map (§4.5a).
        let (mut taken, mut base) = (Vec::new(), false);
        for (id, hex) in places {
            base |= self.place(id, hex, &mut taken);
        }
        self.note_all(taken);
        if base {
            return self.end_game(Ending::BaseCaptured);
        }
        self.relocate_lone_leaders()
    }

    /// Marks that the player turn is over: landed units may act again next turn (§8.2e).
    pub fn end_landing_turn(&mut self) {
        for unit in self.state.units.values_mut() {
            unit.landed = false;
        }
    }
}
