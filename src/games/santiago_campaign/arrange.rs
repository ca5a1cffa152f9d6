//! Positions from files: the start of a conformance case, a state read back, and what is wrong with a state.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Hex, Layer, Patch, Terrain};
use crate::document;
use crate::engine::doc::{DocPath, Fault, Node, Reader, noted, read_part};
use crate::engine::{Arranged, Charter, Files, Holdings, Json, Rules, Slot, count_of};

use super::data::{Along, Counter, Data, Ground};
use super::play::{Known, Position};
use super::stacking::Room;
use super::state::{Face, Place, Post, Source, Stage, State, TokenState, Truce, UnitState};
use super::terms::{Arm, Flag, HoldingBox, Land, Nation, Token, UnitId};
use super::{SPAIN, SantiagoCampaign};

document! {
    /// Changes to the map of a case.
    pub struct MapPatch {
        /// Terrain of hexes.
        pub terrain: BTreeMap<Hex, Land>,
        /// Roads, each hex by hex.
        pub roads: Vec<Vec<Hex>>,
        /// River hexsides, each as two hexes.
        pub rivers: Vec<Vec<Hex>>,
        /// Bridges, each as two hexes.
        pub bridges: Vec<Vec<Hex>>,
        /// Slopes, each as the low hex and the high one.
        pub slopes: Vec<Vec<Hex>>,
        /// Trenches, each as the defended hex and the one in front.
        pub trenches: Vec<Vec<Hex>>,
        /// Hexsides of open water, each as two hexes.
        pub water: Vec<Vec<Hex>>,
        /// Blockhouses.
        pub blockhouses: Vec<Hex>,
        /// Hexes on the open sea.
        pub coast: Vec<Hex>,
    }
}

document! {
    /// An invented counter.
    pub struct Invented {
        /// `us`, `cuban` or `spanish`.
        pub nation: Nation,
        /// What it is; infantry if left out.
        pub kind: Option<Arm>,
        /// Its factor.
        pub factor: Option<u32>,
        /// The factor of its reduced side; one step if left out.
        pub reduced: Option<u32>,
        /// What is special about it.
        pub flags: Vec<Flag>,
    }
}

document! {
    /// The position of a case. Units that are not named are out of play; US units are in supply unless it says otherwise.
    pub struct CaseStart {
        /// `campaign` for the map of the game, `blank` for clear ground without roads and rivers, `begin` for the first
        /// packet of a match.
        pub scenario: Option<String>,
        /// Options of the game.
        pub options: BTreeMap<String, String>,
        /// Changes to the map.
        pub map: Option<MapPatch>,
        /// Invented counters by name.
        pub counters: BTreeMap<String, Invented>,
        /// The game turn; 3 if left out.
        pub turn: Option<u32>,
        /// Whose packet is due; `us-turn` if left out.
        pub stage: Option<Stage>,
        /// Where American and Cuban units stand.
        pub units: Option<Node>,
        /// Units in the draw pool: a list, or `all`.
        pub pool: Option<Node>,
        /// Spanish units by hex, in the order that names their counters.
        pub spanish: Option<Node>,
        /// Spanish units in the Manzanillo box.
        pub manzanillo: Option<Node>,
        /// Spanish units in the Guantanamo box.
        pub guantanamo: Option<Node>,
        /// Boxes that lie face-up.
        pub face_up: Vec<HoldingBox>,
        /// The Spanish dead pile.
        pub dead: Option<Node>,
        /// Steps left of reduced units.
        pub steps: Option<Node>,
        /// Units with fever.
        pub fever: Option<Node>,
        /// Units that landed this turn.
        pub landed: Option<Node>,
        /// The balloon is up.
        pub balloon_up: bool,
        /// Hexes last passed by the US side, besides those where its units stand.
        pub us_passed: Vec<Hex>,
        /// Supply Source markers, in the order they were placed; Daiquiri if left out.
        pub sources: Option<Vec<Hex>>,
        /// Markers used so far; as many as are on the map if left out.
        pub markers_used: Option<u32>,
        /// US steps lost so far.
        pub steps_lost: Option<u32>,
        /// Two-step units lost so far.
        pub two_steppers_lost: Option<u32>,
        /// The off-road supply length; long enough for every unit if left out.
        pub supply_length: Option<u32>,
        /// Cuban units for the four zones.
        pub cuban_zones: Vec<u32>,
        /// The Marines went to Guantanamo.
        pub marines_sent: bool,
        /// The Guantanamo table has been consulted.
        pub guantanamo_rolled: bool,
        /// The truce; none if left out.
        pub truce: Option<Truce>,
    }
}

/// The supply length of cases that are not about supply.
const ENDLESS: u32 = 99;

/// Lays out the position of a case.
pub fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<SantiagoCampaign>> {
    let case: CaseStart = Arranged::<SantiagoCampaign>::read(start, at, faults)?;
    let charter = Charter { options: case.options.clone(), ..Charter::default() };
    let mut game = noted(SantiagoCampaign::open(&charter), faults)?;
    match case.scenario.as_deref() {
        None | Some("campaign") => {}
        Some("blank") => clear_map(&mut game.data),
        Some("begin") => {
            let (state, stop) = game.begin();
            return Some(Arranged { game, state, stop, holdings: Holdings::default() });
        }
        Some(other) => {
            let what = format!("there is no scenario `{other}`");
            faults.push(Fault::new(&at.key("scenario"), what, "write campaign, blank or begin"));
            return None;
        }
    }
    if let Some(patch) = &case.map {
        patch_map(&mut game.data, patch, at, faults);
    }
    game.data.lay_net();
    for (name, invented) in &case.counters {
        let id = UnitId::of(name);
        let kind = invented.kind.unwrap_or(Arm::Infantry);
        let mut counter = Counter::invented(id, invented.nation, kind, invented.factor, invented.reduced);
        counter.flags = invented.flags.clone();
        game.data.add_counter(counter);
    }
    let (state, holdings) = place(&game, &case, at, faults)?;
    Some(Arranged::checked(game, state, holdings, at, faults))
}

fn clear_map(data: &mut Data) {
    let grid = data.grid().clone();
    let ground = Layer::from_fn(&grid, |hex| {
        let beach = data.beaches.contains(&hex);
        let fortress = data.fortresses.contains(&hex);
        let zone = data.map.ground(hex).map_or(1, |ground| ground.zone.max(1));
        Ground { land: Land::Clear, zone, fortress, beach, ..Ground::default() }
    });
    data.map = Terrain::with_ground(grid, ground);
}

fn patch_map(data: &mut Data, patch: &MapPatch, at: &DocPath, faults: &mut Vec<Fault>) {
    for (hex, land) in &patch.terrain {
        data.map.change(*hex, |ground| ground.land = *land);
    }
    let mut draw = Patch::new(&mut data.map, at.key("map"), faults);
    draw.works(&patch.blockhouses, |ground| ground.blockhouse = true);
    draw.works(&patch.coast, |ground| ground.coast = true);
    draw.lines("roads", &patch.roads, Along::Road, |_| ());
    draw.sides("rivers", &patch.rivers, Along::River);
    draw.sides("bridges", &patch.bridges, Along::Bridge);
    draw.sides("water", &patch.water, Along::Water);
    draw.slopes("slopes", &patch.slopes, Some(Along::Up), Some(Along::Down));
    draw.slopes("trenches", &patch.trenches, None, Some(Along::Trench));
}

fn place(
    game: &SantiagoCampaign,
    case: &CaseStart,
    at: &DocPath,
    faults: &mut Vec<Fault>,
) -> Option<(State, Holdings)> {
    let mut reader = Reader::new(game);
    let units: BTreeMap<UnitId, Hex> = read_part(case.units.as_ref(), &at.key("units"), &mut reader);
    let pool: Vec<UnitId> = match &case.pool {
        Some(node) if node.as_text() == Some("all") => {
            game.data.group(super::terms::Group::Pool).map(Counter::id).collect()
        }
        node => read_part(node.as_ref(), &at.key("pool"), &mut reader),
    };
    let spanish: BTreeMap<Hex, Vec<UnitId>> = read_part(case.spanish.as_ref(), &at.key("spanish"), &mut reader);
    let manzanillo: Vec<UnitId> = read_part(case.manzanillo.as_ref(), &at.key("manzanillo"), &mut reader);
    let guantanamo: Vec<UnitId> = read_part(case.guantanamo.as_ref(), &at.key("guantanamo"), &mut reader);
    let dead: Vec<UnitId> = read_part(case.dead.as_ref(), &at.key("dead"), &mut reader);
    let steps: BTreeMap<UnitId, u8> = read_part(case.steps.as_ref(), &at.key("steps"), &mut reader);
    let fever: Vec<UnitId> = read_part(case.fever.as_ref(), &at.key("fever"), &mut reader);
    let landed: Vec<UnitId> = read_part(case.landed.as_ref(), &at.key("landed"), &mut reader);
    let refused = reader.refused();
    faults.append(&mut reader.faults);
    if refused {
        return None;
    }
    let mut state = State::new(&game.data);
    state.turn = case.turn.unwrap_or(3);
    state.stage = case.stage.unwrap_or(Stage::UsTurn);
    for (id, unit) in state.units.iter_mut() {
        unit.at = if pool.contains(id) { Place::OffMap } else { Place::Lost };
        if let Some(hex) = units.get(id) {
            unit.at = Place::At(*hex);
        }
        unit.steps = match unit.at {
            Place::Lost => 0,
            _ => steps.get(id).copied().unwrap_or(unit.steps),
        };
        unit.fever = fever.contains(id);
        unit.landed = landed.contains(id);
    }
    if state.stage == Stage::UsSetup {
        for counter in game.data.group(super::terms::Group::Zones) {
            let waiting = UnitState { at: Place::OffMap, steps: 1, ..UnitState::default() };
            state.units.insert(counter.id(), waiting);
        }
    }
    state.us_passed = units.values().copied().chain(case.us_passed.iter().copied()).collect();
    let holdings = lay_counters(game, case, &mut state, &spanish, &manzanillo, &guantanamo);
    state.dead = dead.into_iter().collect();
    let sources = case.sources.clone().unwrap_or_else(|| vec![Hex::printed(5926)]);
    for (number, hex) in (1..).zip(&sources) {
        state.sources.insert(*hex, Source { number, landing_from: 1 });
    }
    let placed = u32::try_from(sources.len()).unwrap_or(u32::MAX);
    state.markers_used = case.markers_used.unwrap_or(placed);
    state.balloon_up = case.balloon_up;
    state.steps_lost = case.steps_lost.unwrap_or(0);
    state.two_steppers_lost = case.two_steppers_lost.unwrap_or(0);
    state.supply_length = case.supply_length.unwrap_or(ENDLESS);
    state.marines_sent = case.marines_sent;
    state.guantanamo_rolled = case.guantanamo_rolled;
    state.cuban_zones = <[u32; 4]>::try_from(case.cuban_zones.clone()).ok();
    state.truce = case.truce.unwrap_or(Truce::None);
    Some((state, holdings))
}

fn lay_counters(
    game: &SantiagoCampaign,
    case: &CaseStart,
    state: &mut State,
    spanish: &BTreeMap<Hex, Vec<UnitId>>,
    manzanillo: &[UnitId],
    guantanamo: &[UnitId],
) -> Holdings {
    let mut posts: Vec<(Post, UnitId)> = Vec::new();
    for (hex, stack) in spanish {
        posts.extend(stack.iter().map(|id| (Post::At(*hex), *id)));
    }
    posts.extend(manzanillo.iter().map(|id| (Post::In(HoldingBox::Manzanillo), *id)));
    posts.extend(guantanamo.iter().map(|id| (Post::In(HoldingBox::Guantanamo), *id)));
    let mut holdings = Holdings::default();
    for (number, (post, id)) in (1..).zip(posts) {
        let token = Token::numbered(number);
        let shown = matches!(post, Post::In(which) if case.face_up.contains(&which));
        let face = if shown || game.options.face_up { Face::Up(id) } else { Face::down(token) };
        if let Ok(slot) = Slot::parse(token.as_str()) {
            holdings.0.insert((SPAIN, slot), Json::Str(id.to_string()));
        }
        state.counters.insert(token, TokenState { at: post, face });
    }
    holdings
}

/// Every invariant of the rules that does not hold.
pub fn flaws(game: &SantiagoCampaign, state: &State) -> Vec<String> {
    let data = &game.data;
    let known = Known::default();
    let now = Position { game, state, known: &known };
    let mut flaws = Vec::new();
    let mut hexes: BTreeSet<Hex> = BTreeSet::new();
    for (id, unit) in state.units.iter() {
        let Some(counter) = data.counter(*id) else {
            flaws.push(format!("{id} is no counter of the game"));
            continue;
        };
        if counter.nation == Nation::Spanish {
            flaws.push(format!("{id} is Spanish and stands among the US units"));
        }
        if unit.steps > counter.steps() || (unit.steps == 0) != (unit.at == Place::Lost) {
            flaws.push(format!("{id} has {} and is {}", count_of(unit.steps, "step"), super::whereabouts(unit.at)));
        }
        if let Place::At(hex) = unit.at {
            hexes.insert(hex);
            if !data.is_open(hex) {
                flaws.push(format!("{id} stands in {hex}, which is {}", data.land(hex)));
            }
            if counter.nation == Nation::Cuban && data.is_city(hex) {
                flaws.push(format!("the Cuban unit {id} is in Santiago"));
            }
            if !state.us_passed.contains(&hex) {
                flaws.push(format!("{id} is in {hex}, which counts as last passed by the Spanish"));
            }
        }
        if unit.fever && (counter.nation != Nation::Us || unit.at.hex().is_none()) {
            flaws.push(format!("{id} has fever"));
        }
    }
    for hex in &hexes {
        let arms: Vec<Arm> = now.americans_in(*hex).iter().filter_map(|id| now.arm(*id)).collect();
        let cubans = now.cubans_in(*hex).len();
        // US and Cuban units pass through each other (§9.4b), and a game can end in the middle of a march; or they were
        // found together and the Spanish player let it be (§9.1c). No other stack is ever too high.
        let together = state.ending.is_some() || state.spared.contains(hex);
        if !Room::of(data.land(*hex)).holds(&arms) || cubans > 1 || (cubans == 1 && !arms.is_empty() && !together) {
            flaws.push(format!("{hex} is overstacked with {} US and {cubans} Cuban units", arms.len()));
        }
        if state.tokens_in(*hex).next().is_some() {
            flaws.push(format!("enemies share {hex}"));
        }
    }
    for (hex, tokens) in now.stacks() {
        if !data.is_open(hex) {
            flaws.push(format!("Spanish counters stand in {hex}, which is {}", data.land(hex)));
        }
        if now.spanish_overstacked(hex, &tokens) {
            flaws.push(format!("{hex} is overstacked with {} Spanish counters", tokens.len()));
        }
        if state.us_passed.contains(&hex) {
            flaws.push(format!("{hex} is held by the Spanish and counts as last passed by the US side"));
        }
        if state.sources.contains_key(&hex) {
            flaws.push(format!("a Supply Source marker stands among Spanish counters in {hex}"));
        }
    }
    for hex in &state.spared {
        if now.americans_in(*hex).is_empty() || now.cubans_in(*hex).is_empty() {
            flaws.push(format!("{hex} counts as spared, and no US and Cuban units share it"));
        }
    }
    for hex in state.sources.keys().filter(|hex| !data.is_beach(**hex)) {
        flaws.push(format!("a Supply Source marker stands in {hex}, which is no beach"));
    }
    let placed = u32::try_from(state.sources.len()).unwrap_or(u32::MAX);
    if state.markers_used > data.tables.limits.supply_markers || placed > state.markers_used {
        flaws.push(format!("{} on the map, {} placed so far", count_of(placed, "marker"), state.markers_used));
    }
    if state.balloon_up && now.balloon().is_none() {
        flaws.push("the balloon is up and not on the map".to_owned());
    }
    if state.turn == 0 || state.turn > data.tables.clock.turns {
        flaws.push(format!("there is no turn {}", state.turn));
    }
    if state.ending.is_some() != (state.stage == Stage::Over) {
        flaws.push("the game is over and goes on".to_owned());
    }
    flaws
}
