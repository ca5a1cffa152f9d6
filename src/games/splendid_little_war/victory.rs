//! Victory: the scenarios (§16), the levels of the campaign (§17.0.victory), and surrender (§17.0.auto).

use std::collections::{BTreeSet, VecDeque};

use crate::board::Hex;
use crate::engine::{Clause, Ruling, Tally, Touch};

use super::data::Along;
use super::events::Event;
use super::play::Play;
use super::position::{Crowd, Position};
use super::state::{Ending, Level};
use super::terms::{Cause, Force, LossClass, Piece};
use super::{SPAIN, US};

impl Position<'_> {
    /// Steps the US has lost by the count of the scenarios: any cause, any arm (AMB-56).
    pub fn us_sub_units_lost(&self) -> u32 {
        let all = |_: Cause| true;
        self.state.lost(LossClass::UsInfantry, all) + self.state.lost(LossClass::UsOther, all)
    }

    /// How a scenario stands (§16.1j, §16.2i, §16.3e).
    pub fn scenario_won(&self) -> bool {
        let scenario = self.game.scenario_entry();
        let held = |hex: &&Hex| self.state.us_held.contains(hex);
        let heights = scenario.heights.iter().filter(held).count();
        scenario.all.iter().all(|hex| self.state.us_held.contains(hex))
            && u32::try_from(heights).unwrap_or(0) >= scenario.most_of
            && scenario.loss_limit.is_none_or(|limit| self.us_sub_units_lost() <= limit)
    }

    /// Forts and blockhouses last occupied by the US.
    pub fn works_held(&self) -> (u32, u32) {
        let count = |hexes: &BTreeSet<Hex>| hexes.iter().filter(|hex| self.state.us_held.contains(hex)).count();
        let (forts, blockhouses) = (count(&self.data().forts), count(&self.data().blockhouses));
        (u32::try_from(forts).unwrap_or(0), u32::try_from(forts + blockhouses).unwrap_or(0))
    }

    /// The level before any shift (§17.0.victory-b to -f, -p).
    pub fn level(&self) -> Level {
        let (forts, places) = self.works_held();
        let el_viso = self.state.us_held.contains(&self.data().el_viso);
        let victory = &self.data().tables.victory;
        let five = victory.places;
        // AMB-46: the five are others than the forts named, unless the players agreed otherwise.
        let named = |count: u32| if self.game.options.places_overlap { 0 } else { count };
        if el_viso && forts >= 2 && places >= five + named(2) {
            Level::UsStrategic
        } else if el_viso && places >= five + named(1) {
            Level::UsPolitical
        } else if forts >= 1 && places >= five + named(1) {
            Level::Draw
        } else if places >= victory.spanish_political {
            Level::SpanishPolitical
        } else {
            Level::SpanishStrategic
        }
    }

    /// Shifts of the level: positive towards the US (§17.0.victory-g to -k).
    pub fn shifts(&self) -> Tally {
        let mut shifts = Tally::new();
        let us = self.state.lost(LossClass::UsInfantry, |cause| cause.is_combat() || cause == Cause::Fever);
        if us > self.data().tables.victory.us_steps {
            shifts.add(format!("{us} steps of US infantry lost"), -1, Clause("17.0.victory-g"));
        }
        let apart = [Cause::Overstack, Cause::Variable, Cause::Entry, Cause::Sortie];
        let spain = self.state.lost(LossClass::SpanishFoot, |cause| !apart.contains(&cause));
        if spain > self.data().tables.victory.spanish_steps {
            shifts.add(format!("{spain} steps of Spanish infantry lost"), 1, Clause("17.0.victory-h"));
        }
        if self.data().city.iter().any(|hex| self.state.us_held.contains(hex)) {
            shifts.add("a hex of Santiago in US hands", 1, Clause("17.0.victory-i"));
        }
        let points = i32::try_from(self.state.gmp / self.data().tables.garrison.points_a_level.max(1)).unwrap_or(0);
        if points > 0 {
            let what = format!("{} Garrison Movement Points", self.state.gmp);
            shifts.add(what, points, Clause("17.0.victory-j"));
        }
        if self.cuabitas_open() {
            shifts.add("Cuabitas and a free road to Santiago", -1, Clause("17.0.victory-k"));
        }
        shifts
    }

    /// Does Spain hold Cuabitas with a road to the city free of enemies and their zones (§17.0.victory-k)?
    fn cuabitas_open(&self) -> bool {
        let data = self.data();
        let crowd = self.crowd();
        let free = |hex: Hex| !crowd.has(data, hex, Crowd::US_COMBAT | Crowd::US_ZONE);
        !self.state.us_held.contains(&data.cuabitas) && free(data.cuabitas) && self.road_to_city(free)
    }

    /// Is there a road from Cuabitas to the city all of whose hexes before the city pass the test?
    fn road_to_city(&self, open: impl Fn(Hex) -> bool) -> bool {
        let data = self.data();
        let mut seen = BTreeSet::from([data.cuabitas]);
        let mut queue = VecDeque::from([data.cuabitas]);
        while let Some(hex) = queue.pop_front() {
            for next in data.neighbours(hex).filter(|next| data.map.between(hex, *next).has(Along::Road)) {
                if data.city.contains(&next) {
                    return true; // AMB-60: the first city hex ends the road.
                }
                if open(next) && seen.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        false
    }

    /// Is the ring around Santiago closed (§17.0.auto-h)?
    pub fn ring_closed(&self) -> bool {
        let data = self.data();
        let crowd = self.crowd();
        // Cubans have no zone, and are no US units (AMB-49).
        let army = |id: &Piece| self.unit(*id).is_some_and(|unit| unit.force == Force::Us && unit.is_combat());
        let held: BTreeSet<Hex> = self.on_map(US).filter(|(id, _)| army(id)).map(|(_, hex)| hex).collect();
        let us_unit = |hex: Hex| held.contains(&hex) || crowd.has(data, hex, Crowd::US_ZONE);
        let mut seen: BTreeSet<Hex> = data.city.iter().copied().filter(|hex| !us_unit(*hex)).collect();
        let mut queue: VecDeque<Hex> = seen.iter().copied().collect();
        while let Some(hex) = queue.pop_front() {
            if data.is_edge(hex) {
                return false; // the map edge
            }
            for next in data.land_around(hex).filter(|next| !us_unit(*next)) {
                if seen.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        true
    }

    /// Is Cuabitas taken and every road from it to Santiago blocked (§17.0.auto-d, §17.0.auto-g, §17.0.auto-i)?
    pub fn cuabitas_taken(&self) -> bool {
        let data = self.data();
        let army = |id: &Piece| self.unit(*id).is_some_and(|unit| unit.force == Force::Us && unit.is_combat());
        let there = self.fighters(data.cuabitas, US).iter().any(army);
        // The road hex blocked is another than Cuabitas, so the units are others too.
        there && !self.road_to_city(|hex| hex == data.cuabitas || !self.held_by(hex, US))
    }
}

impl Play<'_, '_> {
    /// The ring is tested at the end of each player turn (AMB-49).
    pub fn test_ring(&mut self) {
        if !self.game.options.automatic || !self.game.is_campaign() {
            return;
        }
        let closed = self.now().ring_closed();
        self.state.ring_holds &= closed;
        if !closed {
            self.state.ring_turns = 0;
        }
    }

    /// Surrender (§17.0.auto).
    pub fn automatic_victory(&mut self) -> Ruling<()> {
        if !self.game.options.automatic || !self.game.is_campaign() {
            return Ok(());
        }
        let closed = self.now().ring_closed();
        if self.state.ring_stood && self.state.ring_holds && closed {
            self.state.ring_turns += 1;
        } else {
            self.state.ring_turns = 0;
        }
        self.state.ring_stood = closed;
        self.state.ring_holds = closed;
        let turns = self.state.ring_turns;
        self.umpire.note(Event::Ring { closed, turns });
        if turns >= self.data().tables.victory.ring_turns {
            return self.count_victory(1);
        }
        if !self.now().cuabitas_taken() {
            self.state.surrender = None; // §17.0.auto-f
            return Ok(());
        }
        let number = self.state.surrender;
        let thrown = self.d10(SPAIN, "santiago", "surrender", |roll| roll, Touch::on([]))?;
        let roll = u32::try_from(thrown.result).unwrap_or(0);
        let surrenders = number.is_some_and(|number| roll <= number);
        self.umpire.note(Event::SurrenderRoll { die: thrown.cast, number, surrenders });
        if surrenders {
            return self.count_victory(1);
        }
        if number.is_none() {
            self.state.surrender = Some(roll);
        }
        Ok(())
    }

    /// The end of the game; `surrender` is one for a surrender (§17.0.auto-c).
    pub fn count_victory(&mut self, surrender: i32) -> Ruling<()> {
        if !self.game.is_campaign() {
            let won = self.now().scenario_won();
            return self.end_game(if won { Ending::UsWins } else { Ending::SpainWins });
        }
        let now = self.now();
        let (forts, places) = now.works_held();
        let el_viso = self.state.us_held.contains(&self.data().el_viso);
        let level = now.level();
        let mut shifts = now.shifts();
        if surrender > 0 {
            shifts.add("Santiago surrenders", surrender, Clause("17.0.auto-c"));
        }
        // §17.0.victory-o: all shifts together, then held within the scale.
        let scale = Level::ALL.len();
        let at = Level::ALL.iter().position(|other| *other == level).unwrap_or(0);
        let moved = i32::try_from(at).unwrap_or(0) + shifts.total();
        let index = usize::try_from(moved.max(0)).unwrap_or(0).min(scale - 1);
        let reached = Level::ALL.get(index).copied().unwrap_or(level);
        self.umpire.note(Event::VictoryCount { forts, places, el_viso, level, shifts, reached });
        self.end_game(Ending::at(reached))
    }
}
