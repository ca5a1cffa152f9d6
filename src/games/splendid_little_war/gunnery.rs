//! §13.1, who may fire at what: direct, indirect with a spotter, and by a standing order of defence.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Deed, Side, Subject};

use super::events::FireKind;
use super::orders::FireOrder;
use super::play::subjects;
use super::policy::{DefencePolicy, VariableFire};
use super::position::{Crowd, Position, enemy};
use super::retreat::on_land;
use super::state::Place;
use super::terms::{Arm, Force, Oos, Piece};

/// What judging fire needs: made once for a segment, or for the choice of one target.
pub struct Gunnery<'t> {
    /// The position.
    pub now: Position<'t>,
    /// Who fires.
    pub side: Side,
    /// In which segment.
    pub kind: FireKind,
    /// Who has fired in it, and at what (§13.0h, §13.0i).
    pub fired: &'t BTreeMap<Piece, Aim>,
    crowd: Crowd,
    /// Hexes with enemy combat units.
    pub(super) enemies: BTreeSet<Hex>,
    /// Those of them with an assault marker (§13.1i).
    marked: BTreeSet<Hex>,
}

/// That a unit has fired, for what hangs on it.
pub fn shot_of(piece: Piece) -> Subject {
    Subject::of(format!("shot of {piece}"))
}

/// At what a unit has fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The target.
    pub at: Hex,
    /// The hex it was ordered to fire at, if nobody was left there (§13.0k).
    pub instead_of: Option<Hex>,
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
pub(super) struct Judged {
    pub(super) shots: Vec<Shot>,
    /// Units that cannot take part, each with its place in the order.
    pub(super) out: Vec<(usize, Piece, Vec<Bar>)>,
    /// What bars the whole.
    pub(super) bars: Vec<Bar>,
    /// Parts of the order that are wrong without barring it.
    pub(super) notes: Vec<Bar>,
}

/// Who may spot for a gun, wherever the target is (§13.1k, §13.1l, D26).
struct Spotters {
    /// The balloon, if it is up and near enough.
    balloon: Option<Piece>,
    /// The leaders near enough and entitled to command the gun (AMB-62), the nearest first.
    leaders: Vec<(u32, Piece, Hex)>,
}

impl Position<'_> {
    /// Without what a shot could not have been given, and the unit could fire at others: somebody in the target and nobody
    /// in the one before (§13.0k), who spots (§13.1k), and the place of "?" units, whom the Dynamite Gun drives off (§15.5b).
    pub fn needed(&self, shot: &Shot, aim: Aim) -> Vec<Subject> {
        let mut needed = subjects([aim.at].into_iter().chain(aim.instead_of));
        if let Some(spotter) = shot.spotter {
            needed.push(Subject::of(spotter));
            needed.extend(self.state.hex_of(spotter).map(Subject::of));
        }
        if self.unit(shot.piece).is_some_and(|unit| unit.variable) {
            needed.push(Subject::of(shot.piece));
        }
        needed
    }
}

impl Spotters {
    fn of(now: &Position<'_>, gun: Piece, hex: Hex) -> Spotters {
        let (data, limits) = (now.data(), now.data().tables.indirect);
        let Some(side) = now.side(gun) else { return Spotters { balloon: None, leaders: Vec::new() } };
        let us_gun = now.unit(gun).is_some_and(|unit| unit.force == Force::Us);
        let balloon = now.balloon().filter(|_| us_gun && now.state.balloon_up);
        let balloon = balloon.filter(|(_, at)| data.distance(*at, hex) <= limits.balloon);
        let near = now.on_map(side).map(|(piece, at)| (data.distance(at, hex), piece, at));
        let near = near.filter(|(far, piece, _)| *far <= limits.leader && now.commands(*piece, gun));
        let mut leaders: Vec<(u32, Piece, Hex)> = near.collect();
        leaders.sort_unstable();
        Spotters { balloon: balloon.map(|(base, _)| base), leaders }
    }

    /// Those who can spot this target: a leader has to see it (§13.1n).
    fn of_target(&self, gunnery: &Gunnery<'_>, target: Hex) -> Vec<Piece> {
        let sees = |at: Hex| gunnery.now.sees_in(&gunnery.crowd, at, target, true).is_ok();
        let leaders = self.leaders.iter().filter(|(_, _, at)| sees(*at)).map(|(_, piece, _)| *piece);
        self.balloon.into_iter().chain(leaders).collect()
    }
}

impl<'t> Gunnery<'t> {
    /// The segment as it stands now.
    pub fn new(now: Position<'t>, side: Side, kind: FireKind, fired: &'t BTreeMap<Piece, Aim>) -> Gunnery<'t> {
        let waiting = || now.state.units.keys().copied().filter_map(|id| Some((id, now.front_of(id)?)));
        let edge = || waiting().filter(|(id, _)| now.side(*id) == Some(enemy(side)));
        let foes = || now.on_map(enemy(side)).chain(edge()).filter(|(piece, _)| now.is_combat(*piece));
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
        // What a regiment has done its parts have done, if it breaks down meanwhile.
        if let Some(who) = [Some(piece), unit.parent].into_iter().flatten().find(|who| self.fired.contains_key(who)) {
            let why = format!("{piece} has fired in this segment");
            let bar = Bar::new("13.0h", why, "let each unit fire once, at one hex").about([shot_of(who)]);
            // Broken down for losses before, it would not have fired as a regiment.
            bars.push(if who == piece { bar } else { bar.about([Subject::of(who)]) });
        }
        if !matches!(state.at, Place::At(_) | Place::Edge) {
            let bar = Bar::new("13.1f", format!("{piece} is not on the map"), "name units on the map");
            // Its regiment may break down for losses before its turn comes.
            bars.push(about(bar).about(subjects(unit.parent)));
            return bars;
        }
        bars.extend(now.bar_at_edge(piece));
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
            // Whoever names his own hex fires at the map edge beside it.
            Place::At(hex) => Some(self.now.data().distance(hex, target).max(1)),
            Place::Edge => (self.now.edge_front(piece) == Some(target)).then_some(1),
            _ => None,
        }
    }

    /// Why a unit may not fire at a hex, directly or indirectly.
    pub fn bars_firing(&self, piece: Piece, target: Hex, indirect: bool, spotter: Option<Piece>) -> Vec<Bar> {
        let mut bars = self.bars_unit(piece);
        // §13.0k: whoever finds nobody there fires at another hex, so all that bars this shot rests on who is in its target.
        let aimed = self.bars_aim(piece, target, indirect, spotter).into_iter();
        bars.extend(aimed.map(|bar| bar.about([Subject::of(target)])));
        bars
    }

    /// What bars a unit that may fire from firing at this hex.
    fn bars_aim(&self, piece: Piece, target: Hex, indirect: bool, spotter: Option<Piece>) -> Vec<Bar> {
        let mut bars = Vec::new();
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
            let bar = about(Bar::new("9.0k", why, "name the entry hex"));
            // Nobody leaves the edge before his shot, unless Cubans make room (§9.0h).
            let cubans =
                now.on_map(enemy(self.side)).any(|(id, _)| now.unit(id).is_some_and(|u| u.force == Force::Cuban));
            bars.push(Bar { firm: !cubans, ..bar });
            return bars;
        };
        let edge = self.enemies.contains(&target) && !now.held_by(target, enemy(self.side));
        if edge && state.at != Place::At(target) {
            let bar = Bar::new(
                "9.0k",
                format!("the map edge is not in range of {piece}"),
                format!("only {target} is beside it"),
            );
            bars.push(about(bar));
        }
        let beyond = match unit.range {
            Some(range) if far > range => {
                let why = format!("{target} is {far} hexes from {piece}, which has a range of {range}");
                Some(Bar::new("13.1d", why, "choose a nearer target"))
            }
            None if far > 2 => {
                let why = format!("{target} is {far} hexes from {piece}, which fires 2 hexes far");
                Some(Bar::new("13.1c", why, "choose a target within 2 hexes"))
            }
            _ => None,
        };
        // Fire drives nobody off but "?" units.
        bars.extend(beyond.map(|bar| Bar { firm: !unit.variable, ..about(bar) }));
        // §13.1i: an adjacent stack under an assault marker comes first.
        if let Place::At(hex) = state.at
            && self.kind == FireKind::Defensive
        {
            let near = now.data().neighbours(hex).chain([hex]);
            let beside: Vec<Hex> = near.filter(|next| self.marked.contains(next)).collect();
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
        // §13.0i: units of one hex that fire at one target fire together, and so do those at the edge.
        let together = |(other, aim): &(&Piece, &Aim)| aim.at == target && now.now(**other).at == state.at;
        let earlier: Vec<&Aim> = self.fired.iter().filter(together).map(|(_, aim)| aim).collect();
        if !earlier.is_empty() && !self.fired.contains_key(&piece) {
            let place = state.at.hex().map_or("at the map edge".to_owned(), |hex| format!("in {hex}"));
            let why = format!("others {place} have fired at {target} already");
            let bar = about(Bar::new("13.0i", why, "name all units of a hex in one attack"));
            // Who had to look for another target may have taken this one.
            let turned: Option<Vec<Hex>> = earlier.iter().map(|aim| aim.instead_of).collect();
            bars.push(match turned {
                Some(empty) => bar.about(subjects(empty)),
                None => bar.firm(),
            });
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
        // Each for itself: some of them may go, others are there to stay.
        let near = data.neighbours(target).chain([target]);
        for next in near.filter(|next| self.crowd.has(data, *next, Crowd::any_of(self.side))) {
            let why = format!("friends in {next} are beside {target}");
            let bar = Bar::new("13.1o", why, "choose a target with no friends beside it");
            bars.push(bar.about([Subject::of(next)]).about(subjects(now.stack(next, self.side))));
        }
        let edge = now.facing(target, self.side);
        if !edge.is_empty() {
            let why = format!("friends at the map edge are beside {target}");
            bars.push(Bar::new("13.1o", why, "choose a target with no friends beside it").about(subjects(edge)));
        }
        let spotters = Spotters::of(now, gun, hex);
        let able = spotters.of_target(self, target);
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
                    true if spotters.leaders.iter().any(|(_, piece, _)| *piece == named) => "13.1n",
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
                let clause = if spotters.leaders.is_empty() { "13.1k" } else { "13.1n" };
                // Whoever could have spotted may have fallen or been led elsewhere meanwhile.
                let us_gun = now.unit(gun).is_some_and(|unit| unit.force == Force::Us);
                let is_base = |piece: Piece| us_gun && now.arm(piece) == Some(Arm::Base);
                let could =
                    now.state.units.keys().copied().filter(|piece| now.commands(*piece, gun) || is_base(*piece));
                bars.push(about(Bar::new(clause, why, remedy)).about(subjects(could)));
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

    pub(super) fn judge(&self, order: &FireOrder) -> Judged {
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

    /// Has a combat unit of this side a hex in range and sight, whether it may fire or not?
    pub fn reaches(&self, piece: Piece, target: Hex) -> bool {
        let unit = self.now.unit(piece).filter(|unit| unit.is_combat() && unit.side() == self.side);
        let near = |range: u32| self.distance(piece, target).is_some_and(|far| far <= range);
        let seen = |from: Hex| self.now.sees_in(&self.crowd, from, target, false).is_ok();
        unit.is_some_and(|unit| near(unit.range.unwrap_or(2))) && self.now.state.hex_of(piece).is_none_or(seen)
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
        let Some(hex) = self.now.state.hex_of(gun).filter(|_| self.bars_unit(gun).is_empty()) else {
            return Vec::new();
        };
        let spotters = Spotters::of(&self.now, gun, hex);
        let mut targets: Vec<(Hex, Piece)> = self
            .enemies
            .iter()
            .copied()
            .filter(|hex| self.distance(gun, *hex).is_some_and(|far| far <= range))
            .filter_map(|hex| Some((hex, *spotters.of_target(self, hex).first()?)))
            .filter(|(hex, _)| self.bars_firing(gun, *hex, true, None).is_empty())
            .collect();
        targets.sort_by_key(|(hex, _)| (self.distance(gun, *hex), *hex));
        targets
    }

    /// Every shot a single unit may give, indirect ones at what it cannot see.
    pub(super) fn shots(&self) -> impl Iterator<Item = (Hex, Shot)> {
        let units = self.now.on_map(self.side).filter(|(piece, _)| self.now.is_combat(*piece));
        units.flat_map(|(piece, _)| {
            let direct = self.targets(piece);
            let mut indirect = self.indirect_targets(piece);
            indirect.retain(|(hex, _)| !direct.contains(hex));
            let indirect =
                indirect.into_iter().map(move |(hex, spotter)| (hex, Shot { piece, spotter: Some(spotter) }));
            indirect.chain(direct.into_iter().map(move |hex| (hex, Shot { piece, spotter: None })))
        })
    }

    /// Does a shot stand among those a unit may give?
    pub(super) fn lists(&self, shot: &Shot, target: Hex) -> bool {
        match shot.spotter {
            None => self.targets(shot.piece).contains(&target),
            Some(_) => self.indirect_targets(shot.piece).iter().any(|(hex, _)| *hex == target),
        }
    }

    /// Steps in a hex of the enemy.
    fn steps_in(&self, hex: Hex) -> u32 {
        self.now.exposed(hex, enemy(self.side)).iter().map(|piece| self.now.steps(*piece)).sum()
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
            self.marked.contains(at) && now.exposed(*at, enemy(self.side)).iter().any(marks)
        };
        let variable = policy.variable.unwrap_or(VariableFire::Assaulted);
        let near = |hex: Hex| self.now.data().neighbours(hex).chain([hex]);
        let threatened = || hex.is_some_and(|hex| near(hex).any(|next| assaults_us(&next)));
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
        let order = |(target, shot): &(Hex, Shot)| FireOrder {
            indirect: shot.spotter.map(|_| shot.piece).into_iter().collect(),
            ..FireOrder::at(*target, vec![shot.piece])
        };
        now.shots().map(|shot| (order(&shot), Volley { target: shot.0, shots: vec![shot.1] })).collect()
    }
}
