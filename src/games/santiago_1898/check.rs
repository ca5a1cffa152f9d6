//! Checking a packet before it is signed: every fault at once, each with what would be legal.
//!
//! A packet is carried out on a projection of the position in which every jungle roll goes well; the random player
//! builds his orders on the same projection, so what is listed and what is legal cannot part.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault};
use crate::engine::{Clause, count_of};

use super::fire::Committed;
use super::movement::{March, Stack};
use super::orders::{BattleOrder, Effort, MoveOrder, Orders, SetupOrders, TurnOrders};
use super::play::{Position, player};
use super::setup::SetupFault;
use super::state::{Place, Stage, State};
use super::terms::{Force, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, Switch, US};

impl TurnOrders {
    /// Orders to do nothing.
    pub fn none() -> TurnOrders {
        TurnOrders {
            base: None,
            landings: Vec::new(),
            entry: BTreeMap::new(),
            moves: Vec::new(),
            all_out_effort: Effort::No,
            battles: Vec::new(),
            shock_order: Vec::new(),
            overstack: false,
        }
    }
}

/// The position as it would be if everything ordered so far went well.
pub struct Projection<'g> {
    pub game: &'g Santiago1898,
    pub state: State,
    pub moved: BTreeSet<UnitId>,
    pub landing_left: u32,
}

impl<'g> Projection<'g> {
    /// Nothing ordered yet; the Escario column stands at its entry if it is due.
    pub fn new(game: &'g Santiago1898, state: &State) -> Projection<'g> {
        let landing_left = game.data.tables.limits.landing_steps;
        Projection { game, state: state.clone(), moved: BTreeSet::new(), landing_left }
    }

    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: &self.state }
    }

    /// Puts a counter somewhere.
    pub fn put(&mut self, id: UnitId, hex: Hex) {
        let combat = self.now().is_combat(id);
        let us = self.now().force(id).is_some_and(|force| player(force) == US);
        if let Some(unit) = self.state.units.get_mut(&id) {
            unit.at = Place::At(hex);
        }
        if combat && us {
            self.state.us_control.insert(hex);
        } else if combat {
            self.state.us_control.remove(&hex);
        }
    }

    /// Lands a unit.
    pub fn land(&mut self, id: UnitId, hex: Hex) {
        self.landing_left = self.landing_left.saturating_sub(u32::from(self.state.unit(id).steps));
        self.put(id, hex);
        if let Some(unit) = self.state.units.get_mut(&id) {
            unit.landed = true;
        }
    }

    /// Marches a stack to the end of its path.
    pub fn march(&mut self, stack: &Stack, march: &March, order: &MoveOrder) {
        let mut marching = stack.units.clone();
        let mut before = stack.from;
        for (index, paid) in march.steps.iter().enumerate() {
            let last = index + 1 == march.steps.len();
            if order.stop_short && self.now().full_ahead(stack.force, &marching, before, paid.hex, last) {
                break;
            }
            before = paid.hex;
            for id in &marching {
                self.put(*id, paid.hex);
            }
            self.relocate_lone_leaders();
            // Who is left behind, or has to join his friends, goes no farther (§8.1f, §6.2e).
            let goes_on =
                |id: &UnitId| self.state.hex_of(*id) == Some(paid.hex) && order.leave.get(id) != Some(&paid.hex);
            marching.retain(goes_on);
        }
        self.moved.extend(stack.units.iter().copied());
    }

    /// Lone leaders join the nearest friends as they would by default (§6.2e).
    fn relocate_lone_leaders(&mut self) {
        for (leader, force, from) in self.now().lone_leaders() {
            let to = self.now().nearest_friends(force, from).first().copied();
            if let Some(unit) = self.state.units.get_mut(&leader) {
                unit.at = to.map_or(Place::Lost, Place::At);
            }
        }
    }

    /// The Escario column where it enters, by order or by default.
    pub fn enter_escario(&mut self, entry: &BTreeMap<UnitId, Hex>) {
        if !self.now().escario_due() || self.now().entry_hexes().is_empty() {
            return;
        }
        for id in self.now().escario() {
            let open = self.now().entry_hexes();
            let wished = entry.get(&id).copied().filter(|hex| open.contains(hex));
            if let Some(hex) = wished.or_else(|| self.now().default_entry(id, &open)) {
                self.put(id, hex);
            }
        }
    }
}

/// Collects faults under a path.
struct Faults<'f> {
    at: &'f DocPath,
    found: Vec<Fault>,
}

impl Faults<'_> {
    /// Several units of one order can share a fault; it is said once.
    fn add(&mut self, at: DocPath, clause: Clause, what: impl Into<String>, remedy: impl Into<String>) {
        let fault = Fault::new(&at, what, remedy).by(clause);
        if self.found.last() != Some(&fault) {
            self.found.push(fault);
        }
    }
}

/// Checks a packet and writes it out in full.
pub fn check(game: &Santiago1898, state: &State, orders: &mut Orders, at: &DocPath) -> Vec<Fault> {
    let mut faults = Faults { at, found: Vec::new() };
    match orders {
        Orders::Setup(setup) => check_setup(game, state, setup, &mut faults),
        Orders::Turn(turn) => check_turn(game, state, turn, &mut faults),
    }
    faults.found
}

fn check_setup(game: &Santiago1898, state: &State, setup: &SetupOrders, faults: &mut Faults<'_>) {
    let now = Position { game, state };
    let found: Vec<SetupFault> = if state.stage == Stage::SpanishSetup {
        now.spanish_setup_faults(&now.complete_spanish(&setup.place))
    } else {
        now.cuban_setup_faults(&now.complete_cuban(&setup.place))
    };
    for fault in found {
        let place = faults.at.key("place");
        let at = fault.unit.map_or_else(|| place.clone(), |id| place.key(id.as_str()));
        faults.add(at, fault.clause, fault.what, fault.remedy);
    }
}

fn check_turn(game: &Santiago1898, state: &State, turn: &mut TurnOrders, faults: &mut Faults<'_>) {
    let side = state.stage.side().unwrap_or(US);
    let combat_only = matches!(state.stage, Stage::UsCombat | Stage::SpanishCombat);
    let movement_only = game.switch(Switch::PhasesApart) && !combat_only;
    let at = faults.at.clone();
    let moves = !turn.moves.is_empty() || !turn.landings.is_empty() || turn.base.is_some() || !turn.entry.is_empty();
    if combat_only && moves {
        faults.add(
            at.clone(),
            Clause("2.1c"),
            "movement is over",
            "give battles only; moves come with the next movement packet",
        );
    }
    if movement_only && !turn.battles.is_empty() {
        faults.add(
            at.key("battles"),
            Clause("2.1c"),
            "combat is ordered after movement",
            "leave battles for the combat packet",
        );
    }
    if side == SPAIN && turn.base.is_some() {
        faults.add(at.key("base"), Clause("8.2a"), "the base is American", "leave `base` out");
    }
    if side == SPAIN && !turn.landings.is_empty() {
        faults.add(at.key("landings"), Clause("8.2a"), "only US units land", "leave `landings` out");
    }
    if movement_only && turn.all_out_effort == Effort::IfAttack {
        let remedy = "write `if-attack` in the combat packet, or `yes` here";
        faults.add(at.key("all-out-effort"), Clause("2.1c"), "combat is ordered after movement", remedy);
    }
    if side == SPAIN && turn.all_out_effort != Effort::No {
        faults.add(at.key("all-out-effort"), Clause("6.4a"), "Roosevelt is not yours to command", "leave it out");
    }
    if side == US && !turn.entry.is_empty() {
        faults.add(at.key("entry"), Clause("8.3a"), "the Escario column is Spanish", "leave entry out");
    }
    let mut projection = Projection::new(game, state);
    if side == US {
        check_landings(&mut projection, turn, faults);
        check_effort(&projection, turn, faults);
    } else {
        check_entry(&projection, turn, faults);
        projection.enter_escario(&turn.entry);
    }
    // §2.1h: Cuban moves are carried out before US ones, whatever their place in the list.
    let forces: &[Force] = if side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
    check_owners(&projection, turn, side, faults);
    for force in forces {
        for index in 0..turn.moves.len() {
            let of =
                turn.moves.get(index).and_then(|order| order.units.first()).and_then(|id| projection.now().force(*id));
            if of == Some(*force)
                && let Some(order) = turn.moves.get_mut(index)
            {
                check_move(&mut projection, order, &at.key("moves").index(index), faults);
            }
        }
    }
    if !turn.overstack {
        for (hex, force, excess) in projection.now().overstacked() {
            let what = format!(
                "{hex} would hold {} too many; the opponent would remove them",
                count_of(excess, &format!("{force} unit"))
            );
            let limit = game.data.tables.limits.stacking;
            let remedy = format!("keep to {limit} units a hex, or write `overstack: yes` if it is meant");
            let fault = Fault::new(&fills(turn, hex, &at), what, remedy).by(Clause("5.3b"));
            faults.found.push(fault.as_warning());
        }
    }
    check_battles(&projection, turn, side, faults);
}

/// The order that fills a hex: the last march that ends there, else who enters or lands there.
fn fills(turn: &TurnOrders, hex: Hex, at: &DocPath) -> DocPath {
    let marched = turn.moves.iter().rposition(|order| order.path.last() == Some(&hex));
    let entered = || turn.entry.iter().rfind(|(_, to)| **to == hex);
    let landed = || turn.landings.iter().rposition(|landing| landing.at == hex);
    if let Some(index) = marched {
        at.key("moves").index(index)
    } else if let Some((id, _)) = entered() {
        at.key("entry").key(id.as_str())
    } else if let Some(index) = landed() {
        at.key("landings").index(index)
    } else {
        at.clone()
    }
}

fn check_landings(projection: &mut Projection<'_>, turn: &TurnOrders, faults: &mut Faults<'_>) {
    let at = faults.at.clone();
    if let Some(hex) = turn.base {
        let at = at.key("base");
        if projection.state.base.is_some() {
            faults.add(at, Clause("10.3c"), "the base is ashore and never moves again", "leave `base` out");
        } else if let Some((clause, why)) = projection.now().beach_closed(hex) {
            let now = projection.now();
            faults.add(at, clause, why, open_beaches(&now, |hex| now.beach_closed(hex).is_none()));
        } else {
            projection.state.base = Some(hex);
            projection.landing_left =
                projection.landing_left.saturating_sub(projection.game.data.tables.limits.base_landing_steps);
        }
    }
    let limit = projection.game.data.tables.limits.landing_steps;
    for (index, landing) in turn.landings.iter().enumerate() {
        let entry = at.key("landings").index(index);
        if landing.units.is_empty() {
            faults.add(entry.key("units"), Clause("8.2b"), "no unit is named", "name the units that land");
        }
        for (place, id) in landing.units.iter().enumerate() {
            let at = entry.key("units").index(place);
            let unit = projection.state.unit(*id);
            if unit.landed {
                faults.add(at, Clause("8.2b"), format!("{id} is named twice"), "name each unit once");
            } else if unit.at != Place::OffMap || projection.now().force(*id) != Some(Force::Us) {
                faults.add(
                    at,
                    Clause("8.2b"),
                    format!("{id} is not in the pool"),
                    "name units of the pool (`garcia status`)",
                );
            } else if let Some((clause, why)) = projection.now().landing_closed(*id, landing.at) {
                let now = projection.now();
                let remedy = open_beaches(&now, |hex| now.landing_closed(*id, hex).is_none());
                faults.add(entry.key("at"), clause, why, remedy);
            } else if u32::from(unit.steps) > projection.landing_left {
                let left = projection.landing_left;
                let what = format!("{id} needs {} and {left} of the {limit} are left", count_of(unit.steps, "step"));
                faults.add(
                    at,
                    Clause("8.2g"),
                    what,
                    format!("land at most {limit} steps a turn, the base counting six"),
                );
            } else {
                projection.land(*id, landing.at);
            }
        }
    }
}

fn open_beaches(now: &Position<'_>, is_open: impl Fn(Hex) -> bool) -> String {
    let open: Vec<String> = now.data().beaches.iter().filter(|hex| is_open(**hex)).map(Hex::to_string).collect();
    match open.as_slice() {
        [] => "wait: no beach is open to it now".to_owned(),
        [only] => format!("land at {only}, or wait"),
        _ => format!("land at one of {}, or wait", open.join(", ")),
    }
}

fn check_effort(projection: &Projection<'_>, turn: &TurnOrders, faults: &mut Faults<'_>) {
    if turn.all_out_effort != Effort::No
        && let Some((clause, why)) = projection.now().effort_barred()
    {
        faults.add(faults.at.key("all-out-effort"), clause, why, "leave it out");
    }
}

fn check_entry(projection: &Projection<'_>, turn: &TurnOrders, faults: &mut Faults<'_>) {
    let now = projection.now();
    let column = now.escario();
    let open = now.entry_hexes();
    for (id, hex) in &turn.entry {
        let at = faults.at.key("entry").key(id.as_str());
        if !column.contains(id) {
            faults.add(
                at,
                Clause("8.3a"),
                format!("{id} is not a unit of the column waiting to enter"),
                "leave it out",
            );
        } else if !now.escario_due() {
            faults.add(at, Clause("8.3a"), "the Escario column is not due yet", "leave `entry` out");
        } else if !projection.game.data.west_edge.contains(hex) {
            let edge: Vec<String> = projection.game.data.west_edge.iter().map(Hex::to_string).collect();
            faults.add(
                at,
                Clause("8.3c"),
                format!("{hex} is not on the west edge"),
                format!("enter by {}", edge.join(", ")),
            );
        } else if !open.contains(hex) {
            let edge: Vec<String> = open.iter().map(Hex::to_string).collect();
            faults.add(
                at,
                Clause("8.3d"),
                format!("{hex} is not empty of US and Cuban units"),
                format!("enter by {}", edge.join(", ")),
            );
        }
    }
}

/// Units of the other side, and units ordered twice.
fn check_owners(projection: &Projection<'_>, turn: &TurnOrders, side: crate::engine::Side, faults: &mut Faults<'_>) {
    let mut seen: BTreeMap<UnitId, usize> = BTreeMap::new();
    for (index, order) in turn.moves.iter().enumerate() {
        let entry = faults.at.key("moves").index(index);
        if order.units.is_empty() {
            faults.add(entry.key("units"), Clause("8.1a"), "no unit is named", "name the units that move");
        }
        for (place, id) in order.units.iter().enumerate() {
            let at = entry.key("units").index(place);
            if projection.now().force(*id).is_none_or(|force| player(force) != side) {
                faults.add(at, Clause("8.1a"), format!("{id} is not your unit"), "order your own units");
            } else if let Some(before) = seen.insert(*id, index) {
                let what = format!("{id} is ordered twice: it moves in moves[{before}] already");
                faults.add(
                    at,
                    Clause("8.1f"),
                    what,
                    "a unit moves once per phase; use `leave` to drop units on the way",
                );
            }
        }
    }
}

fn check_move(projection: &mut Projection<'_>, order: &mut MoveOrder, at: &DocPath, faults: &mut Faults<'_>) {
    if order.units.iter().any(|id| projection.moved.contains(id)) {
        return; // reported as ordered twice
    }
    let now = projection.now();
    let stays = order.balloon.is_some() && order.path.is_empty() && order.to.is_none();
    let stack = if stays { now.together(&order.units).map(|_| None) } else { now.stack(&order.units).map(Some) };
    let stack = match stack {
        Ok(stack) => stack,
        Err((clause, why)) => {
            faults.add(at.key("units"), clause, why, "order units that stand together and may move");
            return;
        }
    };
    let signals = order.units.iter().any(|id| now.kind(*id) == Some(UnitKind::Signals));
    if order.balloon.is_some() && !signals {
        faults.add(
            at.key("balloon"),
            Clause("8.7f"),
            "only the Signals Detachment has a balloon",
            "leave `balloon` out",
        );
    }
    // §8.7f: the balloon goes up or comes down on the spot.
    let Some(stack) = stack else {
        projection.moved.extend(order.units.iter().copied());
        return;
    };
    let where_to = order.to.take();
    match (where_to, order.path.is_empty()) {
        (Some(to), true) if to == stack.from => {
            faults.add(at.key("to"), Clause("8.1a"), format!("the units are in {to} already"), "leave the move out");
            return;
        }
        (Some(to), true) => match now.reachable(&stack).get(&to) {
            Some(path) => order.path = path.clone(),
            None => {
                let (clause, what, remedy) = now.why_not(&stack, to);
                faults.add(at.key("to"), clause, what, remedy);
                return;
            }
        },
        (Some(to), false) if order.path.last() != Some(&to) => {
            let what = format!("the path does not end in {to}");
            faults.add(at.key("to"), Clause("8.1a"), what, "give either `path` or `to`");
            return;
        }
        (None, true) => {
            faults.add(at.clone(), Clause("8.1a"), "the move goes nowhere", "give `to: HEX` or `path: [HEX, …]`");
            return;
        }
        _ => {}
    }
    for (id, hex) in &order.leave {
        let place = at.key("leave").key(id.as_str());
        let inner = order.path.split_last().map_or(&[][..], |(_, inner)| inner);
        if !order.units.contains(id) {
            faults.add(place, Clause("8.1f"), format!("{id} is not in the stack"), "leave behind units that move");
        } else if !inner.contains(hex) {
            faults.add(
                place,
                Clause("8.1f"),
                format!("{hex} is not on the way"),
                "name a hex of the path before its end",
            );
        }
    }
    match now.march(&stack, &order.path) {
        Ok(march) => projection.march(&stack, &march, order),
        Err(fault) => faults.add(at.key("path").index(fault.index), fault.clause, fault.what, fault.remedy),
    }
}

fn check_battles(
    projection: &Projection<'_>,
    turn: &mut TurnOrders,
    side: crate::engine::Side,
    faults: &mut Faults<'_>,
) {
    let now = projection.now();
    let mut used = Committed::default();
    let mut gunfire: BTreeMap<Force, usize> = BTreeMap::new();
    for (index, battle) in turn.battles.iter_mut().enumerate() {
        let at = faults.at.key("battles").index(index);
        battle.attackers = now.attackers_of(battle);
        battle.from.clear();
        check_battle(&now, battle, side, &mut used, &at, faults);
        let Some(force) = battle.attackers.first().and_then(|id| now.force(*id)) else {
            if battle.naval == Some(true) {
                let what = "the fleet only supports: no ground unit makes this attack";
                faults.add(at.key("naval"), Clause("9.7k"), what, "name `attackers`, or leave the attack out");
            }
            continue;
        };
        if battle.naval == Some(true) {
            if let Some(before) = gunfire.insert(force, index) {
                let what = format!("the fleet supports battles[{before}] already");
                faults.add(at.key("naval"), Clause("9.7g"), what, "naval gunfire serves one battle a turn");
            } else if let Some((clause, why)) = now.naval_barred(force, battle.target) {
                faults.add(at.key("naval"), clause, why, "leave `naval` out");
            }
        }
        if let Some(hex) = battle.naval_from
            && now.naval_hex(force, battle.target, Some(hex)).map(|(from, _)| from) != Some(hex)
        {
            let what = format!("the fleet cannot fire from {hex} at {}", battle.target);
            faults.add(at.key("naval-from"), Clause("9.7f"), what, "leave it out; the firing hex does not matter");
        }
    }
    let targets: BTreeSet<Hex> = turn.battles.iter().map(|battle| battle.target).collect();
    for (index, hex) in turn.shock_order.iter().enumerate() {
        if !targets.contains(hex) {
            let at = faults.at.key("shock-order").index(index);
            faults.add(at, Clause("IMP.4"), format!("{hex} is not attacked"), "list targets of `battles`");
        }
    }
}

fn check_battle(
    now: &Position<'_>,
    battle: &BattleOrder,
    side: crate::engine::Side,
    used: &mut Committed,
    at: &DocPath,
    faults: &mut Faults<'_>,
) {
    if !used.targets.insert(battle.target) {
        let what = format!("{} is attacked twice", battle.target);
        faults.add(at.key("target"), Clause("9.1f"), what, "an enemy hex may be attacked once per player turn");
    }
    if let Some((clause, why)) = now.target_barred(side, battle.target) {
        faults.add(at.key("target"), clause, why, "attack a hex with enemy units (`garcia map`)");
    }
    if battle.attackers.is_empty() {
        faults.add(at.clone(), Clause("9.1c"), "nobody attacks", "name `attackers`, or hexes under `from`");
    }
    let forces: BTreeSet<Force> = battle.attackers.iter().filter_map(|id| now.force(*id)).collect();
    if forces.contains(&Force::Us) && forces.contains(&Force::Cuban) {
        let what = "US and Cuban units attack together";
        faults.add(
            at.key("attackers"),
            Clause("9.1d"),
            what,
            "give each its own battle; only one of them may attack a hex",
        );
    }
    for (place, id) in battle.attackers.iter().enumerate() {
        let at = at.key("attackers").index(place);
        if now.force(*id).is_none_or(|force| player(force) != side) {
            faults.add(at, Clause("9.1c"), format!("{id} is not your unit"), "name your own units");
        } else if !used.units.insert(*id) {
            faults.add(at, Clause("IMP.3"), format!("{id} attacks twice"), "a unit takes part in one battle a turn");
        } else if let Some((clause, why)) = now.attacker_barred(*id, battle.target) {
            faults.add(at, clause, why, "name units next to the target that may attack");
        }
    }
    if let Some(super::orders::Advance::Units(units)) = &battle.advance {
        for (place, id) in units.iter().enumerate().filter(|(_, id)| !battle.attackers.contains(id)) {
            let what = format!("{id} does not take part");
            faults.add(
                at.key("advance").index(place),
                Clause("9.5c"),
                what,
                "only attackers advance; leaders go with their stack",
            );
        }
    }
}
