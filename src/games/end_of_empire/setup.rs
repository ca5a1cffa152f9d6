//! Chapter 3: set-up. Spain first, with what its columns hold face down; then the Cubans.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Halt, Ruling, Sealed, Slot, Subject, count_of};

use super::data::{Data, DefaultSetup, Unit};
use super::events::{Event, PhaseName};
use super::orders::{ColumnOrder, SetupOrders};
use super::play::Play;
use super::position::{Known, Position};
use super::state::{CounterState, Place, State};
use super::terms::{Content, Flag, Force, Member, Mode, Piece, Setup, Size, Terrain, UnitKind};
use super::{EndOfEmpire, SPAIN};

/// The slot of what a counter holds from a turn on.
pub fn slot_of(counter: Piece, turn: u32) -> Ruling<Slot> {
    Slot::parse(&format!("{counter}/t{turn}")).map_err(|error| Halt::Bug(error.to_string()))
}

/// Does the unit begin on the map when its force sets up (§3b to §3d)?
pub fn sets_up(unit: &Unit, force: Force) -> bool {
    let begins = matches!(unit.setup, Setup::Start | Setup::NearSantiago | Setup::Fixed | Setup::Cuban);
    unit.force == force && begins && unit.kind.is_piece() && unit.kind != UnitKind::LogisticColumn
}

/// The detachments a unit can be split into: so many, of this kind (§13.1, §13.2).
pub fn parts_of(unit: &Unit) -> Option<(usize, UnitKind)> {
    if unit.has(Flag::Detach) && unit.steps == 2 {
        Some((1, UnitKind::Infantry))
    } else if unit.has(Flag::Split) {
        Some((2, UnitKind::Artillery))
    } else {
        None
    }
}

/// The detachment counters of a kind.
pub fn detachments(data: &Data, kind: UnitKind) -> impl Iterator<Item = Piece> {
    let made = move |unit: &&Unit| unit.setup == Setup::Created && unit.size == Size::Detachment && unit.kind == kind;
    data.units.values().filter(made).map(|unit| unit.id)
}

/// How many units left to the proposal are named.
const NAMED: usize = 6;

/// What is wrong with what the counters of one set-up hold, by clause.
struct Hidden<'h> {
    game: &'h EndOfEmpire,
    state: &'h State,
    force: Force,
    orders: &'h SetupOrders,
    /// Where every counter stands.
    at: &'h [(Piece, Hex)],
}

/// The clauses a set-up vouches for, with the words of their faults.
const VOUCHED: &[(&str, &str, &str)] = &[
    (
        "14.6c",
        "a column holds what is no unit of this set-up, or a unit that stands elsewhere too",
        "name each unit once",
    ),
    ("3b", "a unit of the set-up stands nowhere", "place it, or put it into a column"),
    ("14.7b", "not every dummy is deployed, or one too many", "deploy all dummies of the force"),
    ("14.6a", "there are not so many column counters", "form fewer columns"),
    ("3k", "the Naval Brigade is in a column too far from Santiago", "keep it within 3 hexes of Santiago"),
    ("3l", "M or So is in a column away from its fort", "leave them at El Morro and La Socapa"),
    ("A89", "units in guerrilla share a column with others", "give guerrillas in guerrilla a column of their own"),
    ("A13", "a hex holds too many steps or guns", "12 steps and one gun fit into a hex"),
    ("3i", "Santiago has no real unit", "put a combat unit into Santiago"),
    ("3j", "a hex beside Santiago has no real unit", "put a combat unit into each land hex around Santiago"),
    (
        "13.1a",
        "detachments in columns do not match the battalions and batteries they come from",
        "pair each with a reduced battalion, or name what it comes from under `detach`",
    ),
    ("3f", "`covered` is not how many logistic columns are in columns", "leave it to the check"),
];

impl Hidden<'_> {
    fn data(&self) -> &Data {
        &self.game.data
    }

    fn breaks(&self, clause: &str, held: &[Content]) -> bool {
        let data = self.data();
        let unit = |member: &Member| data.unit(member.unit);
        let members: Vec<(Hex, Member)> = (self.at.iter().zip(held))
            .flat_map(|((_, hex), content)| content.members().iter().map(|member| (*hex, *member)))
            .collect();
        match clause {
            "14.6c" => {
                let mut seen = BTreeSet::new();
                let made = |unit: &Unit| unit.size == Size::Detachment && unit.setup == Setup::Created;
                let train = |unit: &Unit| unit.kind == UnitKind::LogisticColumn;
                let fits =
                    |unit: &Unit| unit.force == self.force && (sets_up(unit, self.force) || made(unit) || train(unit));
                // Neither who stands in the open, nor a battery that has been taken away.
                let elsewhere = |piece: Piece| self.state.unit(piece).at != Place::Off;
                self.bursts(held)
                    || members.iter().any(|(_, member)| {
                        !seen.insert(member.unit) || elsewhere(member.unit) || !unit(member).is_some_and(fits)
                    })
            }
            "3b" => {
                let laid: BTreeSet<Piece> = members.iter().map(|(_, member)| member.unit).collect();
                let gone = |unit: &Unit| self.state.unit(unit.id).at == Place::Off && !laid.contains(&unit.id);
                data.units.values().any(|unit| sets_up(unit, self.force) && gone(unit))
            }
            "14.7b" => {
                held.iter().filter(|content| content.is_dummy()).count() != data.supply_of(self.force, UnitKind::Dummy)
            }
            "14.6a" => {
                let real = held.iter().filter(|content| !content.is_dummy());
                real.clone().count() > data.containers(self.force)
                    || real.clone().any(|content| content.members().is_empty())
            }
            "3k" => members.iter().any(|(hex, member)| {
                let near = data.distance(*hex, data.santiago) <= data.tables.limits.near_santiago;
                unit(member).is_some_and(|unit| unit.setup == Setup::NearSantiago) && !near
            }),
            "3l" => members.iter().any(|(hex, member)| {
                unit(member).is_some_and(|unit| unit.setup == Setup::Fixed && unit.hex != Some(*hex))
            }),
            "A89" => (self.at.iter().zip(held)).any(|((name, _), content)| {
                let guerrilla = |member: &Member| unit(member).is_some_and(|unit| unit.kind == UnitKind::Guerrilla);
                let mode = self.state.counters.get(name).and_then(|counter| counter.mode);
                mode == Some(Mode::Guerrilla) && !content.members().iter().all(guerrilla)
            }),
            "A13" if self.bursts(held) => false,
            "A13" => {
                let known = Known(self.at.iter().map(|(name, _)| *name).zip(held.iter().cloned()).collect());
                let now = Position { game: self.game, state: self.state, known: &known };
                let hexes: BTreeSet<Hex> = self.at.iter().map(|(_, hex)| *hex).collect();
                hexes.iter().any(|hex| now.overstacked(*hex, self.force, &now.stack(*hex, self.force)))
            }
            "3i" => self.force == Force::Spanish && !self.guarded(data.santiago, &members),
            "3j" => {
                self.force == Force::Spanish && data.land_around(data.santiago).any(|hex| !self.guarded(hex, &members))
            }
            "13.1a" => {
                let split = |piece: Piece| self.orders.detach.iter().any(|entry| entry.unit == piece);
                // Each that is turned over has given one, to a column unless it is said where that stands in the open.
                let mut given = 0;
                for (_, member) in &members {
                    let Some(known) = unit(member) else { continue };
                    let steps = member.steps.unwrap_or(known.steps);
                    // Nobody else lies there with more or fewer than his own.
                    let reduced = known.has(Flag::Detach) && steps == 1;
                    if reduced != (steps != known.steps) || known.has(Flag::Detach) && split(known.id) && !reduced {
                        return true;
                    }
                    given += usize::from(reduced && !split(known.id));
                }
                let mut owed = BTreeMap::from([(UnitKind::Infantry, given)]);
                for entry in &self.orders.detach {
                    if let Some((count, kind)) = data.unit(entry.unit).and_then(parts_of) {
                        *owed.entry(kind).or_default() += count.saturating_sub(entry.at.len());
                    }
                }
                [UnitKind::Infantry, UnitKind::Artillery].into_iter().any(|kind| {
                    let of = |member: &Member| {
                        unit(member).is_some_and(|unit| unit.kind == kind && unit.setup == Setup::Created)
                    };
                    let made = members.iter().filter(|(_, member)| of(member)).count();
                    made != owed.get(&kind).copied().unwrap_or(0)
                })
            }
            "3f" => {
                let train = |member: &Member| unit(member).is_some_and(|unit| unit.kind == UnitKind::LogisticColumn);
                let trains = members.iter().filter(|(_, member)| train(member)).count();
                u32::try_from(trains).ok() != Some(self.orders.covered.unwrap_or(0))
            }
            _ => false,
        }
    }

    /// Is there a column that would not fit into a hex by itself (§14.6c)?
    fn bursts(&self, held: &[Content]) -> bool {
        let known = Known::default();
        let now = Position { game: self.game, state: self.state, known: &known };
        held.iter().any(|content| {
            let bulk = content.members().iter().map(|member| {
                let full = self.data().unit(member.unit).map_or(0, |unit| unit.steps);
                now.bulk(member.unit, member.steps.unwrap_or(full))
            });
            let sum = bulk.fold((0, 0), |sum, (foot, guns)| (sum.0 + foot, sum.1 + guns));
            now.too_much(self.data().santiago, Force::Spanish, sum)
        })
    }

    /// Is there a real combat unit in the hex (A74)?
    fn guarded(&self, hex: Hex, members: &[(Hex, Member)]) -> bool {
        let known = Known::default();
        let now = Position { game: self.game, state: self.state, known: &known };
        let open = now.stack(hex, self.force).into_iter().any(|piece| now.kind(piece).is_some_and(UnitKind::is_combat));
        open || members.iter().any(|(at, member)| *at == hex && now.kind(member.unit).is_some_and(UnitKind::is_combat))
    }
}

/// What a force has to heed when it sets up, reckoned once for all hexes.
pub struct Footing {
    force: Force,
    /// Where Spanish units are, as far as that matters.
    spanish: BTreeSet<Hex>,
    /// Cubans set up this far from Santiago, at least or at most.
    cuban_distance: u32,
}

impl Position<'_> {
    /// What a force has to heed when it sets up.
    pub fn footing(&self, force: Force) -> Footing {
        let cuban = force == Force::Cuban;
        let on_map = if cuban { self.on_map(SPAIN) } else { Vec::new() };
        let spanish = on_map.into_iter().filter_map(|piece| self.state.hex_of(piece)).collect();
        let distance = self.data().tables.limits.cuban_distance;
        let at_most = cuban && self.game.options.cubans_near;
        let cuban_distance = if at_most { self.cuban_reach(&spanish) } else { distance };
        Footing { force, spanish, cuban_distance }
    }

    /// Why a unit or counter of a force may not be set up in a hex, whatever else is there.
    pub fn bars_set_up(&self, footing: &Footing, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        if !data.is_land(hex) {
            bars.push(Bar::new("3b", format!("{hex} is no land hex"), "name a land hex").firm());
        }
        if footing.force != Force::Cuban {
            return bars;
        }
        if let Some(what) = self.settled(hex) {
            let remedy = "Cubans set up away from towns, villages and roads";
            bars.push(Bar::new("3p", format!("{hex} is {what}"), remedy).firm());
        }
        if self.near_the_spanish(hex, &footing.spanish) {
            let why = format!("a Spanish unit is in or beside {hex}");
            bars.push(Bar::new("3r", why, "keep away from Spanish units").firm());
        }
        let far = data.distance(hex, data.santiago);
        let limit = footing.cuban_distance;
        let (wrong, remedy) = match self.game.options.cubans_near {
            true => (far > limit, format!("at most {limit}")),
            false => (far < limit, format!("at least {limit}")),
        };
        if wrong {
            let why = format!("{hex} is {} from Santiago", count_of(far, "hex"));
            bars.push(Bar::new("3q", why, format!("set up {remedy} hexes from Santiago")).firm());
        }
        bars
    }

    /// What no Cuban sets up in (§3p).
    fn settled(&self, hex: Hex) -> Option<&'static str> {
        let data = self.data();
        match data.terrain(hex) {
            Terrain::Village | Terrain::Town | Terrain::City => Some("a town or village"),
            _ => data.ground(hex).filter(|ground| ground.road).map(|_| "a road hex"),
        }
    }

    /// Whom no Cuban sets up with or beside (§3r).
    fn near_the_spanish(&self, hex: Hex, spanish: &BTreeSet<Hex>) -> bool {
        spanish.contains(&hex) || self.data().neighbours(hex).any(|next| spanish.contains(&next))
    }

    /// How far from Santiago Cubans set up with `at-most`: as far as it takes until the hexes the Spanish leave them hold all of
    /// them (A04).
    fn cuban_reach(&self, spanish: &BTreeSet<Hex>) -> u32 {
        let data = self.data();
        let limits = &data.tables.limits;
        let steps: u32 = (data.units.values().filter(|unit| sets_up(unit, Force::Cuban)))
            .map(|unit| self.bulk(unit.id, unit.steps).0)
            .sum();
        let mut hexes: Vec<Hex> = data.grid.cells().filter(|hex| data.is_land(*hex)).collect();
        hexes.sort_by_key(|hex| data.distance(*hex, data.santiago));
        hexes.retain(|hex| self.settled(*hex).is_none() && !self.near_the_spanish(*hex, spanish));
        let last = hexes.into_iter().take(steps.div_ceil(limits.stack_steps) as usize).next_back();
        last.map_or(0, |hex| data.distance(hex, data.santiago)).max(limits.cuban_distance)
    }

    /// The nearest hex to a wish where a force may set up and the unit has room.
    pub fn free_set_up(&self, footing: &Footing, unit: Piece, wish: Hex) -> Option<Hex> {
        let data = self.data();
        let force = footing.force;
        let fits = |hex: Hex| {
            let mut stack = self.stack(hex, force);
            stack.push(unit);
            let mixed = self.kind(unit) == Some(UnitKind::Guerrilla) && self.in_guerrilla(unit);
            let others = stack.iter().any(|piece| *piece != unit && !self.in_guerrilla(*piece));
            !self.overstacked(hex, force, &stack)
                && !(mixed && (others || data.terrain(hex).bars_guerrillas()))
                && (mixed || !stack.iter().any(|piece| *piece != unit && self.in_guerrilla(*piece)))
        };
        let mut hexes: Vec<Hex> = data.grid.cells().collect();
        hexes.sort_by_key(|hex| (data.distance(wish, *hex), *hex));
        hexes.into_iter().find(|hex| fits(*hex) && self.bars_set_up(footing, *hex).is_empty())
    }
}

impl EndOfEmpire {
    /// The set-up of the scenario for a force.
    pub fn default_setup(&self, force: Force) -> Option<&DefaultSetup> {
        let scenario = self.data.scenarios.first()?;
        Some(if force == Force::Spanish { &scenario.spanish } else { &scenario.cuban })
    }

    /// Fills in what a set-up leaves out: units in their default hexes, dummies, modes. Nothing where the contents are
    /// sealed, since then it has been done.
    pub fn complete_setup(&self, state: &State, force: Force, orders: &mut SetupOrders) {
        let Some(defaults) = self.default_setup(force) else { return };
        let split: BTreeSet<Piece> = orders.detach.iter().map(|entry| entry.unit).collect();
        let mut laid: BTreeSet<Piece> = BTreeSet::new();
        let (mut dummies, mut trains) = (0, 0);
        for column in &mut orders.columns {
            match &mut column.holds {
                Concealed::Sealed(_) => return,
                Concealed::Open(Content::Dummy) => dummies += 1,
                Concealed::Open(Content::Units(members)) => {
                    for member in members {
                        let unit = self.data.unit(member.unit);
                        trains += u32::from(unit.is_some_and(|unit| unit.kind == UnitKind::LogisticColumn));
                        // §13.1a: who gives off a detachment is turned over.
                        if split.contains(&member.unit) && unit.is_some_and(|unit| unit.has(Flag::Detach)) {
                            member.steps.get_or_insert(1);
                        }
                        laid.insert(member.unit);
                    }
                }
            }
        }
        orders.covered = orders.covered.or((trains > 0).then_some(trains));
        for (unit, mode) in &defaults.modes {
            if !laid.contains(unit) {
                orders.modes.entry(*unit).or_insert(*mode);
            }
        }
        // Lay out what was said, so that the rest finds room.
        let mut state = state.clone();
        let known = Known::default();
        for (unit, mode) in &orders.modes {
            if let Some(now) = state.units.get_mut(unit) {
                now.mode = now.mode.map(|_| *mode);
            }
        }
        for (unit, hex) in &orders.place {
            if let Some(now) = state.units.get_mut(unit) {
                now.at = Place::At(*hex);
            }
        }
        orders.columns.iter().for_each(|column| state.lay(force, column));
        let footing = Position { game: self, state: &state, known: &known }.footing(force);
        let mut units: Vec<_> = self.data.units.values().filter(|unit| sets_up(unit, force)).collect();
        // Whose hex is printed takes it, whoever else is there (§3l); the others find room around them.
        units.sort_by_key(|unit| (unit.hex.is_none(), unit.id));
        for unit in units {
            let whole = !(split.contains(&unit.id) && unit.has(Flag::Split));
            if orders.place.contains_key(&unit.id) || laid.contains(&unit.id) || !whole {
                continue;
            }
            let wish = defaults.units.get(&unit.id).copied().unwrap_or(self.data.santiago);
            let now = Position { game: self, state: &state, known: &known };
            let hex = unit.hex.or_else(|| now.free_set_up(&footing, unit.id, wish)).unwrap_or(wish);
            orders.place.insert(unit.id, hex);
            if let Some(now) = state.units.get_mut(&unit.id) {
                now.at = Place::At(hex);
            }
        }
        if self.options.columns {
            let missing = self.data.supply_of(force, UnitKind::Dummy).saturating_sub(dummies);
            let wished = defaults.columns.iter().filter(|column| column.holds.is_dummy()).map(|column| column.at);
            for wish in wished.take(missing) {
                let now = Position { game: self, state: &state, known: &known };
                let mut hexes: Vec<Hex> = self.data.grid.cells().collect();
                hexes.sort_by_key(|hex| (self.data.distance(wish, *hex), *hex));
                hexes.retain(|hex| now.bars_set_up(&footing, *hex).is_empty());
                // A dummy whose hex is closed, or full of guerrillas, goes to the nearest free one; where the Spanish leave
                // none, it hides with the guerrillas (A101).
                let hiding = |hex: &Hex| now.pieces_in(*hex).any(|piece| now.in_guerrilla(piece));
                let free = hexes.iter().copied().find(|hex| !hiding(hex));
                let mode = (free.is_none() && !hexes.is_empty()).then_some(Mode::Guerrilla);
                let at = free.or(hexes.first().copied()).unwrap_or(wish);
                let column = ColumnOrder { at, holds: Concealed::Open(Content::Dummy), mode };
                state.lay(force, &column);
                orders.columns.push(column);
            }
        }
    }
}

impl State {
    /// Puts a counter of a set-up on the map, whatever it holds.
    pub fn lay(&mut self, force: Force, column: &ColumnOrder) {
        let name = self.next_name(force);
        if let Ok(slot) = slot_of(name, 0) {
            let mode = column.mode.or((force == Force::Cuban).then_some(Mode::Regular));
            self.counters.insert(name, CounterState::new(force, column.at, Sealed::new(force.side(), slot), mode));
            *self.numbered.entry(force).or_default() += 1;
        }
    }
}

impl Play<'_, '_> {
    /// 1º and 2º of chapter 3: one force takes its places, or, where its set-up will not do, the default ones.
    pub fn set_up(&mut self, force: Force, orders: &mut SetupOrders) -> Ruling<()> {
        match force {
            Force::Spanish => self.begin_phase("spain", "setup", PhaseName::SpanishSetup),
            _ => self.begin_phase("us", "setup", PhaseName::CubanSetup),
        }
        self.entry(DocPath::root(), |play| {
            let named: BTreeSet<Piece> = orders.place.keys().copied().collect();
            play.game.complete_setup(play.state, force, orders);
            let left = orders.place.iter().filter(|(unit, _)| !named.contains(unit));
            let left: Vec<String> = left.map(|(unit, hex)| format!("{unit} in {hex}")).collect();
            if !left.is_empty() {
                let more = left.len().saturating_sub(NAMED);
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                let why = format!("left to the proposal: {}{more}", left[..left.len().min(NAMED)].join(", "));
                let clause = if force == Force::Spanish { "3b" } else { "3p" };
                let bar = Bar::new(clause, why, "name their hexes under `place`, or leave it so");
                play.umpire.mind(bar.at(DocPath::root().key("place")));
            }
            let before = play.state.clone();
            let bars = play.lay_out(force, orders)?;
            if bars.iter().any(|bar| !bar.clause.0.is_empty()) {
                let refused = !play.umpire.foresees();
                play.lapse("set-up", bars);
                if refused {
                    *play.state = before;
                    let mut default = SetupOrders::default();
                    play.game.complete_setup(play.state, force, &mut default);
                    play.lay_out(force, &default)?;
                }
            }
            Ok(())
        })?;
        let now = self.now();
        let on_map = |(id, unit): (&Piece, &super::state::UnitState)| Some((*id, unit.at.hex()?));
        let units: BTreeMap<Piece, Hex> =
            self.state.units.iter().filter_map(on_map).filter(|(id, _)| now.force(*id) == Some(force)).collect();
        let of_force = self.state.counters.iter().filter(|(_, counter)| counter.force == force);
        let counters: BTreeMap<Piece, Hex> = of_force.map(|(name, counter)| (*name, counter.at)).collect();
        if force == Force::Cuban {
            self.state.us_control.extend(units.values().copied());
            for (name, at) in &counters {
                if self.holds_what_matters(*name, *at)? {
                    self.take(*at, force.side());
                }
            }
        }
        self.umpire.note(Event::Deployed { force, units, counters });
        Ok(())
    }

    /// Puts everything where the orders say; gives every reason why that may not be.
    fn lay_out(&mut self, force: Force, orders: &SetupOrders) -> Ruling<Vec<Bar>> {
        let data = self.data();
        let footing = self.now().footing(force);
        let mut bars: Vec<Bar> = Vec::new();
        let at = |key: &str| DocPath::root().key(key);
        for (unit, hex) in &orders.place {
            let place = at("place").key(unit.as_str());
            match data.unit(*unit) {
                Some(known) if sets_up(known, force) => {
                    if known.hex.is_some_and(|fixed| fixed != *hex) {
                        let why = format!(
                            "{unit} belongs to {}",
                            known.hex.map(|hex| data.describe(hex)).unwrap_or_default()
                        );
                        bars.push(Bar::new("3l", why, "leave it there").at(place.clone()).firm());
                    }
                    let near = data.distance(*hex, data.santiago) <= data.tables.limits.near_santiago;
                    if known.setup == Setup::NearSantiago && !near {
                        let why = format!("{hex} is more than 3 hexes from Santiago");
                        bars.push(Bar::new("3k", why, "set it up within 3 hexes of 1208").at(place.clone()).firm());
                    }
                    let hexes = self.now().bars_set_up(&footing, *hex).into_iter();
                    bars.extend(hexes.map(|bar| Bar { why: format!("{unit}: {}", bar.why), ..bar }.at(place.clone())));
                    if let Some(now) = self.state.units.get_mut(unit) {
                        now.at = Place::At(*hex);
                    }
                }
                Some(known) if known.force == force && known.setup == Setup::Escario => {
                    bars.push(Bar::new("3d", format!("{unit} comes with Escario"), "leave it out").at(place).firm());
                }
                Some(known) if known.force == force && known.setup == Setup::Event => {
                    bars.push(Bar::new("3c", format!("{unit} comes by event 61-62"), "leave it out").at(place).firm());
                }
                Some(known) if known.kind == UnitKind::LogisticColumn && known.force == force => {
                    let remedy = "list the hexes of logistic columns under `logistics`";
                    bars.push(Bar::new("3f", format!("{unit} is a logistic column"), remedy).at(place).firm());
                }
                _ => bars.push(Bar::new("3a", format!("{unit} is not set up now"), "leave it out").at(place).firm()),
            }
        }
        for (unit, mode) in &orders.modes {
            match self.state.units.get_mut(unit).filter(|now| now.mode.is_some()) {
                Some(now) if data.unit(*unit).is_some_and(|unit| unit.force == force) => now.mode = Some(*mode),
                _ => {
                    let bar = Bar::new("11.1a", format!("{unit} is no guerrilla unit of yours"), "leave it out");
                    bars.push(bar.at(at("modes").key(unit.as_str())).firm());
                }
            }
        }
        bars.extend(self.lay_detachments(&footing, orders));
        bars.extend(self.lay_logistics(&footing, orders));
        bars.extend(self.lay_columns(&footing, orders)?);
        bars.extend(self.crowding(force));
        Ok(bars)
    }

    /// §3g, A73: battalions and batteries in parts.
    fn lay_detachments(&mut self, footing: &Footing, orders: &SetupOrders) -> Vec<Bar> {
        let (data, force) = (self.data(), footing.force);
        let mut bars = Vec::new();
        for (index, entry) in orders.detach.iter().enumerate() {
            let place = DocPath::root().key("detach").index(index);
            let unit = data.unit(entry.unit).filter(|unit| unit.force == force);
            if unit.is_some_and(|unit| unit.setup == Setup::Escario) {
                let bar = Bar::new("3d", format!("{} comes with Escario", entry.unit), "leave it out");
                bars.push(bar.at(place.key("unit")).firm());
                continue;
            }
            // §13.1b: none that has been split before.
            let whole = |unit: &&Unit| sets_up(unit, force) && self.state.unit(unit.id).steps == unit.steps;
            let Some((count, kind)) = unit.filter(whole).and_then(parts_of) else {
                let why = format!("{} cannot be split", entry.unit);
                bars.push(Bar::new("13.1b", why, "name a full battalion or a battery").at(place.key("unit")).firm());
                continue;
            };
            if entry.at.len() > count {
                let parts = count_of(count, "detachment");
                let why = format!("{} makes {parts}, and {} are named", entry.unit, count_of(entry.at.len(), "hex"));
                let remedy = if count == 1 { "name one hex" } else { "name a hex for each" };
                bars.push(Bar::new("13.2a", why, remedy).at(place.key("at")).firm());
                continue;
            }
            for (index, hex) in entry.at.iter().enumerate() {
                bars.extend(
                    self.now().bars_set_up(footing, *hex).into_iter().map(|bar| bar.at(place.key("at").index(index))),
                );
                let free = detachments(data, kind).find(|id| self.state.unit(*id).at == Place::Off);
                match free.and_then(|id| self.state.units.get_mut(&id)) {
                    Some(now) => now.at = Place::At(*hex),
                    None => bars.push(
                        Bar::new("13.1a", "no detachment counter is left", "make fewer").at(place.clone()).firm(),
                    ),
                }
            }
            if let Some(now) = self.state.units.get_mut(&entry.unit) {
                match kind {
                    UnitKind::Artillery => now.at = Place::Lost,
                    _ => now.steps = 1,
                }
                if now.at == Place::Lost {
                    now.steps = 0;
                }
            }
        }
        bars
    }

    /// §3f, A72.
    fn lay_logistics(&mut self, footing: &Footing, orders: &SetupOrders) -> Vec<Bar> {
        let (data, force) = (self.data(), footing.force);
        let limit = data.tables.supply.columns_at_setup;
        let mut bars = Vec::new();
        // A89: those under columns are paid for like the others (A49).
        let covered = orders.covered.unwrap_or(0);
        let open = u32::try_from(orders.logistics.len()).unwrap_or(u32::MAX);
        let at = || DocPath::root().key("covered");
        if covered > 0 && (!self.game.options.supply_points || force != Force::Spanish) {
            bars.push(Bar::new("14.5.1a", "there are no logistic columns here", "leave it out").at(at()).firm());
        } else if covered > 0 && open.saturating_add(covered) > limit {
            bars.push(Bar::new("3f", "at most 3 logistic columns are set up", "leave some out").at(at()).firm());
        } else if let Some(points) = self.state.supply_points.get_mut(&force) {
            *points = points.saturating_sub(covered);
        }
        for (index, hex) in orders.logistics.iter().enumerate() {
            let place = DocPath::root().key("logistics").index(index);
            let mut wrong = self.now().bars_set_up(footing, *hex);
            if !self.game.options.supply_points || force != Force::Spanish {
                wrong.push(Bar::new("14.5.1a", "there are no logistic columns here", "leave it out").firm());
            }
            if index >= limit as usize {
                wrong.push(Bar::new("3f", "at most 3 logistic columns are set up", "leave it out").firm());
            }
            let free = data.of_kind(force, UnitKind::LogisticColumn).map(|unit| unit.id);
            let free = free.filter(|id| self.state.unit(*id).at == Place::Off).min();
            if wrong.is_empty()
                && let Some(now) = free.and_then(|id| self.state.units.get_mut(&id))
            {
                now.at = Place::At(*hex);
                // A49: each takes one of the points.
                if let Some(points) = self.state.supply_points.get_mut(&force) {
                    *points = points.saturating_sub(1);
                }
            }
            bars.extend(wrong.into_iter().map(|bar| bar.at(place.clone())));
        }
        bars
    }

    /// §14.6, §14.7b: columns and dummies, with everything their owner vouches for.
    fn lay_columns(&mut self, footing: &Footing, orders: &SetupOrders) -> Ruling<Vec<Bar>> {
        let force = footing.force;
        let mut bars = Vec::new();
        let mut at: Vec<(Piece, Hex)> = Vec::new();
        let mut sealed: Vec<Sealed<Content>> = Vec::new();
        for (index, column) in orders.columns.iter().enumerate() {
            let place = DocPath::root().key("columns").index(index);
            if !self.game.options.columns {
                bars.push(Bar::new("14.6a", "this match is played without columns", "leave it out").at(place).firm());
                continue;
            }
            bars.extend(self.now().bars_set_up(footing, column.at).into_iter().map(|bar| bar.at(place.key("at"))));
            let name = self.state.next_name(force);
            let holds = self.umpire.keep(force.side(), slot_of(name, 0)?, &column.holds)?;
            sealed.push(holds.clone());
            at.push((name, column.at));
            let mode = column.mode.or((force == Force::Cuban).then_some(Mode::Regular));
            self.umpire.whisper_of(&holds, |content| Event::Laid { counter: name, holds: content.clone() });
            self.state.counters.insert(name, CounterState::new(force, column.at, holds, mode));
            *self.state.numbered.entry(force).or_default() += 1;
        }
        if !self.game.options.columns {
            sealed.clear();
        }
        let state = self.state.clone();
        let hidden = Hidden { game: self.game, state: &state, force, orders, at: &at };
        if sealed.is_empty() {
            // Nothing is hidden: the same conditions, judged openly.
            for (clause, why, remedy) in
                VOUCHED.iter().filter(|(clause, ..)| *clause != "14.7b" || self.game.options.columns)
            {
                if hidden.breaks(clause, &[]) {
                    bars.push(Bar::new(clause, *why, *remedy));
                }
            }
            return Ok(bars);
        }
        let all: Vec<&Sealed<Content>> = sealed.iter().collect();
        for (clause, why, remedy) in VOUCHED {
            let bar = Bar::new(clause, *why, *remedy).at(DocPath::root().key("columns"));
            self.umpire.vouch(&all, bar, |held| !hidden.breaks(clause, held))?;
        }
        Ok(bars)
    }

    /// A13, A42: what stands in the open has room, and guerrillas keep to themselves.
    fn crowding(&self, force: Force) -> Vec<Bar> {
        let now = self.now();
        let mut bars = Vec::new();
        let units = self.state.units.values().filter_map(|unit| unit.at.hex());
        let hexes: BTreeSet<Hex> = units.chain(self.state.counters.values().map(|counter| counter.at)).collect();
        for hex in hexes {
            let stack = now.stack(hex, force);
            if now.overstacked(hex, force, &stack) {
                let why = format!("too many units are set up in {hex}");
                bars.push(Bar::new("A13", why, "12 steps and one gun fit into a hex").about([Subject::of(hex)]).firm());
            }
            let hiding: Vec<Piece> = stack.iter().copied().filter(|piece| now.in_guerrilla(*piece)).collect();
            if hiding.is_empty() {
                continue;
            }
            if now.data().terrain(hex).bars_guerrillas() {
                let why = format!("{} cannot be in guerrilla in {hex}", hiding[0]);
                bars.push(Bar::new("11.2.2a", why, "deploy it in regular order").firm());
            }
            if hiding.len() < stack.len() {
                let why = format!("units in guerrilla share {hex} with others");
                bars.push(Bar::new("11.1b", why, "deploy them in regular order, or apart").firm());
            }
        }
        bars
    }
}
