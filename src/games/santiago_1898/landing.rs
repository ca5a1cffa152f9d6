//! Chapters 8.2, 8.3 and 10.3: landings, the Logistical Base and the Escario column.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::{Clause, Ruling, count_of};

use super::events::{Event, PhaseName};
use super::orders::TurnOrders;
use super::play::{Play, Position};
use super::state::{Place, Stage};
use super::terms::{Flag, Force, UnitId};
use super::{SPAIN, US};

impl Position<'_> {
    /// US counters that could land now, with the steps each takes (§8.2g, §8.2h).
    pub fn pool(&self) -> Vec<(UnitId, u32)> {
        let waiting = |(id, unit): (&UnitId, &super::state::UnitState)| {
            (unit.at == Place::OffMap && self.force(*id) == Some(Force::Us)).then_some((*id, u32::from(unit.steps)))
        };
        self.state.units.iter().filter_map(waiting).collect()
    }

    /// Why nothing US can land in the hex, if so (§8.2c, §8.2d, §8.2i).
    pub fn beach_closed(&self, hex: Hex) -> Option<(Clause, String)> {
        if !self.data().is_beach(hex) {
            let beaches: Vec<String> = self.data().beaches.iter().map(Hex::to_string).collect();
            return Some((Clause("8.2c"), format!("{hex} is no beach; the beaches are {}", beaches.join(", "))));
        }
        if self.enemy_in(US, hex) {
            return Some((Clause("8.2d"), format!("Spanish units stand in {hex}")));
        }
        if !self.combat_units(Force::Cuban, hex).is_empty() {
            return Some((Clause("8.2i"), format!("Cuban units stand in {hex}")));
        }
        None
    }

    /// Why this unit cannot land there now, if so: the beach, and the waves of the historical set-up (§HSU).
    pub fn landing_closed(&self, id: UnitId, hex: Hex) -> Option<(Clause, String)> {
        if let Some(closed) = self.beach_closed(hex) {
            return Some(closed);
        }
        let entry = self.game.landing_entry(id, self.state.turn)?;
        if self.state.turn < entry.from {
            let what = format!("{id} lands from turn {} on", entry.from);
            return Some((Clause("HSU.d"), what));
        }
        let Some(ports) = &entry.at else { return None };
        // §HSU.a, §HSU.e, §IMP.21
        if ports.contains(&hex) || (entry.if_controlled.contains(&hex) && self.state.us_controls(hex)) {
            return None;
        }
        let names = |hexes: &[Hex]| hexes.iter().map(|hex| self.data().describe(*hex)).collect::<Vec<_>>().join(", ");
        let (clause, also) = if entry.if_controlled.is_empty() {
            ("HSU.a", String::new())
        } else {
            ("HSU.e", format!(", or at {} while in US hands", names(&entry.if_controlled)))
        };
        Some((Clause(clause), format!("{id} lands at {}{also}", names(ports))))
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
        let mut left = self.data().tables.limits.landing_steps;
        if let Some(hex) = orders.base {
            let cost = self.data().tables.limits.base_landing_steps;
            if self.state.base.is_some() {
                self.lapse(&[], "10.3c", "the base is ashore and never moves again");
            } else if let Some((clause, why)) = self.now().beach_closed(hex) {
                self.lapse(&[], clause.0, why);
            } else {
                left = left.saturating_sub(cost);
                self.state.base = Some(hex);
                self.umpire.note(Event::BaseLanded { at: hex, steps: cost });
                self.relocate_lone_leaders()?;
            }
        }
        'landings: for landing in &orders.landings {
            let mut ashore = Vec::new();
            let mut steps = 0;
            for id in &landing.units {
                let unit = self.state.unit(*id);
                if self.now().force(*id) != Some(Force::Us) || unit.at != Place::OffMap {
                    self.lapse(&[*id], "8.2b", format!("{id} is not in the pool"));
                } else if let Some((clause, why)) = self.now().landing_closed(*id, landing.at) {
                    self.lapse(&[*id], clause.0, why);
                } else if u32::from(unit.steps) > left {
                    // A list over the limit is cut at the first unit that does not fit.
                    self.lapse(
                        &[*id],
                        "8.2g",
                        format!("{id} does not fit into the {} left; the list ends here", count_of(left, "step")),
                    );
                    self.ashore(&ashore, landing.at, steps)?;
                    break 'landings;
                } else {
                    left -= u32::from(unit.steps);
                    steps += u32::from(unit.steps);
                    ashore.push(*id);
                    if let Some(unit) = self.state.units.get_mut(id) {
                        unit.at = Place::At(landing.at);
                        unit.landed = true; // §8.2e, §8.2f
                    }
                }
            }
            self.ashore(&ashore, landing.at, steps)?;
        }
        Ok(())
    }

    fn ashore(&mut self, units: &[UnitId], at: Hex, steps: u32) -> Ruling<()> {
        if units.is_empty() {
            return Ok(());
        }
        self.umpire.note(Event::Landed { units: units.to_vec(), at, steps });
        for id in units {
            self.put(*id, at)?;
        }
        self.relocate_lone_leaders()
    }

    /// The Escario column enters on the west edge (§8.3).
    pub fn enter_escario(&mut self, orders: &TurnOrders) -> Ruling<()> {
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
            let wished = orders.entry.get(&id).copied();
            let hex = match wished {
                Some(hex) if open.contains(&hex) => hex,
                _ => {
                    if let Some(hex) = wished {
                        self.lapse(&[id], "8.3d", format!("{hex} is not open to the column"));
                    }
                    match self.now().default_entry(id, &open) {
                        Some(hex) => hex,
                        None => continue,
                    }
                }
            };
            places.insert(id, hex);
            if let Some(unit) = self.state.units.get_mut(&id) {
                unit.at = Place::At(hex);
            }
        }
        self.state.escario_arrived = true;
        self.umpire.note(Event::Entered { places: places.clone() });
        for (id, hex) in places {
            self.put(id, hex)?;
        }
        self.relocate_lone_leaders()
    }

    /// Marks that the player turn is over: landed units may act again next turn (§8.2e).
    pub fn end_landing_turn(&mut self) {
        for unit in self.state.units.values_mut() {
            unit.landed = false;
        }
        debug_assert!(self.state.stage != Stage::SpanishSetup);
    }
}
