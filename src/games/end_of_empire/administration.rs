//! Phase A apart from reorganization: historical events (§7), victory checks (§4), supply points (§14.4.6), fever (§12);
//! and what ends a turn.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::{Clause, Ever, Question, Ruling, Say, Subject, Tally, Touch};

use super::arrivals::{room_for_gun, room_in};
use super::events::{Cause, Event, PhaseName, Why};
use super::losses::Toll;
use super::orders::Spot;
use super::play::{Fate, Play, subjects};
use super::policy::{AM_HEX, CUBA_LIBRE, Policy};
use super::position::Position;
use super::state::{Ending, Place};
use super::terms::{Content, EventName, Flag, Force, Mode, Piece, Surrender, UnitKind, Withdrawal};
use super::{SPAIN, US};

impl Position<'_> {
    /// The objectives under US control (§4.1a, A07b).
    pub fn objectives_held(&self) -> u32 {
        let held = self.data().objectives.iter().filter(|hex| self.us_controls(**hex));
        u32::try_from(held.count()).unwrap_or(u32::MAX)
    }

    /// Where the machine guns may be placed (§7.2.61a): Santiago first, hexes without another gun before others.
    pub fn am_hexes(&self) -> Vec<Hex> {
        let data = self.data();
        let open = |hex: &Hex| {
            let taken = self.us_controls(*hex) || self.held_by(*hex, US);
            !taken && !self.clashes(*hex, Force::Spanish, Mode::Regular)
        };
        let mut ring: Vec<Hex> = data.land_around(data.santiago).filter(open).collect();
        ring.sort_unstable();
        let mut hexes: Vec<Hex> = Some(data.santiago).filter(open).into_iter().chain(ring).collect();
        let gun = |hex: &Hex| {
            self.stack(*hex, Force::Spanish).into_iter().any(|piece| self.kind(piece).is_some_and(UnitKind::is_gun))
        };
        hexes.sort_by_key(gun);
        hexes
    }
}

impl Play<'_, '_> {
    /// A.0 (A01): the historical event.
    pub fn historical_event(&mut self) -> Ruling<()> {
        self.begin_phase("all", "event", PhaseName::HistoricalEvents);
        let faces = self.umpire.roll(&Subject::of("event"), "event", &[Die::D6, Die::D6])?;
        let number = match faces.as_slice() {
            [tens, ones] => tens * 10 + ones,
            _ => 11,
        };
        let Some(row) = self.data().tables.event(number) else { return Ok(()) };
        let spent = row.once && self.state.used.contains(&row.event);
        let arrived = self.state.arrived;
        let machine_guns = self.data().cast().machine_guns;
        let happens = match row.event {
            EventName::Nothing => false,
            EventName::Patriots | EventName::EscarioEarly => !arrived, // A22a
            EventName::MorroAndSocapa => !self.state.released,
            // A56. Under a counter they are off the map, and have been placed for all that.
            EventName::MachineGuns => {
                let off = machine_guns.is_some_and(|id| self.state.unit(id).at == Place::Off);
                off && !self.state.used.contains(&row.event)
            }
            EventName::RunningTheBlockade => self.game.options.supply_points, // A58
            _ => !spent,
        };
        self.state.event = Some(row.event);
        let dice = crate::engine::Cast::of(&faces);
        self.umpire.note(Event::HistoricalEvent { dice, number, event: row.event, happens });
        if row.once {
            self.state.used.insert(row.event);
        }
        if !happens {
            return Ok(());
        }
        match row.event {
            EventName::CubaLibre => self.cuba_libre()?,
            EventName::Patriots | EventName::EscarioEarly => {
                let later = row.event == EventName::Patriots;
                self.state.escario = if later { self.state.escario + 1 } else { self.state.escario.saturating_sub(1) };
                let turn = self.state.escario;
                self.umpire.note(Event::EscarioDue { turn });
            }
            EventName::MorroAndSocapa => {
                self.state.released = true;
                self.umpire.note(Event::Released);
            }
            EventName::MachineGuns => self.place_machine_guns()?,
            EventName::RunningTheBlockade => {
                let gained = self.data().tables.supply.blockade;
                self.gain(Force::Spanish, gained);
            }
            other => {
                self.state.in_force.insert(other); // A68
            }
        }
        Ok(())
    }

    fn gain(&mut self, force: Force, gained: u32) {
        *self.state.supply_points.entry(force).or_default() += gained;
        let now = self.state.points(force);
        self.umpire.note(Event::Points { force, gained, now });
    }

    /// 11-13: the US player looks at up to four Spanish pieces (§7.2.11, A67).
    fn cuba_libre(&mut self) -> Ruling<()> {
        let now = self.now();
        let limit = now.data().tables.limits.examined as usize;
        let pieces = now.on_map(SPAIN);
        let own: Vec<Hex> = now.held_hexes(US).into_iter().collect();
        let mut closed: Vec<Piece> = self.closed(&pieces);
        closed.sort_by_key(|name| {
            let at = self.state.hex_of(*name);
            (at.and_then(|at| own.iter().map(|hex| now.data().distance(*hex, at)).min()), at, *name)
        });
        closed.truncate(limit);
        if pieces.is_empty() {
            return Ok(());
        }
        let legal = |chosen: &Vec<Piece>| {
            let mut each = chosen.clone();
            each.sort_unstable();
            each.dedup();
            each.len() == chosen.len() && chosen.len() <= limit && chosen.iter().all(|piece| pieces.contains(piece))
        };
        let mut options = vec![closed.clone(), Vec::new()];
        options.extend(pieces.iter().map(|piece| vec![*piece]));
        let question = Question {
            who: US,
            kind: CUBA_LIBRE,
            about: Subject::of("cuba-libre"),
            clause: Clause("7.2.11a"),
            text: format!("Cuba Libre: which Spanish pieces do you examine, up to {limit}?"),
            options,
            default: closed,
            also: Some(Box::new(legal)),
        };
        let chosen = self.umpire.ask(question, None, |policy| match policy {
            Policy::Pieces(wished) => {
                Say::Choose(wished.iter().copied().filter(|piece| pieces.contains(piece)).take(limit).collect())
            }
            _ => Say::Default,
        })?;
        for piece in chosen {
            let Some(at) = self.state.hex_of(piece) else { continue };
            self.umpire.note(Event::Examined { piece, at });
            if self.state.counters.contains_key(&piece) {
                self.open(piece, Why::CubaLibre)?;
            }
        }
        Ok(())
    }

    /// 61-62.
    fn place_machine_guns(&mut self) -> Ruling<()> {
        let Some(id) = self.data().cast().machine_guns else { return Ok(()) };
        let hexes = self.now().am_hexes();
        let Some(first) = hexes.first().copied() else {
            self.umpire.note(Event::MachineGuns { at: None });
            return Ok(());
        };
        let options: Vec<Spot> = hexes.iter().map(|hex| Spot(Some(*hex))).chain([Spot(None)]).collect();
        let question = Question {
            who: SPAIN,
            kind: AM_HEX,
            about: Subject::of(id),
            clause: Clause("7.2.61a"),
            text: "the machine guns can be placed: where?".to_owned(),
            options,
            default: Spot(Some(first)),
            also: None,
        };
        let chosen = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Hexes(wished) => Say::first_of(wished, &hexes).map(|hex| Spot(Some(hex))),
            _ => Say::Default,
        })?;
        if let Some(hex) = chosen.0 {
            self.put(id, hex);
            self.state.used.insert(EventName::MachineGuns);
        }
        self.umpire.note(Event::MachineGuns { at: chosen.0 });
        // A leader or a train takes no control: there may be some (A51, A15b).
        if let Some(hex) = chosen.0 { self.occupy(&[id], hex, false) } else { Ok(()) }
    }

    /// A.1a (§4.1).
    pub fn us_victory_check(&mut self) -> Ruling<()> {
        self.begin_phase("us", "victory", PhaseName::UsVictoryCheck);
        let tables = self.data().tables.clone();
        let objectives = self.now().objectives_held();
        let table = &tables.surrender.results;
        let column = table.column(&objectives).filter(|_| objectives >= tables.limits.objectives);
        let Some(column) = column else {
            self.umpire.note(Event::NoSurrenderRoll { objectives });
            return Ok(());
        };
        let mut modifiers = Tally::new();
        if self.is_occupied(self.data().el_caney, US)? {
            modifiers.add("El Caney occupied", tables.surrender.el_caney, Clause("4.1c"));
        }
        if self.state.jarcias {
            modifiers.add("A las Jarcias", tables.surrender.jarcias, Clause("4.1d"));
        }
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or(Surrender::Nothing);
        let thrown = self.d6(US, "santiago", "surrender", read, Touch::default())?;
        let result = thrown.result;
        self.umpire.note(Event::SurrenderRoll {
            objectives,
            modified: i32::from(thrown.cast.face()) + drm,
            die: thrown.cast,
            modifiers,
            column: table.label(column).unwrap_or_default(),
            result,
        });
        match result {
            Surrender::Nothing => Ok(()),
            Surrender::Jarcias => {
                if !self.state.jarcias {
                    self.state.jarcias = true; // §4.1f to §4.1h
                    self.umpire.note(Event::Jarcias);
                }
                Ok(())
            }
            Surrender::GivesUp => self.end_game(Ending::Surrender),
        }
    }

    /// A.1b (§4.2).
    pub fn spanish_victory_check(&mut self) -> Ruling<()> {
        self.begin_phase("spain", "victory", PhaseName::SpanishVictoryCheck);
        let tables = self.data().tables.clone();
        let steps_lost = self.state.us_steps_lost;
        let table = &tables.withdrawal.results;
        let Some(column) = table.column(&steps_lost).filter(|_| steps_lost >= tables.limits.steps_lost) else {
            return Ok(());
        };
        let mut modifiers = Tally::new();
        if self.state.in_force(EventName::YellowPress) {
            modifiers.add("Yellow Press", tables.withdrawal.yellow_press, Clause("4.2e"));
        }
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or(Withdrawal::Nothing);
        let thrown = self.d6(SPAIN, "congress", "withdrawal", read, Touch::default())?;
        let result = thrown.result;
        self.umpire.note(Event::WithdrawalRoll {
            steps_lost,
            modified: i32::from(thrown.cast.face()) + drm,
            die: thrown.cast,
            modifiers,
            column: table.label(column).unwrap_or_default(),
            result,
        });
        if result == Withdrawal::Withdraw { self.end_game(Ending::Withdrawal) } else { Ok(()) }
    }

    /// A.4 (§14.4.6b).
    pub fn supply_points(&mut self) {
        if !self.game.options.supply_points {
            return;
        }
        self.begin_phase("us", "points", PhaseName::SupplyPoints);
        let gained = self.data().tables.supply.us_turn;
        self.gain(Force::Us, gained);
    }

    /// A.5 (§12, A96): the US die first.
    pub fn yellow_fever(&mut self) -> Ruling<()> {
        if self.state.turn < self.data().tables.fever.first_turn {
            return Ok(());
        }
        self.begin_phase("all", "fever", PhaseName::YellowFever);
        for force in [Force::Us, Force::Spanish] {
            let tables = self.data().tables.clone();
            let Some(row) = tables.fever(self.state.turn) else { continue };
            let losses = if force == Force::Us { &row.us } else { &row.spanish };
            let read = |die: i32| usize::try_from(die - 1).ok().and_then(|at| losses.get(at)).copied().unwrap_or(0);
            let good_for = Play::enemy(force.side());
            let eligible = self.eligible_for_fever(force);
            // Whoever is kept out of a hex by them may find it empty.
            let most = losses.iter().copied().max().unwrap_or(0);
            let rooms = self.fever_rooms(&eligible, most);
            let touch = Touch::on(subjects(self.fever_hexes(&eligible, most)).into_iter().chain(rooms));
            let thrown = self.d6(good_for, force, "fever", read, touch)?;
            let steps = thrown.result;
            self.umpire.note(Event::Fever { force, die: thrown.cast, steps });
            // A99; and no check reckons with it: a hex it may empty is only in doubt, a unit it may take is there.
            if steps == 0 || eligible.is_empty() || self.umpire.foresees() {
                continue;
            }
            let at = eligible.first().and_then(|piece| self.state.hex_of(*piece)).unwrap_or(self.data().santiago);
            let led = self.led_hexes(force);
            self.lose(&Toll { pieces: eligible, steps, at, cause: Cause::Fever, ordered: None })?;
            for hex in led {
                self.abandon(hex, force, Fate::Fever); // A15a
            }
        }
        Ok(())
    }

    /// §12c, §12d, A44.
    fn eligible_for_fever(&self, force: Force) -> Vec<Piece> {
        let now = self.now();
        let able = |piece: &Piece| {
            let exempt = now.unit(*piece).is_some_and(|unit| unit.has(Flag::NoFever));
            now.force(*piece) == Some(force) && now.fights(*piece) && !exempt
        };
        now.on_map(force.side()).into_iter().filter(able).collect()
    }

    /// The hexes that so many steps lost to the fever could empty of those who fight.
    fn fever_hexes(&self, eligible: &[Piece], steps: u8) -> BTreeSet<Hex> {
        let now = self.now();
        let hexes: BTreeSet<Hex> = eligible.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
        let empties = |hex: &Hex| {
            let there: Vec<Piece> = now.pieces_in(*hex).filter(|piece| now.fights(*piece)).collect();
            there.iter().all(|piece| eligible.contains(piece))
                && now.may_take_all(eligible, steps, Cause::Fever, &there)
        };
        hexes.into_iter().filter(empties).collect()
    }

    /// The room that so many steps lost to the fever could make for those who land (A13), hex by hex.
    fn fever_rooms(&self, eligible: &[Piece], steps: u8) -> Vec<Subject> {
        let now = self.now();
        let mut rooms = Vec::new();
        for hex in &self.data().beaches {
            let there = now.pieces_in(*hex).filter(|piece| eligible.contains(piece));
            let (guns, foot): (Vec<Piece>, Vec<Piece>) =
                there.partition(|piece| now.kind(*piece).is_some_and(UnitKind::is_gun));
            let taken = |of: &[Piece]| u32::try_from(now.most_taken(eligible, steps, Cause::Fever, of)).unwrap_or(0);
            rooms.extend((1..=taken(&foot)).map(|steps| room_in(*hex, steps)));
            rooms.extend((taken(&guns) > 0).then(|| room_for_gun(*hex)));
        }
        rooms
    }

    /// The hexes in which a leader of the force has fighting companions.
    fn led_hexes(&self, force: Force) -> BTreeSet<Hex> {
        let now = self.now();
        let leads = |piece: &Piece| now.kind(*piece) == Some(UnitKind::Leader) && now.force(*piece) == Some(force);
        let hexes = now.on_map(force.side()).into_iter().filter(leads).filter_map(|piece| self.state.hex_of(piece));
        hexes.filter(|hex| now.held_by(*hex, force.side())).collect()
    }

    /// D: markers go, the turn ends; after the last one the result is read (§2m to §2o).
    pub fn end_of_turn(&mut self) -> Ruling<()> {
        self.begin_phase("all", "end", PhaseName::EndOfTurn);
        for unit in self.state.units.values_mut() {
            (unit.ds, unit.landed, unit.stopped) = (false, false, false);
        }
        for counter in self.state.counters.values_mut() {
            (counter.ds, counter.landed, counter.stopped) = (0, false, false);
        }
        self.state.in_force.clear();
        self.state.event = None;
        self.state.attacked.clear();
        self.state.fired.clear();
        let turn = self.state.turn;
        self.umpire.note(Event::TurnEnded { turn });
        if turn >= self.data().tables.limits.turns {
            let held = !self.now().us_controls(self.data().santiago);
            return self.end_game(if held { Ending::SantiagoHolds } else { Ending::Drawn });
        }
        self.state.turn = turn + 1;
        Ok(())
    }

    /// §14.8f, A66: the balloon looks at the Spanish columns beside it.
    pub fn observe(&mut self) -> Ruling<()> {
        let at = self.data().cast().signals.and_then(|id| self.state.hex_of(id));
        let Some(at) = at.filter(|_| self.state.balloon_up && self.game.options.balloon) else { return Ok(()) };
        let near: Vec<Piece> = (self.state.counters.iter())
            .filter(|(_, counter)| counter.force == Force::Spanish && self.data().touch(counter.at, at))
            .map(|(name, _)| *name)
            .collect();
        for name in near {
            let faces = self.data().tables.observation.on.clone();
            let seen = |die: i32| faces.iter().any(|face| i32::from(*face) == die);
            let thrown =
                self.d6_says(US, name, "observation", seen, ["its steps are told", "nothing"], Touch::default())?;
            let mut steps = None;
            let mut dummy = false;
            if thrown.result {
                dummy = self.is_dummy(name, true)?;
                let (sealed, wounds) = match self.counter(name) {
                    Some(counter) => (counter.holds.0.clone(), counter.wounds.clone()),
                    None => continue,
                };
                if !dummy {
                    let data = self.data();
                    let count = |held: &[Content]| {
                        let left =
                            held.iter().flat_map(|content| super::position::after_losses(data, content, &wounds));
                        left.map(|(_, steps)| u32::from(steps)).sum::<u32>()
                    };
                    let told = self.umpire.fact_or(&[&sealed], &Subject::of(name), "steps", count, 0)?;
                    let turn = self.state.turn;
                    if let Some(counter) = self.state.counters.get_mut(&name) {
                        (counter.told, counter.since) = (Some(told), Some(turn));
                    }
                    steps = Some(told);
                }
            }
            self.umpire.note(Event::Observed { counter: name, die: thrown.cast, steps });
            if dummy {
                self.remove_dummy(name, Why::Balloon);
            }
        }
        Ok(())
    }
}
