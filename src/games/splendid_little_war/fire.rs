//! Fire Combat (§13.1, §13.5): who may fire at what, what it counts, and what it does.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Deed, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::US;
use super::events::{Adjusted, Event, Factor, FireKind};
use super::orders::{FireOrder, Spot};
use super::play::{Play, subjects};
use super::policy::{DefencePolicy, Ever, NEXT_COMBAT, Policy, VariableFire};
use super::position::{Crowd, Position, enemy};
use super::retreat::on_land;
use super::state::Place;
use super::tables::{Variable, within};
use super::terms::{Arm, Cause, Cf, CheckKind, Flag, Force, Oos, Piece, Terrain, Weather, d10};

/// What judging fire needs: made once for a segment, or for the choice of one target.
pub struct Gunnery<'t> {
    /// The position.
    pub now: Position<'t>,
    /// Who fires.
    pub side: Side,
    /// In which segment.
    pub kind: FireKind,
    /// Who has fired in it, and at what (§13.0h, §13.0i).
    pub fired: &'t BTreeMap<Piece, Hex>,
    crowd: Crowd,
    /// Hexes with enemy combat units.
    enemies: BTreeSet<Hex>,
    /// Those of them with an assault marker (§13.1i).
    marked: BTreeSet<Hex>,
}

/// A unit that fires, and who spots for it if it fires indirectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Who fires.
    pub piece: Piece,
    /// Who spots: the shot is indirect (§13.1j).
    pub spotter: Option<Piece>,
}

/// One fire attack that may be made.
#[derive(Clone, Debug)]
pub struct Volley {
    /// At what.
    pub target: Hex,
    /// By whom.
    pub shots: Vec<Shot>,
}

/// What is wrong with an order, and what of it can be carried out all the same.
struct Judged {
    shots: Vec<Shot>,
    /// Units that cannot take part, each with its place in the order.
    out: Vec<(usize, Piece, Vec<Bar>)>,
    /// What bars the whole.
    bars: Vec<Bar>,
    /// Parts of the order that are wrong without barring it.
    notes: Vec<Bar>,
}

impl<'t> Gunnery<'t> {
    /// The segment as it stands now.
    pub fn new(now: Position<'t>, side: Side, kind: FireKind, fired: &'t BTreeMap<Piece, Hex>) -> Gunnery<'t> {
        let foes = || now.on_map(enemy(side)).filter(|(piece, _)| now.is_combat(*piece));
        let marked = foes().filter(|(piece, _)| now.now(*piece).assaults.is_some());
        Gunnery {
            now,
            side,
            kind,
            fired,
            crowd: now.crowd(),
            enemies: foes().map(|(_, hex)| hex).collect(),
            marked: marked.map(|(_, hex)| hex).collect(),
        }
    }

    /// Why a unit may not fire at all in this segment.
    pub fn bars_unit(&self, piece: Piece) -> Vec<Bar> {
        let now = &self.now;
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        let Some(unit) = now.unit(piece).filter(|unit| unit.side() == self.side) else {
            return vec![Bar::new("13.0a", format!("{piece} is not yours"), "name a unit of your own").firm()];
        };
        if !unit.is_combat() {
            return vec![Bar::new("13.1f", format!("{piece} has no fire"), "name combat units").firm()];
        }
        let state = now.now(piece);
        let mut bars = Vec::new();
        if !matches!(state.at, Place::At(_) | Place::Edge) {
            let bar = Bar::new("13.1f", format!("{piece} is not on the map"), "name units on the map");
            // Its regiment may break down for losses before its turn comes.
            bars.push(about(bar).about(subjects(unit.parent)));
            return bars;
        }
        if self.fired.contains_key(&piece) {
            let why = format!("{piece} has fired in this segment");
            bars.push(Bar::new("13.0h", why, "let each unit fire once, at one hex").firm());
        }
        if self.kind == FireKind::Offensive {
            if let Some(target) = state.assaults {
                let why = format!("{piece} is marked to assault {target}");
                bars.push(about(Bar::new("13.0d", why, "a unit fires or assaults, never both")).firm());
            }
            if state.ooc {
                bars.push(about(Bar::new("11.0ac", format!("{piece} is Out of Command"), "let others fire")).firm());
            }
            if state.oos == Some(Oos::Two) {
                bars.push(about(Bar::new("10.0w", format!("{piece} is OoS2"), "let others fire")).firm());
            }
            if state.waits {
                let why = format!("{piece} may not attack before turn 2");
                bars.push(about(Bar::new("16.3c", why, "wait until turn 2")).firm());
            }
        }
        bars
    }

    /// How far a unit is from a target; one at the edge is beside its entry hex and no other (§9.0k).
    fn distance(&self, piece: Piece, target: Hex) -> Option<u32> {
        match self.now.now(piece).at {
            Place::At(hex) => Some(self.now.data().distance(hex, target)),
            Place::Edge => (self.now.edge_hex(piece) == Some(target)).then_some(1),
            _ => None,
        }
    }

    /// Why a unit may not fire at a hex, directly or indirectly.
    pub fn bars_firing(&self, piece: Piece, target: Hex, indirect: bool, spotter: Option<Piece>) -> Vec<Bar> {
        let mut bars = self.bars_unit(piece);
        let now = &self.now;
        let Some(unit) = now.unit(piece).filter(|unit| unit.side() == self.side && unit.is_combat()) else {
            return bars;
        };
        let state = now.now(piece);
        if !matches!(state.at, Place::At(_) | Place::Edge) {
            return bars;
        }
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        let Some(far) = self.distance(piece, target) else {
            let why = format!("{piece} fires from the map edge into its entry hex only");
            bars.push(about(Bar::new("9.0k", why, "name the entry hex")));
            return bars;
        };
        match unit.range {
            Some(range) if far > range => {
                let why = format!("{target} is {far} hexes from {piece}, which has a range of {range}");
                bars.push(about(Bar::new("13.1d", why, "choose a nearer target")).firm());
            }
            None if far > 2 => {
                let why = format!("{target} is {far} hexes from {piece}, which fires 2 hexes far");
                bars.push(about(Bar::new("13.1c", why, "choose a target within 2 hexes")).firm());
            }
            _ => {}
        }
        // §13.1i: an adjacent stack under an assault marker comes first.
        if let Place::At(hex) = state.at
            && self.kind == FireKind::Defensive
        {
            let beside: Vec<Hex> = now.data().neighbours(hex).filter(|next| self.marked.contains(next)).collect();
            if let Some(first) = beside.first().filter(|_| !beside.contains(&target)) {
                let why = format!("{piece} has assaulting enemies beside it in {first}");
                let bar = Bar::new("13.1i", why, format!("fire at {first}"));
                bars.push(about(bar).about(subjects(&beside)));
            }
        }
        if indirect {
            bars.extend(self.spotter(piece, target, spotter).err().into_iter().flatten());
        } else if let Place::At(hex) = state.at
            && let Err(bar) = now.sees_in(&self.crowd, hex, target, false)
        {
            bars.push(about(bar));
        }
        // §13.0i: units of one hex that fire at one target fire together.
        if let Place::At(hex) = state.at {
            let earlier = self.fired.iter().any(|(other, at)| *at == target && now.state.hex_of(*other) == Some(hex));
            if earlier && !self.fired.contains_key(&piece) {
                let why = format!("others in {hex} have fired at {target} already");
                bars.push(about(Bar::new("13.0i", why, "name all units of a hex in one attack")).firm());
            }
        }
        bars
    }

    /// Who spots for a gun (§13.1k to §13.1o, D26), or why it cannot fire indirectly.
    fn spotter(&self, gun: Piece, target: Hex, named: Option<Piece>) -> Result<Piece, Vec<Bar>> {
        let (now, data) = (&self.now, self.now.data());
        let state = now.now(gun);
        let about = |bar: Bar| bar.about([Subject::of(gun)]);
        let mut bars = Vec::new();
        if now.arm(gun) != Some(Arm::Artillery) {
            let bar = Bar::new("13.1j", format!("{gun} is no artillery"), "only artillery fires indirectly");
            return Err(vec![bar.firm()]);
        }
        let Place::At(hex) = state.at else {
            return Err(vec![about(Bar::new("9.0k", format!("{gun} is at the map edge"), "fire directly"))]);
        };
        if state.broken {
            bars.push(about(Bar::new("13.1m", format!("{gun} is Broken"), "only Normal guns fire indirectly")));
        }
        if state.oos.is_some() {
            bars.push(about(Bar::new(
                "13.1m",
                format!("{gun} is out of supply"),
                "only supplied guns fire indirectly",
            )));
        }
        let beside = data.neighbours(target).find(|next| !now.stack(*next, self.side).is_empty());
        if let Some(next) = beside {
            let why = format!("friends in {next} are beside {target}");
            bars.push(
                Bar::new("13.1o", why, "choose a target with no friends beside it").about(subjects([next, target])),
            );
        }
        let limits = data.tables.indirect;
        let us_gun = now.unit(gun).is_some_and(|unit| unit.force == Force::Us);
        let balloon = now.balloon().filter(|_| us_gun && now.state.balloon_up);
        let balloon = balloon.filter(|(_, at)| data.distance(*at, hex) <= limits.balloon);
        // §13.1k: within 6 hexes and entitled to command the gun (AMB-62); §13.1n: and in sight of the target.
        let near = |piece: Piece, at: Hex| {
            now.is_leader(piece) && now.commands(piece, gun) && data.distance(at, hex) <= limits.leader
        };
        let sees = |at: Hex| now.sees_in(&self.crowd, at, target, true).is_ok();
        let close: Vec<(Piece, Hex)> = now.on_map(self.side).filter(|(piece, at)| near(*piece, *at)).collect();
        let seeing = close.iter().filter(|(_, at)| sees(*at));
        let mut leaders: Vec<(u32, Piece)> = seeing.map(|(piece, at)| (data.distance(*at, hex), *piece)).collect();
        leaders.sort_unstable();
        let able: Vec<Piece> =
            balloon.iter().map(|(base, _)| *base).chain(leaders.into_iter().map(|(_, piece)| piece)).collect();
        let chosen = match named {
            None => able.first().copied(),
            Some(named) => able.iter().copied().find(|piece| *piece == named),
        };
        match (chosen, named) {
            (Some(spotter), _) if bars.is_empty() => return Ok(spotter),
            (Some(_), _) => {}
            (None, Some(named)) => {
                let why = format!("{named} cannot spot {target} for {gun}");
                let clause = match now.is_leader(named) {
                    true if close.iter().any(|(piece, _)| *piece == named) => "13.1n",
                    true => "13.1k",
                    false => "13.1l",
                };
                let remedy = match able.first() {
                    Some(other) => format!("let {other} spot"),
                    None => "a leader of its own within 6 hexes must see the target, or the balloon be within 3".into(),
                };
                bars.push(about(Bar::new(clause, why, remedy).part("spotter")).about([Subject::of(named)]));
            }
            (None, None) => {
                let why = format!("nobody spots {target} for {gun}");
                let remedy = "a leader of its own within 6 hexes must see the target, or the balloon be within 3";
                let clause = if close.is_empty() { "13.1k" } else { "13.1n" };
                bars.push(about(Bar::new(clause, why, remedy)));
            }
        }
        Err(bars)
    }

    /// Why a hex cannot be fired at.
    fn bars_target(&self, target: Hex) -> Vec<Bar> {
        if let Some(bar) = on_land(&self.now, target, "13.1f") {
            return vec![bar.part("target")];
        }
        if self.enemies.contains(&target) {
            return Vec::new();
        }
        let base = self.now.stack(target, enemy(self.side)).iter().any(|piece| self.now.arm(*piece) == Some(Arm::Base));
        let (clause, why) = match base {
            true => ("15.1l", format!("the balloon in {target} is no target by itself")),
            false => ("13.1f", format!("no enemy combat unit is in {target}")),
        };
        vec![Bar::new(clause, why, "name a hex with enemy units").part("target").about([Subject::of(target)])]
    }

    fn judge(&self, order: &FireOrder) -> Judged {
        let now = &self.now;
        let mut judged =
            Judged { shots: Vec::new(), out: Vec::new(), bars: self.bars_target(order.target), notes: Vec::new() };
        for (index, piece) in order.units.iter().enumerate() {
            let indirect = order.indirect.contains(piece);
            let mut bars = self.bars_firing(*piece, order.target, indirect, order.spotter);
            if order.units.iter().take(index).any(|other| other == piece) {
                bars.push(Bar::new("13.0h", format!("{piece} is named twice"), "name it once").firm());
            }
            if bars.is_empty() {
                let spotter = indirect.then(|| self.spotter(*piece, order.target, order.spotter).ok()).flatten();
                judged.shots.push(Shot { piece: *piece, spotter });
            } else {
                judged.out.push((index, *piece, bars));
            }
        }
        if order.units.is_empty() {
            let bar = Bar::new("13.0h", "nobody fires", "name units under `units`").part("units");
            judged.bars.push(bar.firm());
        }
        let forces: BTreeSet<Force> =
            order.units.iter().filter_map(|piece| now.unit(*piece)).map(|unit| unit.force).collect();
        if forces.contains(&Force::Us) && forces.contains(&Force::Cuban) {
            let bar = Bar::new("15.6k", "Cubans and US units fire in one attack", "order two attacks").part("units");
            judged.bars.push(bar.firm());
        }
        for (index, piece) in order.indirect.iter().enumerate() {
            if !order.units.contains(piece) {
                let bar = Bar::new("13.1j", format!("{piece} does not fire"), "name it under `units` too");
                judged.notes.push(bar.at(DocPath::root().key("indirect").index(index)).firm());
            }
        }
        if order.spotter.is_some() && order.indirect.is_empty() {
            let bar = Bar::new("13.1j", "nobody fires indirectly", "name the guns under `indirect`").part("spotter");
            judged.notes.push(bar.firm());
        }
        if let Some(other) = order.r#else {
            let wrong = on_land(now, other, "13.0k").or_else(|| {
                let why = format!("{other} is the target already");
                (other == order.target).then(|| Bar::new("13.0k", why, "name another hex").firm())
            });
            judged.notes.extend(wrong.map(|bar| bar.part("else")));
        }
        judged
    }

    /// The hexes a unit may fire at directly, nearest first.
    pub fn targets(&self, piece: Piece) -> Vec<Hex> {
        if !self.bars_unit(piece).is_empty() {
            return Vec::new();
        }
        let range = self.now.unit(piece).map_or(0, |unit| unit.range.unwrap_or(2));
        let near = |hex: &&Hex| self.distance(piece, **hex).is_some_and(|far| far <= range);
        let mut targets: Vec<Hex> = self.enemies.iter().filter(near).copied().collect();
        targets.retain(|hex| self.bars_firing(piece, *hex, false, None).is_empty());
        targets.sort_by_key(|hex| (self.distance(piece, *hex), *hex));
        targets
    }

    /// The hexes a gun may fire at indirectly that it cannot see, with who spots, nearest first.
    pub fn indirect_targets(&self, gun: Piece) -> Vec<(Hex, Piece)> {
        let Some(range) = self.now.unit(gun).filter(|unit| unit.arm == Arm::Artillery).and_then(|unit| unit.range)
        else {
            return Vec::new();
        };
        if !self.bars_unit(gun).is_empty() {
            return Vec::new();
        }
        let mut targets: Vec<(Hex, Piece)> = self
            .enemies
            .iter()
            .copied()
            .filter(|hex| self.distance(gun, *hex).is_some_and(|far| far <= range))
            .filter(|hex| self.bars_firing(gun, *hex, true, None).is_empty())
            .filter_map(|hex| Some((hex, self.spotter(gun, hex, None).ok()?)))
            .collect();
        targets.sort_by_key(|(hex, _)| (self.distance(gun, *hex), *hex));
        targets
    }

    /// Does a shot stand among those a unit may give?
    fn lists(&self, shot: &Shot, target: Hex) -> bool {
        match shot.spotter {
            None => self.targets(shot.piece).contains(&target),
            Some(_) => self.indirect_targets(shot.piece).iter().any(|(hex, _)| *hex == target),
        }
    }

    /// Steps in a hex of the enemy.
    fn steps_in(&self, hex: Hex) -> u32 {
        self.now.fighters(hex, enemy(self.side)).iter().map(|piece| self.now.steps(*piece)).sum()
    }

    /// Where a unit fires if its owner says nothing, or as far as his standing order goes (D1).
    fn preferred(&self, piece: Piece, policy: &DefencePolicy) -> Option<(Hex, bool)> {
        let now = &self.now;
        let unit = now.unit(piece)?;
        let hex = now.now(piece).at.hex();
        if policy.hold.contains(&piece) || hex.is_some_and(|hex| policy.hold_in.contains(&hex)) {
            return None;
        }
        let assaults_us = |at: &Hex| {
            let marks = |foe: &Piece| hex.is_some() && now.now(*foe).assaults == hex;
            now.fighters(*at, enemy(self.side)).iter().any(marks)
        };
        let variable = policy.variable.unwrap_or(VariableFire::Assaulted);
        let threatened = || hex.is_some_and(|hex| self.now.data().neighbours(hex).any(|next| assaults_us(&next)));
        if unit.variable && (variable == VariableFire::Never || variable == VariableFire::Assaulted && !threatened()) {
            return None;
        }
        let allowed = |hex: &Hex| !unit.variable || variable == VariableFire::Always || assaults_us(hex);
        let may = |hex: &Hex| allowed(hex) && self.bars_firing(piece, *hex, false, None).is_empty();
        let mut wished = policy.targets.get(&piece).into_iter().flatten();
        if let Some(hex) = wished.find(|hex| self.enemies.contains(hex) && may(hex)) {
            return Some((*hex, false));
        }
        if !self.bars_unit(piece).is_empty() {
            return None;
        }
        // Nearest first: a line of sight is drawn only as far as somebody is found.
        let range = unit.range.unwrap_or(2);
        let mut near: Vec<(bool, u32, Hex)> = self
            .enemies
            .iter()
            .filter_map(|hex| Some((*hex, self.distance(piece, *hex).filter(|far| *far <= range)?)))
            .map(|(hex, far)| (!assaults_us(&hex), far, hex))
            .collect();
        near.sort_unstable();
        for group in near.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let seen = group.iter().map(|(_, _, hex)| *hex).filter(may);
            if let Some(hex) = seen.min_by_key(|hex| (std::cmp::Reverse(self.steps_in(*hex)), *hex)) {
                return Some((hex, false));
            }
        }
        let guns = policy.indirect && !unit.variable;
        guns.then(|| self.indirect_targets(piece).first().map(|(hex, _)| (*hex, true))).flatten()
    }

    /// Defensive Fire as D1 has it, or as far as a standing order says otherwise: one attack on each target, Cubans apart.
    pub fn standing_fire(&self, policy: &DefencePolicy) -> Vec<FireOrder> {
        let mut attacks: BTreeMap<(Hex, bool, Option<Hex>), FireOrder> = BTreeMap::new();
        let able = self.now.on_map(self.side).filter(|(piece, _)| self.now.is_combat(*piece));
        for (piece, from) in able {
            let Some((target, indirect)) = self.preferred(piece, policy) else { continue };
            let cuban = self.now.unit(piece).is_some_and(|unit| unit.force == Force::Cuban);
            let key = (target, cuban, policy.apart.then_some(from));
            let order = attacks.entry(key).or_insert_with(|| FireOrder::at(target, Vec::new()));
            order.units.push(piece);
            if indirect {
                order.indirect.push(piece);
            }
        }
        attacks.into_values().collect()
    }
}

impl<'t> Deed<'t> for Volley {
    type Table = &'t Gunnery<'t>;
    type Order = FireOrder;

    fn plan(now: Self::Table, order: &FireOrder) -> Result<Self, Vec<Bar>> {
        let judged = now.judge(order);
        let units = judged.out.into_iter().flat_map(|(index, _, bars)| {
            bars.into_iter().map(move |bar| bar.at(DocPath::root().key("units").index(index)))
        });
        let bars: Vec<Bar> = judged.bars.into_iter().chain(judged.notes).chain(units).collect();
        if bars.is_empty() { Ok(Volley { target: order.target, shots: judged.shots }) } else { Err(bars) }
    }

    fn choices(now: Self::Table) -> Vec<(FireOrder, Self)> {
        let units = now.now.on_map(now.side).filter(|(piece, _)| now.now.is_combat(*piece));
        let mut orders = Vec::new();
        for (piece, _) in units {
            let direct = now.targets(piece);
            for (hex, spotter) in now.indirect_targets(piece).into_iter().filter(|(hex, _)| !direct.contains(hex)) {
                let order = FireOrder { indirect: vec![piece], ..FireOrder::at(hex, vec![piece]) };
                orders.push((order, Shot { piece, spotter: Some(spotter) }));
            }
            orders
                .extend(direct.into_iter().map(|hex| (FireOrder::at(hex, vec![piece]), Shot { piece, spotter: None })));
        }
        orders
            .into_iter()
            .map(|(order, shot)| (order.clone(), Volley { target: order.target, shots: vec![shot] }))
            .collect()
    }
}

fn halved(cf: Cf) -> Cf {
    Cf::from_parts(cf.parts() / 2)
}

/// A CF while it is adjusted (§13.1y): every step with its reason.
pub struct Adjusting(Factor);

impl Adjusting {
    /// A printed or rolled CF.
    pub fn new(unit: Piece, cf: u32) -> Adjusting {
        Adjusting(Factor { unit, cf, steps: Vec::new(), counts: Cf::whole(cf) })
    }

    /// One adjustment.
    pub fn to(&mut self, by: &str, cf: Cf, clause: &'static str) {
        self.0.counts = cf;
        self.0.steps.push(Adjusted { by: by.to_owned(), cf, clause: Clause(clause) });
    }

    /// Half of it.
    pub fn half(&mut self, by: &str, clause: &'static str) {
        self.to(by, halved(self.0.counts), clause);
    }

    /// §5.6b, AMB-65: two less, not below 1; what is 1 or less stays.
    pub fn broken(&mut self) {
        let one = Cf::whole(1);
        let less = (self.0.counts - Cf::whole(2)).max(one);
        self.to("Broken", if self.0.counts <= one { self.0.counts } else { less }, "5.6b");
    }

    /// The factor.
    pub fn done(self) -> Factor {
        self.0
    }
}

impl Position<'_> {
    /// What a firing unit counts (§13.1y, §13.1ac, AMB-06). `indirect`: whether its indirect fire found the target.
    pub fn fire_factor(&self, piece: Piece, cf: u32, far: u32, kind: FireKind, indirect: Option<bool>) -> Factor {
        let mut factor = Adjusting::new(piece, cf);
        let Some(unit) = self.unit(piece) else { return factor.done() };
        let state = self.now(piece);
        if let Some(range) = unit.range {
            // §13.1e, §13.1al, AMB-59
            let spared = unit.has(Flag::Dynamite) && !self.game.options.dynamite_half;
            if 2 * far > range && !spared {
                factor.half("beyond half its range", "13.1e");
            }
            match indirect {
                Some(true) => {
                    let half = Cf::whole(halved(factor.0.counts).floor());
                    factor.to("indirect, rounded down", half, "13.1p");
                }
                Some(false) => factor.to("indirect, missed", Cf::ZERO, "13.1q"),
                None => {}
            }
        }
        if state.broken && indirect != Some(false) {
            factor.broken();
        }
        if self.state.weather.is_poor() {
            factor.half("Poor weather", "7.0g");
        }
        if unit.range.is_none() && far > 1 {
            factor.half("at two hexes", "13.1c");
        }
        // §10.0e: in the first US turn every Spaniard is in supply for Defensive Fire.
        let first = self.state.turn == 1 && kind == FireKind::Defensive && unit.force == Force::Spanish;
        match (kind, state.oos) {
            (FireKind::Offensive, Some(Oos::One)) => factor.half("OoS1", "10.0p"),
            (FireKind::Defensive, Some(Oos::Two)) if !first => factor.half("OoS2", "10.0x"),
            _ => {}
        }
        if kind == FireKind::Defensive && state.ooc {
            factor.half("Out of Command", "11.0ad");
        }
        factor.done()
    }

    /// The cover of a hex: the DRM of its best ground (TEC.note1), with its name and clause.
    pub fn cover(&self, hex: Hex) -> (i32, &'static str, Clause) {
        let data = self.data();
        let rows = &data.tables.terrain.hexes;
        let Some(ground) = data.ground(hex) else { return (0, "clear", Clause("TEC.clear")) };
        let mut all: Vec<(i32, &'static str, &'static str)> = ground
            .terrains
            .iter()
            .map(|terrain| (rows.of(terrain).fire_drm(), terrain.as_str(), terrain_clause(terrain)))
            .collect();
        if ground.fort {
            all.push((rows.fort.fire_drm(), "fort", "TEC.fort"));
        }
        if ground.blockhouse {
            all.push((rows.blockhouse.fire_drm(), "blockhouse", "TEC.blockhouse"));
        }
        if self.state.entrenchments.contains(&hex) {
            all.push((rows.entrenchment.fire_drm(), "entrenchment", "6.0n"));
        }
        let best = all.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.map_or((0, "clear", Clause("TEC.clear")), |(drm, name, clause)| (drm, name, Clause(clause)))
    }

    /// The DRMs of a fire attack (§13.1ae, §13.1ag, §13.1am, §13.1an).
    pub fn fire_modifiers(&self, side: Side, kind: FireKind, target: Hex, firing: &[Piece]) -> Tally {
        let data = self.data();
        let values = data.tables.fire.modifiers;
        let fighters = self.fighters(target, enemy(side));
        let mut modifiers = Tally::new();
        // §13.1ag, AMB-08: who assaults counts as in the hex he assaults; the best cover of all concerned.
        let stands = |piece: &Piece| match kind {
            FireKind::Defensive => self.now(*piece).assaults.unwrap_or(target),
            FireKind::Offensive => target,
        };
        let hexes: BTreeSet<Hex> = fighters.iter().map(stands).collect();
        let best = hexes
            .iter()
            .map(|hex| (self.cover(*hex), *hex))
            .reduce(|best, other| if other.0.0 > best.0.0 { other } else { best });
        if let Some(((drm, name, clause), hex)) = best.filter(|((drm, ..), _)| *drm != 0) {
            if hex == target {
                modifiers.add(name, drm, clause);
            } else {
                modifiers.add(format!("assaulting {name} in {hex}"), drm, Clause("13.1ag"));
            }
        }
        let spanish = side != US;
        if spanish
            && self.state.weather == Weather::Good
            && fighters.iter().any(|piece| self.has(*piece, Flag::BlackPowder))
        {
            modifiers.add("black powder", values.black_powder, Clause("15.2a"));
        }
        if let Some((_, balloon)) = self.balloon().filter(|_| self.state.balloon_up) {
            let limits = data.tables.balloon;
            let helped = |piece: &Piece| {
                let gun = self.unit(*piece).is_some_and(|unit| unit.arm == Arm::Artillery && unit.force == Force::Us);
                let at = self.state.hex_of(*piece);
                gun && at.is_some_and(|at| {
                    data.distance(at, balloon) <= limits.guns && data.distance(at, target) <= limits.targets
                })
            };
            if firing.iter().any(helped) {
                modifiers.add("balloon", values.balloon_gun, Clause("15.1j"));
            }
            if spanish && data.distance(balloon, target) <= 1 {
                modifiers.add("under the balloon", values.balloon_target, Clause("15.1k"));
            }
        }
        let led = |piece: &Piece| {
            let hex = self.state.hex_of(*piece);
            hex.and_then(|hex| self.leaders(hex, side).into_iter().find(|leader| self.commands(*leader, *piece)))
        };
        if let Some(leader) = firing.iter().find_map(led).and_then(|leader| self.unit(leader)) {
            modifiers.add(leader.code.to_string(), values.leader, Clause("13.1am"));
        }
        modifiers
    }

    /// Each unit that may give Offensive Fire, and the hexes it may fire at directly; those who are busy left out.
    pub fn fire_choices(&self, side: Side, busy: &BTreeSet<Piece>) -> Vec<(Piece, Vec<Hex>)> {
        let none = BTreeMap::new();
        let gunnery = Gunnery::new(*self, side, FireKind::Offensive, &none);
        let units = self.on_map(side).filter(|(piece, _)| self.is_combat(*piece) && !busy.contains(piece));
        let choices = units.map(|(piece, _)| (piece, gunnery.targets(piece)));
        choices.filter(|(_, targets)| !targets.is_empty()).collect()
    }
}

/// The line of the Terrain Effects Chart.
pub fn terrain_clause(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::Clear => "TEC.clear",
        Terrain::Hill => "TEC.hill",
        Terrain::Jungle => "TEC.jungle",
        Terrain::Swamp => "TEC.swamp",
        Terrain::Lake => "TEC.lake",
        Terrain::Village => "TEC.village",
        Terrain::City => "TEC.city",
        Terrain::Harbor => "TEC.harbor",
    }
}

/// A total rounded as the kind of fire wants it (§13.1z, §13.1aa).
pub fn rounded(total: Cf, kind: FireKind) -> u32 {
    match kind {
        FireKind::Offensive => total.floor(),
        FireKind::Defensive => total.parts().div_ceil(Cf::whole(1).parts()),
    }
}

impl Play<'_, '_> {
    /// Offensive Fire (§13.1): one attack after the other, in the order of the file (§13.0k).
    pub fn offensive_fire(&mut self, side: Side, orders: &mut [FireOrder], at: &DocPath) -> Ruling<()> {
        self.fired.clear();
        for (index, order) in orders.iter().enumerate() {
            self.entry(at.index(index), |play| play.carry_fire(side, FireKind::Offensive, order))?;
        }
        Ok(())
    }

    /// Carries out one order to fire, as far as it is legal.
    pub fn carry_fire(&mut self, side: Side, kind: FireKind, order: &FireOrder) -> Ruling<()> {
        let mut order = order.clone();
        if !self.now().held_by(order.target, enemy(side))
            && self.stood.contains(&order.target)
            && let Some(target) = self.next_target(side, kind, &order)?
        {
            order.target = target;
            order.r#else = None;
        }
        let fired = self.fired.clone();
        let now = Position { game: self.game, state: &*self.state };
        let gunnery = Gunnery::new(now, side, kind, &fired);
        let judged = gunnery.judge(&order);
        self.umpire.listed(|| judged.shots.iter().all(|shot| gunnery.lists(shot, order.target)));
        let what = format!("fire at {}", order.target);
        if !judged.notes.is_empty() {
            self.lapse(what.clone(), judged.notes);
        }
        for (index, piece, bars) in judged.out {
            let place = DocPath::root().key("units").index(index);
            let own = |bar: Bar| if bar.part == DocPath::root() { bar.at(place.clone()) } else { bar };
            self.lapse(format!("fire of {piece} at {}", order.target), bars.into_iter().map(own).collect());
        }
        if !judged.bars.is_empty() {
            self.lapse(what, judged.bars);
            return Ok(());
        }
        if judged.shots.is_empty() {
            return Ok(());
        }
        self.fire_attack(side, kind, Volley { target: order.target, shots: judged.shots })
    }

    /// The target is empty: another hex, or none (§13.0k, D11).
    fn next_target(&mut self, side: Side, kind: FireKind, order: &FireOrder) -> Ruling<Option<Hex>> {
        let fired = self.fired.clone();
        let state = self.state.clone();
        let gunnery = Gunnery::new(Position { game: self.game, state: &state }, side, kind, &fired);
        let may = |hex: &Hex| {
            let order = FireOrder { target: *hex, r#else: None, ..order.clone() };
            Volley::plan(&gunnery, &order).is_ok()
        };
        let others: Vec<Hex> = gunnery.enemies.iter().copied().filter(may).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let default = Spot(order.r#else.filter(|hex| others.contains(hex)));
        let options: Vec<Spot> = [Spot(None)].into_iter().chain(others.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: side,
            kind: NEXT_COMBAT,
            about: Subject::of(order.target),
            clause: Clause("13.0k"),
            text: format!("nobody is left in {}: what is fired at instead?", order.target),
            options,
            default,
            also: None,
        };
        let ordered = order.r#else.map(|_| default);
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Hexes(hexes) => {
                hexes.iter().find(|hex| others.contains(hex)).map_or(Say::Default, |hex| Say::Choose(Spot(Some(*hex))))
            }
            _ => Say::Default,
        })?;
        Ok(chosen.0)
    }

    /// The strength of a "?" unit in this combat; none if the roll eliminates it (§13.5).
    pub fn variable_cf(&mut self, piece: Piece) -> Ruling<Option<u32>> {
        let Some(unit) = self.data().unit(piece) else { return Ok(None) };
        let (force, fixed) = (unit.force, unit.cf.unwrap_or(0));
        if !unit.variable {
            return Ok(Some(fixed));
        }
        let at = self.state.hex_of(piece).unwrap_or(self.data().cobre_road);
        let tables = self.data().tables.clone();
        let read = |die: i32| tables.variable.rows.at(die).copied().unwrap_or(Variable::Factor(0));
        let touch = Touch::on([Subject::of(piece), Subject::of(at)]);
        let thrown = self.d10(force.side(), piece, "variable", read, touch)?;
        let cf = match thrown.result {
            Variable::Factor(factor) => Some(u32::from(factor)),
            Variable::Eliminated => None,
        };
        self.umpire.note(Event::VariableRoll { unit: piece, at, die: thrown.cast, cf });
        if cf.is_none() {
            // §13.5c: it does not count for victory.
            self.bury(piece, Cause::Variable);
            self.umpire.note(Event::Lost { force, at: Some(at), cause: Cause::Variable, units: vec![piece] });
        }
        Ok(cf)
    }

    /// A gun fires indirectly: does it find the target (§13.1p, §13.1q, AMB-02)?
    fn indirect_hit(&mut self, side: Side, gun: Piece, spotter: Piece, target: Hex) -> Ruling<bool> {
        let hits = self.data().tables.indirect.hits;
        let zero = self.game.options.indirect_zero;
        let read = |die: i32| Found(if die == 0 { zero } else { within(die, hits) });
        let thrown = self.d10(side, gun, "indirect", read, Touch::on([Subject::of(target)]))?;
        let hits = thrown.result.0;
        self.umpire.note(Event::IndirectRoll { unit: gun, spotter, target, die: thrown.cast, hits });
        Ok(hits)
    }

    /// One fire attack (§13.1ae to §13.1ak).
    pub fn fire_attack(&mut self, side: Side, kind: FireKind, volley: Volley) -> Ruling<()> {
        let Volley { target, shots } = volley;
        self.tested.clear();
        for shot in &shots {
            self.fired.insert(shot.piece, target);
        }
        let mut shots = shots;
        shots.sort_by_key(|shot| shot.piece);
        if self.game.options.fire_fever {
            // AMB-03, by the switch: whoever fires may fall to the fever first.
            let pieces: Vec<Piece> = shots.iter().map(|shot| shot.piece).collect();
            self.fever_rolls(&pieces)?;
            let spotters: BTreeMap<Piece, Option<Piece>> =
                shots.iter().map(|shot| (shot.piece, shot.spotter)).collect();
            let standing = self.standing(&pieces);
            shots = standing
                .into_iter()
                .map(|piece| Shot { piece, spotter: spotters.get(&piece).copied().flatten() })
                .collect();
        }
        let Some(by) = shots.first().and_then(|shot| self.data().unit(shot.piece)).map(|unit| unit.force) else {
            return Ok(());
        };
        let mut strengths: Vec<(Shot, u32)> = Vec::new();
        for shot in &shots {
            if let Some(cf) = self.variable_cf(shot.piece)? {
                strengths.push((*shot, cf));
            }
        }
        let mut factors: Vec<Factor> = Vec::new();
        for (shot, cf) in strengths {
            let found = match shot.spotter {
                Some(spotter) => Some(self.indirect_hit(side, shot.piece, spotter, target)?),
                None => None,
            };
            let far = self.state.hex_of(shot.piece).map_or(1, |hex| self.data().distance(hex, target));
            factors.push(self.now().fire_factor(shot.piece, cf, far, kind, found));
        }
        let total: Cf = factors.iter().map(|factor| factor.counts).sum();
        let sum = rounded(total, kind);
        let tables = self.data().tables.clone();
        let table = &tables.fire.results;
        let Some(column) = table.column(&sum) else {
            self.umpire.note(Event::NoFire { kind, by, target, factors, total });
            return Ok(());
        };
        let firing: Vec<Piece> = factors.iter().map(|factor| factor.unit).collect();
        let modifiers = self.now().fire_modifiers(side, kind, target, &firing);
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or_default();
        let hit = self.now().fighters(target, enemy(side));
        let touch = Touch::on(subjects(hit.iter().map(Piece::to_string).chain([target.to_string()])));
        let thrown = self.d10(side, target, "fire", read, touch)?;
        let (modified, steps) = (d10(thrown.cast.face()) + drm, u32::from(thrown.result.steps));
        self.state.fired_on.insert(target);
        let label = table.label(column).unwrap_or_default();
        self.umpire.note(Event::Fire {
            kind,
            by,
            target,
            factors,
            total,
            rounded: sum,
            column: label,
            die: thrown.cast,
            modifiers,
            modified,
            steps,
        });
        let toll = self.lose_steps(target, enemy(side), steps, Cause::Fire, &[])?;
        if !toll.hexes.is_empty() {
            self.leader_loss(target, enemy(side))?;
        }
        self.dynamite(side, target, &firing, modified)
    }

    /// §15.5b to §15.5e: the Dynamite Gun frightens, and bursts.
    fn dynamite(&mut self, side: Side, target: Hex, firing: &[Piece], modified: i32) -> Ruling<()> {
        let Some(gun) = firing.iter().copied().find(|piece| self.now().has(*piece, Flag::Dynamite)) else {
            return Ok(());
        };
        let limits = self.data().tables.dynamite;
        if modified <= limits.panic {
            let feared: Vec<Hex> = self.state.hex_of(gun).into_iter().collect();
            let shaky: Vec<Piece> = self
                .now()
                .fighters(target, enemy(side))
                .into_iter()
                .filter(|piece| self.data().unit(*piece).is_some_and(|unit| unit.variable))
                .collect();
            let mut broken = Vec::new();
            for piece in shaky {
                if !self.morale(piece, CheckKind::Dynamite)? {
                    self.break_units(&[piece], target, super::events::BrokenBy::Check);
                    broken.push((piece, target));
                }
            }
            self.retreat(&broken, &feared)?;
        }
        if modified >= limits.bursts {
            let at = self.state.hex_of(gun);
            self.bury(gun, Cause::Malfunction);
            self.umpire.note(Event::Lost { force: Force::Us, at, cause: Cause::Malfunction, units: vec![gun] });
        }
        Ok(())
    }
}

/// Whether indirect fire finds its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found(bool);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(if self.0 { "on target" } else { "misses" })
    }
}
