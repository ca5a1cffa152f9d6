//! The position of a conformance case: a scenario or a blank map, patched, with real units or invented ones.

use std::collections::BTreeMap;

use crate::board::{Facing, Grid, Square};
use crate::document;
use crate::engine::data::Provenance;
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader, noted};
use crate::engine::{Arranged, Clause, Holdings};

use super::LoneWarrior;
use super::data::{Data, SHELF, Terrain, Unit, expand};
use super::files::ObstacleEntry;
use super::options::{self, Options};
use super::orders::Way;
use super::state::{FieldState, HeroFate, LeaderState, Place, Stage, State, UnitState};
use super::terms::{AreaId, Arm, Bank, Battlefield, Division, Ground, HeroId, LeaderId, Power, UnitId, Work};

document! {
    /// A change to a box.
    pub struct BoxPatch {
        pub ground: Option<Ground>,
        pub work: Option<Work>,
        pub height: Option<u8>,
        pub bank: Option<Bank>,
    }

    /// Changes to the map.
    pub struct MapPatch {
        pub boxes: BTreeMap<Square, BoxPatch>,
        pub obstacles: Vec<ObstaclePatch>,
    }

    /// An obstacle put on box sides.
    pub struct ObstaclePatch {
        pub kind: super::terms::ObstacleKind,
        pub sides: Vec<(Square, Square)>,
    }

    /// An invented unit.
    pub struct CounterPatch {
        pub id: String,
        pub side: Power,
        pub arm: Option<Arm>,
        pub division: Option<Division>,
    }

    /// A unit in the position.
    pub struct UnitPatch {
        pub at: Place,
        pub facing: Option<Facing>,
        pub disordered: bool,
        pub activated: bool,
    }

    /// A leader in the position.
    pub struct LeaderPatch {
        pub at: Way,
        pub used: bool,
        pub alone: bool,
    }

    /// What a side must eliminate and hold.
    pub struct VictoryPatch {
        pub spain: Option<u32>,
        pub us: Option<u32>,
        pub areas: Option<u32>,
    }

    /// Units lost before the case begins, beyond those named.
    pub struct LostPatch {
        pub spain: Option<u32>,
        pub us: Option<u32>,
    }

    /// The position of a case.
    pub struct Start {
        /// `san-juan-heights`, `el-caney`, `both`, or `blank`: an empty map of San Juan Heights' size.
        pub scenario: Option<String>,
        /// For a blank map: whose objectives and victory conditions count.
        pub battlefield: Option<Battlefield>,
        pub options: BTreeMap<String, String>,
        pub turn: Option<u32>,
        pub stage: Option<Stage>,
        pub map: Option<MapPatch>,
        pub counters: Vec<CounterPatch>,
        pub units: BTreeMap<UnitId, UnitAt>,
        pub leaders: BTreeMap<LeaderId, LeaderAt>,
        pub heroes: BTreeMap<HeroId, HeroFate>,
        pub captured: Vec<AreaId>,
        pub victory: Option<VictoryPatch>,
        pub lost: Option<LostPatch>,
        /// Battlefields on which the player turn goes on.
        pub acting: Vec<Battlefield>,
    }
}

/// Short for [`UnitPatch`]: only where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitAt(UnitPatch);

impl serde::Serialize for UnitAt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl FromDoc for UnitAt {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let patch = match node {
            Node::Map(_) => UnitPatch::read(node, at, reader)?,
            _ => UnitPatch { at: Place::read(node, at, reader)?, facing: None, disordered: false, activated: false },
        };
        Some(UnitAt(patch))
    }
}

impl schemars::JsonSchema for UnitAt {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "UnitAt".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let patch = generator.subschema_for::<UnitPatch>();
        let place = generator.subschema_for::<Place>();
        schemars::json_schema!({ "anyOf": [place, patch] })
    }
}

/// Short for [`LeaderPatch`]: a unit, a box, or `lost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaderAt {
    /// Out of the game.
    Lost,
    /// In play.
    On(LeaderPatch),
}

impl serde::Serialize for LeaderAt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            LeaderAt::Lost => serializer.serialize_str("lost"),
            LeaderAt::On(patch) => patch.serialize(serializer),
        }
    }
}

impl FromDoc for LeaderAt {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node {
            Node::Map(_) => LeaderPatch::read(node, at, reader).map(LeaderAt::On),
            _ if node.as_text() == Some("lost") => Some(LeaderAt::Lost),
            _ => Way::read(node, at, reader).map(|at| LeaderAt::On(LeaderPatch { at, used: false, alone: false })),
        }
    }
}

impl schemars::JsonSchema for LeaderAt {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LeaderAt".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let patch = generator.subschema_for::<LeaderPatch>();
        let place = generator.subschema_for::<Square>();
        schemars::json_schema!({ "anyOf": [place, patch], "description": "A unit, a box or `lost`; or in full" })
    }
}

/// Lays out the position of a case.
pub fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<LoneWarrior>> {
    let mut data = noted(SHELF.load(&BTreeMap::new()), faults)?;
    let scenario = start.get("scenario").and_then(Node::as_text).unwrap_or("san-juan-heights").to_owned();
    let blank = scenario == "blank";
    let fields = if blank {
        let given = start.get("battlefield").and_then(Node::as_text).and_then(Battlefield::from_word);
        vec![given.unwrap_or(Battlefield::SanJuan)]
    } else {
        noted(options::scenario(&scenario).map_err(|fault| vec![fault]), faults)?
    };
    let main = *fields.first()?;
    invent(&mut data, main, start, at, faults)?;
    // The names are known now; everything else can be read with them.
    let draft = LoneWarrior::lay(data.clone(), Options::read(&BTreeMap::new()).ok()?, fields.clone());
    let mut reader = Reader::new(&draft.names);
    let read = Start::read(start, at, &mut reader);
    faults.append(&mut reader.faults);
    let read = read?;
    let options = noted(Options::read(&read.options), faults)?;
    if blank {
        clear(&mut data, main, &read);
    }
    patch_map(&mut data, main, &read, at, faults);
    let game = LoneWarrior::lay(data, options, fields);
    let mut state = State::new(&game.data, &game.fields);
    state.turn = read.turn.unwrap_or(1);
    state.stage = read.stage.unwrap_or(if blank { Stage::UsTurn } else { Stage::SpanishSetup });
    for (id, field) in &mut state.fields {
        place(&game, *id, field, &read, state.stage, blank);
        field.acting = read.acting.contains(id);
    }
    let flaws = super::flaws::flaws(&game, &state);
    faults.extend(flaws.into_iter().map(|flaw| Fault::new(at, flaw, "arrange a position the rules allow")));
    if faults.iter().any(|fault| !fault.warning) {
        return None;
    }
    let stop = game.due(&state);
    Some(Arranged { game, state, stop, holdings: Holdings::default() })
}

/// Adds the invented units, and as many nameless lost ones as the case asks for.
fn invent(data: &mut Data, main: Battlefield, start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<()> {
    let plain = crate::engine::doc::PlainTexts;
    let mut reader = Reader::new(&plain);
    let counters = match start.get("counters") {
        Some(node) => Vec::<CounterPatch>::read(node, &at.key("counters"), &mut reader),
        None => Some(Vec::new()),
    };
    let lost = match start.get("lost") {
        Some(node) => LostPatch::read(node, &at.key("lost"), &mut reader),
        None => Some(LostPatch { spain: None, us: None }),
    };
    faults.append(&mut reader.faults);
    let mut counters = counters?;
    let lost = lost?;
    for (power, count) in [(Power::Spain, lost.spain), (Power::Us, lost.us)] {
        for number in 1..=count.unwrap_or(0) {
            let id = format!("{power}-lost-{number}");
            counters.push(CounterPatch { id, side: power, arm: None, division: None });
        }
    }
    for counter in counters {
        let arm = counter.arm.unwrap_or(Arm::Infantry);
        let Some(model) = data.units.values().find(|unit| (unit.power, unit.arm) == (counter.side, arm)).cloned()
        else {
            let what = format!("there is no {} {arm}", counter.side);
            faults.push(Fault::new(&at.key("counters"), what, "choose an arm the side has"));
            return None;
        };
        let id = UnitId::of(&counter.id);
        let unit = Unit {
            id,
            field: main,
            name: counter.id.clone(),
            short: counter.id,
            formation: String::new(),
            division: counter.division,
            start: None,
            hero: None,
            ..model
        };
        data.units.insert(id, unit);
        data.field_mut(main).units.push(id);
    }
    Some(())
}

/// An empty map: nothing but what the case puts there.
fn clear(data: &mut Data, main: Battlefield, read: &Start) {
    let named = |unit: &UnitId| read.units.contains_key(unit) || unit.as_str().contains("-lost-");
    data.units.retain(|id, _| named(id));
    data.leaders.retain(|id, _| read.leaders.contains_key(id));
    data.heroes.retain(|_, hero| read.units.contains_key(&hero.unit));
    let leaders: Vec<LeaderId> = data.leaders.keys().copied().collect();
    let field = data.field_mut(main);
    field.units.retain(named);
    field.leaders.retain(|id| leaders.contains(id));
    field.obstacles.clear();
    let open = Terrain { ground: Ground::Open, work: Work::None, height: 0, bank: Bank::Spanish };
    field.terrain.fill(open);
}

fn patch_map(data: &mut Data, main: Battlefield, read: &Start, at: &DocPath, faults: &mut Vec<Fault>) {
    let field = data.field_mut(main);
    if let Some(VictoryPatch { spain, us, areas }) = read.victory {
        field.spain_needs = spain.unwrap_or(field.spain_needs);
        field.us_needs = us.unwrap_or(field.us_needs);
        field.areas_needed = areas.unwrap_or(field.areas_needed);
    }
    let Some(map) = &read.map else { return };
    for (square, patch) in &map.boxes {
        let index = field.grid.index(*square);
        let Some(terrain) = index.and_then(|index| field.terrain.get_mut(index)) else {
            let what = format!("there is no box {square}");
            faults.push(Fault::new(&at.key("map"), what, "patch a box of the map").by(Clause("A14")));
            continue;
        };
        terrain.ground = patch.ground.unwrap_or(terrain.ground);
        terrain.work = patch.work.unwrap_or(terrain.work);
        terrain.height = patch.height.unwrap_or(terrain.height);
        terrain.bank = patch.bank.unwrap_or(terrain.bank);
    }
    for obstacle in &map.obstacles {
        let entry = ObstacleEntry {
            kind: obstacle.kind,
            name: None,
            between_ranks: None,
            sides: obstacle.sides.clone(),
            source: Provenance::Reconstructed,
        };
        let obstacle = expand(&field.grid, &entry);
        field.obstacles.push(obstacle);
    }
}

fn place(game: &LoneWarrior, id: Battlefield, field: &mut FieldState, read: &Start, stage: Stage, blank: bool) {
    for (unit, state) in &mut field.units {
        let Some(counter) = game.data.units.get(unit) else { continue };
        if let Some(UnitAt(patch)) = read.units.get(unit) {
            let facing = patch.at.square().map(|_| patch.facing.unwrap_or(counter.power.facing()));
            let (disordered, activated) = (patch.disordered, patch.activated);
            *state = UnitState { at: patch.at, facing, disordered, activated };
        } else if counter.start.is_none() && !counter.is_off_table() {
            *state = UnitState::default();
        }
    }
    // In the middle of a game leaders stand where they start, unless the case says otherwise.
    let placed = !blank && matches!(stage, Stage::SpanishTurn | Stage::UsTurn);
    let ids: Vec<LeaderId> = field.leaders.keys().copied().collect();
    for leader in ids {
        let start = game.data.leaders.get(&leader).filter(|_| placed).map(|leader| leader.start);
        let patch = match (read.leaders.get(&leader), start) {
            (Some(LeaderAt::Lost), _) => {
                field.leaders.insert(leader, LeaderState { at: Place::Lost, with: None, used: false });
                continue;
            }
            (Some(LeaderAt::On(patch)), _) => patch.clone(),
            (None, Some(start)) if field.unit(start).at.square().is_some() => {
                LeaderPatch { at: Way::To(start), used: false, alone: false }
            }
            (None, Some(_)) => {
                field.leaders.insert(leader, LeaderState { at: Place::Lost, with: None, used: false });
                continue;
            }
            (None, None) => continue,
        };
        let square = match patch.at {
            Way::To(unit) => field.unit(unit).at.square(),
            Way::Box(square) => Some(square),
            Way::Step(_) => None,
        };
        let Some(square) = square else { continue };
        let now = game.position(id, field);
        let counter = game.data.leaders.get(&leader).filter(|_| !patch.alone);
        let with = counter.and_then(|counter| now.joins_in(counter, square));
        field.leaders.insert(leader, LeaderState { at: Place::At(square), with, used: patch.used });
    }
    for (hero, fate) in &read.heroes {
        if field.heroes.contains_key(hero) {
            field.heroes.insert(*hero, *fate);
        }
    }
    let areas = &game.field(id).areas;
    let mut captured: Vec<AreaId> =
        areas.iter().map(|area| area.id).filter(|area| read.captured.contains(area)).collect();
    captured.sort();
    field.captured = captured;
}
