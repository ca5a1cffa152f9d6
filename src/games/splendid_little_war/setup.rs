//! Set-up (§16, §17.0.setup, §17.0.us): who may stand where, and where a silent player's counters go (D22).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Ruling, Side, Subject, list};

use super::events::{Event, PhaseName};
use super::orders::SetupOrders;
use super::play::Play;
use super::position::Position;
use super::scenarios::Area;
use super::state::{Place, Stage, State, UnitState};
use super::terms::{Flag, Force, Piece};
use super::{SPAIN, Scenario, SplendidLittleWar, US};

impl SplendidLittleWar {
    /// The scenario as the data have it.
    pub fn scenario_entry(&self) -> &super::scenarios::Scenario {
        let found = self.data.scenario(self.scenario.as_str()).or_else(|| self.data.scenarios.first());
        // The loader refuses data without the four scenarios.
        found.expect("the data hold every scenario")
    }

    /// The last turn (§16.1a, AMB-41).
    pub fn turns(&self) -> u32 {
        let entry = self.scenario_entry();
        match self.options.caney_three && self.scenario == Scenario::ElCaney {
            true => entry.turns_switched.unwrap_or(entry.turns),
            false => entry.turns,
        }
    }

    /// The areas of a side.
    pub fn areas(&self, side: Side) -> &[Area] {
        let entry = self.scenario_entry();
        if side == SPAIN { &entry.spanish } else { &entry.us }
    }

    /// Every counter of the scenario, off the map.
    pub fn opening(&self) -> State {
        let mut state = State { turn: 1, ..State::default() };
        let entry = self.scenario_entry();
        let areas = entry.spanish.iter().chain(&entry.us).flat_map(|area| &area.units);
        let later = entry.arrivals.iter().flat_map(|arrival| &arrival.units);
        let with = entry.columns.iter().flat_map(|columns| &columns.with_any);
        let mut ids: BTreeSet<Piece> = areas.chain(later).chain(with).copied().collect();
        if let Some(columns) = &entry.columns {
            let of = |unit: &&super::data::Unit| unit.column.is_some_and(|column| columns.formations.contains(&column));
            ids.extend(self.data.units.values().filter(of).map(|unit| unit.id));
        }
        if self.options.no_gatling && self.is_campaign() {
            // AMB-11: it is in no list of the campaign.
            let gatling = |id: &Piece| self.data.unit(*id).is_some_and(|unit| unit.arm == super::terms::Arm::Gatling);
            ids.retain(|id| !gatling(id));
        }
        let mut family = BTreeSet::new();
        for unit in ids.iter().filter_map(|id| self.data.unit(*id)) {
            family.extend(unit.parts.iter().copied());
            family.extend(unit.parent);
        }
        for id in ids.into_iter().chain(family) {
            let waits = entry.waits.get(&id).is_some_and(|first| *first > 1);
            let fresh = UnitState { waits, ..UnitState::at(Place::Off) };
            state.units.insert_new(id, fresh);
        }
        state
    }
}

impl Position<'_> {
    /// Counters of a side that set up, in the order in which they are placed: units by id, Cubans after the army, then
    /// leaders and the Base.
    pub fn to_place(self, side: Side) -> Vec<Piece> {
        let mut units: Vec<Piece> = (self.game.areas(side).iter())
            .flat_map(|area| area.units.iter().copied())
            .filter(|id| self.state.units.contains_key(id))
            .collect();
        units.sort_by_key(|id| (self.placed_with(*id), *id));
        units.dedup();
        units
    }

    /// The army, then the Cubans, who look for it, then those who stand with others.
    fn placed_with(&self, piece: Piece) -> (bool, bool) {
        let cuban = self.unit(piece).is_some_and(|unit| unit.force == Force::Cuban);
        (!self.is_combat(piece), cuban)
    }

    /// The areas a counter may set up in.
    fn areas_of(&self, piece: Piece) -> impl Iterator<Item = &Area> {
        let side = self.side(piece).unwrap_or(US);
        // §17.0.setup-k, §17.0.setup-l: who has no place of his own may fill the blockhouse, except the Civil Guard.
        let fills = self.has(piece, Flag::Garrison) && !self.has(piece, Flag::CivilGuard);
        self.game.areas(side).iter().filter(move |area| area.units.contains(&piece) || (area.fill && fills))
    }

    /// Why a counter may not set up in a hex, with the others placed so far.
    pub fn bars_placing(&self, piece: Piece, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        let mut reasons: Vec<Bar> = Vec::new();
        let side = self.side(piece).unwrap_or(US);
        for area in self.areas_of(piece).filter(|area| !area.fill || area.hexes.contains(&hex)) {
            match self.bars_area(area, piece, hex) {
                found if found.is_empty() => {
                    reasons.clear();
                    break;
                }
                found => reasons.extend(found),
            }
        }
        bars.extend(reasons);
        if !data.is_land(hex) {
            bars.push(Bar::new("TEC.harbor", format!("{hex} is no land hex"), "name a land hex").firm());
        }
        if self.too_full(hex, side, &[piece]) {
            let why = format!("{} would hold too many", data.describe(hex));
            bars.push(Bar::new("5.4a", why, "put it into another hex").about([Subject::of(hex)]));
        }
        if side == US && self.mixed(hex, &[piece]) {
            let why = format!("{hex} would hold Cubans and US units");
            bars.push(Bar::new("15.6l", why, "put it into another hex").about([Subject::of(hex)]));
        }
        bars
    }

    fn bars_area(&self, area: &Area, piece: Piece, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let clause = area.clause.0;
        let mut bars = Vec::new();
        let placed = |others: &[Piece]| -> Vec<(Piece, Hex)> {
            let others = others.iter().filter(|other| **other != piece);
            others.filter_map(|other| Some((*other, self.state.hex_of(*other)?))).collect()
        };
        if let Some((fort, units, clause)) = &area.also_one
            && hex == *fort
            && units.contains(&piece)
        {
            // §17.0.setup-c: one company may stand in El Viso.
            if placed(units).iter().any(|(_, at)| at == fort) {
                let why = format!("another company is in {}", data.describe(*fort));
                bars.push(Bar::new(clause.0, why, "only one may be there").about([Subject::of(*fort)]));
            }
            return bars;
        }
        if !area.with.is_empty() && !placed(&area.with).iter().any(|(_, at)| *at == hex) {
            let why = format!("{piece} sets up with one of {}", list(&area.with));
            bars.push(Bar::new(clause, why, "put it into the hex of one of them").about([Subject::of(hex)]));
        }
        if let Some(limit) = area.near_us {
            let us = |id: &Piece| self.unit(*id).is_some_and(|unit| unit.force == Force::Us);
            let near = self.on_map(US).any(|(id, at)| us(&id) && data.distance(at, hex) <= limit);
            if !near {
                bars.push(Bar::new(clause, format!("no US unit is within {limit} of {hex}"), "set up nearer"));
            }
            if self.on_map(SPAIN).any(|(_, at)| data.distance(at, hex) <= 1) {
                bars.push(Bar::new(clause, format!("{hex} is next to a Spanish unit"), "set up farther away"));
            }
        }
        if !area.one_each.is_empty() {
            // §17.0.us-h: one battery to a bivouac; it belongs to any bivouac whose hexes it is in.
            if !area.one_each.iter().any(|each| each.1.contains(&hex)) {
                bars.push(Bar::new(clause, format!("{hex} is at no bivouac"), "set up at a bivouac"));
            } else if !self.batteries_fit(area, piece, hex) {
                bars.push(Bar::new(clause, "another battery is at that bivouac", "one battery to a bivouac"));
            }
        } else if !area.hexes.is_empty() && !area.hexes.contains(&hex) {
            let choice: Vec<String> = area.hexes.iter().take(8).map(ToString::to_string).collect();
            let more = if area.hexes.len() > 8 { ", …" } else { "" };
            let why = format!("{piece} may not set up in {}", data.describe(hex));
            let fills = |area: &Area| area.fill && area.hexes.contains(&hex);
            let barred = self.has(piece, Flag::CivilGuard) && self.game.areas(SPAIN).iter().any(fills);
            let clause = if barred { "17.0.setup-l" } else { clause };
            bars.push(Bar::new(clause, why, format!("choose one of {}{more}", choice.join(", "))).firm());
        }
        if let Some(apart) = area.apart {
            for (other, at) in placed(&area.units).into_iter().filter(|(_, at)| data.distance(*at, hex) < apart) {
                let why = format!("{other} in {at} is only {} hexes away", data.distance(at, hex));
                let remedy = format!("keep them at least {apart} apart");
                bars.push(Bar::new(clause, why, remedy).about([Subject::of(other)]));
            }
        }
        bars
    }

    /// Can the batteries placed so far be given a bivouac each, with this one in this hex?
    fn batteries_fit(&self, area: &Area, piece: Piece, hex: Hex) -> bool {
        let others = area.units.iter().filter(|other| **other != piece);
        let mut at: Vec<Hex> = others.filter_map(|other| self.state.hex_of(*other)).collect();
        at.push(hex);
        fn fits(at: &[Hex], used: &mut BTreeSet<Hex>, each: &[(Hex, BTreeSet<Hex>)]) -> bool {
            let Some((first, rest)) = at.split_first() else { return true };
            each.iter().any(|(bivouac, hexes)| {
                if !hexes.contains(first) || !used.insert(*bivouac) {
                    return false;
                }
                let good = fits(rest, used, each);
                used.remove(bivouac);
                good
            })
        }
        fits(&at, &mut BTreeSet::new(), &area.one_each)
    }

    /// D22: where a counter goes if its player says nothing.
    pub fn default_place(&self, piece: Piece) -> Option<Hex> {
        let data = self.data();
        let area = self.areas_of(piece).find(|area| !area.fill)?;
        let fits = |hex: &Hex| self.bars_placing(piece, *hex).is_empty();
        // El Viso is taken by the first company (D29).
        if let Some((fort, units, _)) = &area.also_one
            && units.first() == Some(&piece)
            && fits(fort)
        {
            return Some(*fort);
        }
        let first =
            |units: &[Piece]| units.iter().filter(|id| self.is_combat(**id)).find_map(|id| self.state.hex_of(*id));
        if !self.is_combat(piece) {
            // Leaders with the first unit of their list.
            let with = if area.with.is_empty() { first(&area.units) } else { first(&area.with) };
            if let Some(hex) = with.filter(fits) {
                return Some(hex);
            }
        }
        let bivouacs: BTreeSet<Hex> = area.one_each.iter().flat_map(|(_, hexes)| hexes.iter().copied()).collect();
        let near: BTreeSet<Hex> = match area.near_us {
            Some(limit) => {
                let around = |(_, at): (Piece, Hex)| {
                    data.map.cells().map(|(hex, _)| hex).filter(move |hex| data.distance(*hex, at) <= limit)
                };
                self.on_map(US).flat_map(around).collect()
            }
            None => BTreeSet::new(),
        };
        let choices = area.hexes.iter().chain(&bivouacs).chain(&near).copied().filter(fits);
        let rank = |hex: &Hex| match (area.reference, area.one_each.is_empty()) {
            (Some(reference), true) => (data.distance(reference, *hex), *hex),
            (_, false) => {
                // The lowest bivouac without a battery, nearest its own hex.
                let own = area.one_each.iter().position(|(_, hexes)| hexes.contains(hex)).unwrap_or(usize::MAX);
                let far = area.one_each.get(own).map_or(0, |(bivouac, _)| data.distance(*bivouac, *hex));
                (u32::try_from(own).unwrap_or(0) * 100 + far, *hex)
            }
            (None, true) => (0, *hex),
        };
        choices.min_by_key(rank)
    }

    /// D22: every hex with a Spanish combat unit where an entrenchment may be.
    pub fn default_entrenchments(&self) -> Vec<Hex> {
        let held: BTreeSet<Hex> =
            self.on_map(SPAIN).filter(|(id, _)| self.is_combat(*id)).map(|(_, hex)| hex).collect();
        held.into_iter().filter(|hex| self.bars_digging(*hex).is_empty()).collect()
    }
}

/// How many counters left to the proposal are named.
const NAMED: usize = 6;

impl Play<'_, '_> {
    /// The set-up of a side.
    pub fn set_up(&mut self, side: Side, orders: &mut SetupOrders) -> Ruling<()> {
        let spain = side == SPAIN;
        self.begin_phase(Some(side), if spain { PhaseName::SpanishSetup } else { PhaseName::UsSetup });
        let mut to_place = self.now().to_place(side);
        // What is ordered goes first: a default looks for room around it (D22).
        to_place.sort_by_key(|id| (self.now().placed_with(*id), !orders.place.contains_key(id)));
        for (unit, hex) in &orders.place {
            if !to_place.contains(unit) {
                self.entry(DocPath::root().key("place").key(unit.as_str()), |play| {
                    let why = match play.now().side(*unit) == Some(side) {
                        true => {
                            format!("{unit} does not set up at {hex} or anywhere: it is not in play, or comes later")
                        }
                        false => format!("{unit} is not yours"),
                    };
                    let bar = Bar::new("16.0a", why, "leave it out").firm();
                    play.lapse(format!("set-up of {unit}"), vec![bar]);
                    Ok(())
                })?;
            }
        }
        let mut unnamed = Vec::new();
        for unit in to_place {
            let mut hex = None;
            if let Some(&wanted) = orders.place.get(&unit) {
                self.entry(DocPath::root().key("place").key(unit.as_str()), |play| {
                    let bars = play.now().bars_placing(unit, wanted);
                    hex = bars.is_empty().then_some(wanted);
                    play.lapse(format!("set-up of {unit}"), bars);
                    Ok(())
                })?;
            }
            if let Some(hex) = hex.or_else(|| self.now().default_place(unit)) {
                self.put(unit, hex);
                if orders.place.insert(unit, hex).is_none() {
                    unnamed.push(format!("{unit} in {hex}"));
                }
            }
        }
        if !unnamed.is_empty() {
            self.entry(DocPath::root().key("place"), |play| {
                let more = unnamed.len().saturating_sub(NAMED);
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                unnamed.truncate(NAMED);
                let why = format!("left to the proposal: {}{more}", unnamed.join(", "));
                play.umpire.mind(Bar::new("16.0a", why, "name their hexes under `place`, or leave it so"));
                Ok(())
            })?;
        }
        self.set_entrenchments(spain, orders)?;
        if spain && self.game.options.garrison {
            self.mark_garrison();
        }
        let units: BTreeMap<Piece, Hex> = self.now().on_map(side).collect();
        if !spain {
            for (unit, hex) in &units {
                let taken = self.take(US, &[*unit], *hex);
                self.tell(taken);
            }
            let freed = self.free_garrison();
            self.tell(freed);
        }
        let entrenchments = if spain { self.state.entrenchments.clone() } else { BTreeSet::new() };
        self.umpire.note(Event::Deployed { side, units, entrenchments });
        self.state.stage = if spain { Stage::UsSetup } else { Stage::UsTurn };
        Ok(())
    }

    fn set_entrenchments(&mut self, spain: bool, orders: &mut SetupOrders) -> Ruling<()> {
        let allowed = spain && self.game.scenario_entry().entrenched;
        let Some(hexes) = orders.entrench.clone() else {
            if !allowed {
                return Ok(());
            }
            // D22: his to choose (§16.1c), so he is told what he leaves to the proposal.
            let hexes = self.now().default_entrenchments();
            self.state.entrenchments.extend(hexes.iter().copied());
            let names: Vec<String> = hexes.iter().map(ToString::to_string).collect();
            orders.entrench = Some(hexes);
            return self.entry(DocPath::root().key("entrench"), |play| {
                let why = format!("left to the proposal: trenches in {}", names.join(", "));
                play.umpire.mind(Bar::new("16.1c", why, "name the hexes under `entrench`, or leave it so"));
                Ok(())
            });
        };
        for (index, hex) in hexes.into_iter().enumerate() {
            self.entry(DocPath::root().key("entrench").index(index), |play| {
                let mut bars = play.now().bars_digging(hex);
                if !allowed {
                    let why = "nobody begins entrenched here";
                    bars.push(Bar::new("17.0.setup-q", why, "leave `entrench` out").firm());
                } else if !play.now().held_by(hex, SPAIN) {
                    let why = format!("no Spanish unit is in {hex}");
                    bars.push(Bar::new("16.1c", why, "entrench where units stand").about([Subject::of(hex)]));
                }
                if bars.is_empty() {
                    play.state.entrenchments.insert(hex);
                }
                play.lapse(format!("entrenchment in {hex}"), bars);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Units of §17.0.setup-m are Garrison Units, unless they stand in the blockhouse (AMB-48).
    fn mark_garrison(&mut self) {
        let data = self.data();
        let held = |hex: Hex| data.city.contains(&hex) || data.city_forts.contains(&hex);
        let of = |(id, hex): &(Piece, Hex)| self.now().has(*id, Flag::Garrison) && held(*hex);
        let units: Vec<Piece> = self.now().on_map(SPAIN).filter(of).map(|(id, _)| id).collect();
        for unit in units {
            self.change(unit, |unit| unit.garrison = true);
        }
    }
}
