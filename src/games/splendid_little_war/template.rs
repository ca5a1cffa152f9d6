//! The order file for the moment: everything that may be done as comments, legal as it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::board::{Hex, InReach, outreach};
use crate::engine::{Clause, Seen, Side, list};

use super::command::as_commanded;
use super::position::{Position, enemy};
use super::state::{Stage, State};
use super::terms::{Arm, Formation, Mp, Oos, Piece};
use super::{SPAIN, SplendidLittleWar, US};

/// What stands below `orders:`.
pub fn template(game: &SplendidLittleWar, seen: &Seen<'_, State>) -> String {
    let state = as_commanded(game, seen);
    let now = Position { game, state: &state };
    let mut text = String::new();
    match seen.state.stage {
        Stage::SpanishSetup => setup(&now, SPAIN, &mut text),
        Stage::UsSetup => setup(&now, US, &mut text),
        Stage::UsTurn => turn(&now, US, &mut text),
        Stage::SpanishTurn => turn(&now, SPAIN, &mut text),
        Stage::SpanishDefensiveFire => defence(&now, SPAIN, &mut text),
        Stage::UsDefensiveFire => defence(&now, US, &mut text),
        Stage::UsCombat => combat(&now, US, &mut text),
        Stage::SpanishCombat => combat(&now, SPAIN, &mut text),
        Stage::Over => text.push_str("  {}\n"),
    }
    text
}

/// The default set-up, written out to be changed.
fn setup(now: &Position<'_>, side: Side, text: &mut String) {
    let mut state = now.state.clone();
    for area in now.game.areas(side) {
        let hexes: Vec<String> = area.hexes.iter().take(10).map(ToString::to_string).collect();
        let more = if area.hexes.len() > 10 { ", …" } else { "" };
        let place = match (hexes.is_empty(), area.near_us) {
            (true, Some(limit)) => format!("within {limit} of a US unit, not next to a Spanish one"),
            (true, None) => format!("stacked with one of {}", list(&area.with)),
            _ => format!("in {}{more}", hexes.join(", ")),
        };
        let _ = writeln!(text, "  # {}: {} {place}", area.clause, span(&area.units));
    }
    text.push_str("  place:    # whoever is left out sets up as proposed here\n");
    for unit in now.to_place(side) {
        let there = Position { game: now.game, state: &state };
        if let Some(hex) = there.default_place(unit) {
            let name = now.unit(unit).map_or("", |unit| unit.name.as_str());
            let _ = writeln!(text, "    {unit}: \"{hex}\"    # {name}");
            if let Some(unit) = state.units.get_mut(&unit) {
                unit.at = super::state::Place::At(hex);
            }
        }
    }
    if side == SPAIN && now.game.scenario_entry().entrenched {
        let there = Position { game: now.game, state: &state };
        let hexes: Vec<String> = there.default_entrenchments().iter().map(|hex| format!("\"{hex}\"")).collect();
        let _ = writeln!(
            text,
            "  entrench: [{}]    # hexes with units, not jungle, swamp, city, fort or blockhouse",
            hexes.join(", ")
        );
    }
}

/// `sp-con-01 to sp-con-03` for a long list.
fn span(units: &[Piece]) -> String {
    match units {
        [first, .., last] if units.len() > 4 => format!("{first} … {last} ({})", units.len()),
        _ => list(units),
    }
}

/// A player turn.
fn turn(now: &Position<'_>, side: Side, text: &mut String) {
    let _ = writeln!(
        text,
        "  # Weather: {}. A star marks hexes that take a check first; `garcia reach UNIT` lists all with their costs.",
        now.state.weather
    );
    if side == US {
        command(now, text);
    }
    reinforcements(now, side, text);
    let enemies: BTreeSet<Hex> =
        now.on_map(enemy(side)).filter(|(id, _)| now.is_combat(*id)).map(|(_, at)| at).collect();
    formations(now, side, text);
    text.push_str("  moves: []\n");
    text.push_str("  # - {units: [ID, ID], to: HEX}   or path: [HEX, HEX]\n");
    if side == US {
        text.push_str("  # - {units: [REGIMENT], break-down: yes}   - {units: [REGIMENT], reform: yes}\n");
    }
    let digs: Vec<Piece> = (now.on_map(side).map(|(id, _)| id))
        .filter(|id| now.bars_entrenching(side, *id, &BTreeSet::new()).is_empty())
        .collect();
    if !digs.is_empty() {
        let _ = writeln!(text, "  # entrench: []   # instead of moving: {}", short(&digs));
    }
    if side == US {
        if let Some((base, hex)) = now.balloon() {
            let how = match (now.state.balloon_up, now.state.weather.is_poor()) {
                (true, _) => "down",
                (false, false) => "up",
                (false, true) => "up (not in this weather)",
            };
            let _ = writeln!(text, "  # balloon: {how}   # {base} in {hex}; the Base does not move then");
        }
        let engineers: Vec<Piece> = (now.on_map(US).map(|(id, _)| id))
            .filter(|id| now.arm(*id) == Some(Arm::Engineer) && !now.now(*id).bridged)
            .collect();
        if !engineers.is_empty() {
            let _ = writeln!(text, "  # pontoon: {{{}: HEX}}   # across a river with a road", engineers[0]);
        }
    }
    text.push_str("  assaults: []\n");
    text.push_str("  # - {target: HEX, units: [ID], call-off-if: \"1:1\", advance: all}\n");
    for (target, units) in now.assault_choices(side) {
        let _ = writeln!(
            text,
            "  # {}: could be assaulted from where they stand by {}",
            now.data().describe(target),
            list(&units)
        );
    }
    if !now.game.options.steps {
        fire(now, side, text);
    }
    let held: Vec<String> = enemies.iter().map(|hex| now.data().describe(*hex)).collect();
    let _ = writeln!(text, "  # Enemy combat units in: {}", held.join(", "));
}

fn short(units: &[Piece]) -> String {
    if units.len() > 24 { format!("{}, …", list(&units[..24])) } else { list(units) }
}

fn command(now: &Position<'_>, text: &mut String) {
    let parts = now.rough_riders();
    if !parts.is_empty() {
        let _ = writeln!(text, "  # roosevelt: {}   # one of {}", parts[0], list(&parts));
    }
    if now.wood_succeeds() {
        let regiments: Vec<Piece> = now.cavalry_regiments().into_iter().collect();
        let _ = writeln!(text, "  # wood: [us-usvc-01]   # with up to two of {}", list(&regiments));
    }
}

fn reinforcements(now: &Position<'_>, side: Side, text: &mut String) {
    let due: Vec<String> = (now.state.wounded.iter())
        .filter(|(id, turn)| **turn <= now.state.turn && now.side(**id) == Some(side))
        .map(|(id, _)| format!("{id}: UNIT"))
        .collect();
    if !due.is_empty() {
        let _ = writeln!(text, "  # returns: {{{}}}   # with a combat unit in supply", due.join(", "));
    }
    if side == SPAIN && now.game.options.garrison {
        let held: Vec<Piece> = now.on_map(SPAIN).map(|(id, _)| id).filter(|id| now.now(*id).garrison).collect();
        if !held.is_empty() {
            let _ = writeln!(text, "  # release: []   # Garrison Units, one die each: {}", short(&held));
        }
    }
    let waiting = now.waiting(side);
    if waiting.is_empty() {
        return;
    }
    let mut by_hex: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
    for unit in waiting {
        by_hex.entry(now.edge_hex(unit).unwrap_or(now.data().us_source)).or_default().push(unit);
    }
    for (hex, units) in by_hex {
        let held =
            if now.held_by(hex, enemy(side)) { "; `edge: yes` fights from there, without it they wait" } else { "" };
        let _ = writeln!(text, "  # At the edge by {}: {}{held}", now.data().describe(hex), list(&units));
    }
    text.push_str("  # enter: [{units: [ID], to: HEX}]   # in order; who is not named comes on along the road\n");
}

/// Everybody on the map by formation, with what is wrong with him and where he can go.
fn formations(now: &Position<'_>, side: Side, text: &mut String) {
    let mut groups: BTreeMap<Formation, Vec<(Piece, Hex)>> = BTreeMap::new();
    // Whoever can do nothing is named once, by what keeps him.
    let mut idle: BTreeMap<(Clause, String), Vec<Piece>> = BTreeMap::new();
    for (id, hex) in now.on_map(side) {
        if let Some(bar) = now.bars_moving(side, id, &BTreeSet::new()).into_iter().next() {
            idle.entry((bar.clause, bar.why_it(id.as_str()))).or_default().push(id);
            continue;
        }
        groups.entry(now.unit(id).map_or(Formation::None, |unit| unit.formation)).or_default().push((id, hex));
    }
    for (formation, units) in groups {
        let leaders: Vec<String> =
            (units.iter()).filter(|(id, _)| now.is_leader(*id)).map(|(id, hex)| format!("{id} in {hex}")).collect();
        let led = if leaders.is_empty() { String::new() } else { format!(": {}", leaders.join(", ")) };
        let formation = if formation == Formation::None { "of no formation".to_owned() } else { formation.to_string() };
        let _ = writeln!(text, "  # {formation}{led}");
        // Units of one hex in one state share a line.
        let mut lines: BTreeMap<(Hex, String), Vec<Piece>> = BTreeMap::new();
        for (id, hex) in units.into_iter().filter(|(id, _)| !now.is_leader(*id)) {
            lines.entry((hex, state_of(now, side, id))).or_default().push(id);
        }
        for ((hex, state), ids) in lines {
            let reach = ids.first().map(|id| reach_of(now, *id)).unwrap_or_default();
            let _ = writeln!(text, "  #   {hex}: {}{state}{reach}", list(&ids));
        }
    }
    for ((clause, why), ids) in idle {
        let _ = writeln!(text, "  # may not move (§{}: {why}): {}", clause.0, list(&ids));
    }
}

/// Where a unit can go; a star where it has to pass a check first.
fn reach_of(now: &Position<'_>, id: Piece) -> String {
    let Some(marcher) = now.marcher(&[id]) else { return String::new() };
    let (broken, leaves) = (now.now(id).broken && !now.must_leave(id), marcher.leaves_zone());
    let near = |(hex, path, _): (Hex, Vec<Hex>, Mp)| InReach {
        hex,
        die: broken || leaves && path.len() > 1,
        name: now.data().ground(hex).and_then(|ground| ground.name).map_or(String::new(), |name| name.to_string()),
    };
    let reached: Vec<InReach> = now.first_routes(id).into_iter().map(near).collect();
    format!("; {}", outreach(&now.data().grid, marcher.from, &reached))
}

/// What hinders a unit, and why.
fn state_of(now: &Position<'_>, side: Side, id: Piece) -> String {
    let state = now.now(id);
    let mut words = Vec::new();
    if state.broken {
        words.push("Broken (moves after a check, no assault)".to_owned());
    }
    match state.oos {
        Some(Oos::One) => words.push("OoS1 (fires and assaults at half)".to_owned()),
        Some(Oos::Two) => words.push("OoS2 (no fire, no assault)".to_owned()),
        None => {}
    }
    if state.ooc {
        words.push("OoC (one hex, no fire, no assault)".to_owned());
    }
    if state.garrison {
        words.push("garrison".to_owned());
    }
    if state.at.hex().is_some_and(|hex| now.in_zone_of(hex, enemy(side))) {
        words.push("in an enemy zone".to_owned());
    }
    if words.is_empty() { String::new() } else { format!(" [{}]", words.join("; ")) }
}

fn fire(now: &Position<'_>, side: Side, text: &mut String) {
    text.push_str("  fire: []\n");
    text.push_str("  # - {target: HEX, units: [ID], indirect: [ID], spotter: LEADER, else: HEX}\n");
    targets(now, side, text);
}

/// What each unit can fire at now.
fn targets(now: &Position<'_>, side: Side, text: &mut String) {
    for (unit, hexes) in now.fire_choices(side, &BTreeSet::new()) {
        let hexes: Vec<String> = hexes.iter().map(ToString::to_string).collect();
        if !hexes.is_empty() {
            let _ = writeln!(text, "  # {unit} sees {}", hexes.join(", "));
        }
    }
}

fn defence(now: &Position<'_>, side: Side, text: &mut String) {
    marks(now, text);
    let orders = now.default_defence(side);
    text.push_str("  # Without `fire`, or `retire`, your standing order serves.\n");
    let fire = orders.fire.unwrap_or_default();
    text.push_str(if fire.is_empty() { "  fire: []\n" } else { "  fire:\n" });
    for order in &fire {
        let _ = writeln!(text, "    - {{target: \"{}\", units: [{}]}}", order.target, list(&order.units));
    }
    let retire = orders.retire.unwrap_or_default();
    if side == US && !now.may_retire().is_empty() {
        text.push_str(if retire.is_empty() { "  retire: {}\n" } else { "  retire:\n" });
        for (unit, hex) in &retire {
            let _ = writeln!(text, "    {unit}: \"{hex}\"");
        }
    }
}

fn marks(now: &Position<'_>, text: &mut String) {
    let mut marked: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
    for (id, unit) in &now.state.units {
        if let Some(target) = unit.assaults {
            marked.entry(target).or_default().push(*id);
        }
    }
    for (target, units) in marked {
        let _ = writeln!(text, "  # {} is assaulted by {}", now.data().describe(target), list(&units));
    }
}

fn combat(now: &Position<'_>, side: Side, text: &mut String) {
    marks(now, text);
    fire(now, side, text);
    let targets: BTreeSet<Hex> = now.state.units.values().filter_map(|unit| unit.assaults).collect();
    let list = if targets.is_empty() { " []" } else { "" };
    let _ = writeln!(
        text,
        "  assaults:{list}   # {{target: HEX, call-off-if: \"1:1\", advance: all}}, in the order they are fought"
    );
    for target in targets {
        let _ = writeln!(text, "    - {{target: \"{target}\"}}");
    }
}
