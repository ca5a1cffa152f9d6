//! The order file for the moment: everything that may be done as comments, legal as it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::board::{Hex, InReach, outreach};
use crate::engine::{Seen, Side, count_of, list};

use super::EndOfEmpire;
use super::attack::Manner;
use super::orders::{Balloon, SetupOrders, Support};
use super::play::Play;
use super::position::{Known, Position};
use super::setup::parts_of;
use super::state::{Stage, State};
use super::tell::describe;
use super::terms::{Content, Force, Mode, Piece, Setup};
use super::{SPAIN, US};

/// What stands below `orders:`.
pub fn template(game: &EndOfEmpire, seen: &Seen<'_, State>) -> String {
    let side = seen.state.stage.side().unwrap_or(SPAIN);
    let known = Known::own(game, seen, side);
    let now = Position { game, state: seen.state, known: &known };
    match seen.state.stage {
        Stage::SpanishSetup => setup(&now, Force::Spanish),
        Stage::CubanSetup => setup(&now, Force::Cuban),
        Stage::Over => "  {}\n".to_owned(),
        stage => turn(&now, side, matches!(stage, Stage::UsCombat | Stage::SpanishCombat)),
    }
}

/// The default set-up, written out to be changed.
fn setup(now: &Position<'_>, force: Force) -> String {
    let game = now.game;
    let mut orders = SetupOrders::default();
    game.complete_setup(now.state, force, &mut orders);
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "  {words}");
    };
    match force {
        Force::Spanish => {
            line("# Any land hex; a real unit in Santiago and in every land hex around it (3i, 3j).".into());
            line("# BN within 3 hexes of 1208, M at El Morro, So at La Socapa; 12 steps and one gun a hex.".into());
        }
        _ => {
            let how = if game.options.cubans_near { "at most" } else { "at least" };
            line(format!(
                "# No town, village or road hex, {how} 4 hexes from 1208, not in or beside Spanish units (3p to 3r)."
            ));
        }
    }
    line("place:".into());
    for (unit, hex) in &orders.place {
        let name = now.unit(*unit).map_or("", |unit| unit.name.as_str());
        line(format!("  {unit}: \"{hex}\"    # {name}"));
    }
    if !orders.modes.is_empty() {
        line("modes:               # guerrilla or regular".into());
        for (unit, mode) in &orders.modes {
            line(format!("  {unit}: {mode}"));
        }
    }
    if force == Force::Spanish {
        let able: Vec<Piece> = now
            .data()
            .units
            .values()
            .filter(|unit| unit.force == force && parts_of(unit).is_some() && unit.setup == Setup::Start)
            .map(|unit| unit.id)
            .collect();
        line(format!(
            "# detach: [{{unit: {}, at: [\"1010\"]}}]    # in parts: {}",
            able.first().map_or("sp-4-t", |id| id.as_str()),
            list(able)
        ));
        if game.options.supply_points {
            line("# logistics: [\"1109\"]    # up to 3 logistic columns, each takes one of the 8 supply points; sp-cl-3 may".into());
            line("#                         # lie in a column too".into());
        }
    }
    if game.options.columns {
        line(
            "# Columns and dummies in the order that names them; what they hold is sealed when you sign. Units in the"
                .into(),
        );
        let example = if force == Force::Spanish { "sp-4-t, sp-1-5-ra" } else { "cu-ba, cu-ji" };
        let at = if force == Force::Spanish { "1111" } else { "1315" };
        line(format!(
            "# order in which they take losses: {{at: \"{at}\", holds: [{example}]}}. All dummies must be deployed."
        ));
        line("columns:".into());
        for column in &orders.columns {
            line(format!("  - {{at: \"{}\", holds: dummy}}", column.at));
        }
    }
    text
}

/// A player turn, or half of one.
fn turn(now: &Position<'_>, side: Side, fighting: bool) -> String {
    let mut text = String::new();
    let apart = now.game.options.phases;
    if !fighting {
        if side == US {
            if now.state.turn > 1 {
                reorganization(now, side, "reorganize", &mut text);
            }
            landings(now, &mut text);
        } else {
            entries(now, &mut text);
        }
        moves(now, side, &mut text);
    }
    if fighting || !apart {
        combats(now, side, &mut text);
        if side == SPAIN && now.state.turn < now.data().tables.limits.turns {
            let _ = writeln!(
                text,
                "  # What you order now for A.3 of the next turn stays sealed until then; entries may wait for an"
            );
            let _ = writeln!(text, "  # event (if-event: [running-the-blockade]) or for supply (if-oos: sp-4-t).");
            reorganization(now, side, "next", &mut text);
        }
    }
    ambushers(now, side, &mut text);
    enemies(now, side, &mut text);
    text
}

fn reorganization(now: &Position<'_>, side: Side, key: &str, text: &mut String) {
    let game = now.game;
    let mut lines: Vec<String> = Vec::new();
    let force = Force::army(side);
    let hexes = now.train_hexes(side);
    let free = now.free_trains(side);
    if let (Some(hex), false) = (hexes.first(), free.is_empty()) {
        let points = now.state.points(force);
        lines.push(format!("logistics: [{{at: \"{hex}\"}}]    # {points} points; in {}", list(&hexes)));
    }
    let able = now.splittable(side);
    if let Some(first) = able.first() {
        lines.push(format!("detach: [{{unit: {first}}}]    # of {}", list(&able)));
    }
    if game.options.columns {
        for force in Force::of(side) {
            let name = now.state.next_name(*force);
            let musters = now.musters(*force);
            if let Some(((hex, _), stack)) = musters.iter().next() {
                let hexes: BTreeSet<Hex> = musters.keys().map(|(hex, _)| *hex).collect();
                lines.push(format!("form: {{{name}: \"{hex}\"}}    # a new counter"));
                lines.push(format!(
                    "columns: {{{name}: [{}]}}    # what it holds; units in the open in {}",
                    list(stack),
                    list(hexes)
                ));
            }
        }
        for (name, content) in &now.known.0 {
            let Some(hex) = now.state.hex_of(*name) else { continue };
            lines.push(format!("# {name} in {hex} holds {content}"));
            let beside = |other: &&Piece| *other > name && now.state.hex_of(**other) == Some(hex);
            for other in now.known.0.keys().filter(beside) {
                let there = now.known.0.get(other).map(Content::to_string).unwrap_or_default();
                lines.push(format!("columns: {{{name}: {there}, {other}: {content}}}    # exchanged in {hex}"));
            }
            if now.dissolvable(side).contains(name) {
                lines.push(format!("dissolve: [{name}]    # its units stand in {hex}"));
            }
        }
    }
    let changes: Vec<(Piece, Mode)> =
        now.mode_orders(side).into_iter().filter(|(piece, mode)| now.mode(*piece) != *mode).collect();
    if let Some((first, mode)) = changes.first() {
        let all = changes.iter().map(|(piece, _)| piece);
        lines.push(format!("modes: [{{unit: {first}, mode: {mode}}}]    # of {}; a hex together", list(all)));
    }
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "  # {key}:");
    for line in lines {
        let _ = writeln!(text, "  #   {line}");
    }
}

fn landings(now: &Position<'_>, text: &mut String) {
    let data = now.data();
    let sea = now.arriving(Force::Us);
    if sea.is_empty() && now.state.base.is_some() {
        return;
    }
    let beaches = now.arrival_hexes(Force::Us);
    let _ = writeln!(text, "  # At most 12 steps land, on {}.", list(beaches.iter().map(|hex| data.describe(*hex))));
    let mut brigades: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    for id in &sea {
        let formation = data.unit(*id).and_then(|unit| unit.formation.clone()).unwrap_or_default();
        brigades.entry(formation).or_default().push(*id);
    }
    let at = beaches.first().map_or_else(|| "0522".to_owned(), Hex::to_string);
    let _ = writeln!(text, "  # land:");
    let steps = |units: &[Piece]| {
        let each = units.iter().filter_map(|id| Some(data.unit(*id)?.landing_steps(now.state.unit(*id).steps)));
        count_of(each.sum::<u32>(), "step")
    };
    // The first beach where all of them have room.
    let fits = |units: &[Piece], hex: &Hex| {
        let stack: Vec<Piece> = now.stack(*hex, Force::Us).into_iter().chain(units.iter().copied()).collect();
        now.lacking_room(*hex, Force::Us, now.bulk_of(&stack, |_| None)).is_none()
    };
    let beach = |units: &[Piece]| beaches.iter().find(|hex| fits(units, hex)).map_or(at.clone(), Hex::to_string);
    for (brigade, units) in &brigades {
        let at = beach(units);
        let name =
            if brigade.is_empty() { "in no brigade, one gun a hex".to_owned() } else { format!("brigade {brigade}") };
        let _ = writeln!(text, "  #   - {{units: [{}], at: \"{at}\"}}    # {name}: {}", list(units), steps(units));
    }
    if now.game.options.columns {
        if let Some((_, regiments)) = now.brigades_at_sea().into_iter().next() {
            let at = beach(&regiments);
            let _ = writeln!(
                text,
                "  #   - {{holds: [{}], at: \"{at}\"}}    # under a brigade counter, its regiments only",
                list(regiments)
            );
        }
        let left = now.dummies_left(Force::Us);
        if left > 0 {
            let _ = writeln!(text, "  #   - {{holds: dummy, at: \"{at}\"}}    # {left} left; a dummy lands as 6 steps");
        }
    }
    if now.state.base.is_none() {
        let at = now.base_sites().first().map_or(at, Hex::to_string);
        let _ =
            writeln!(text, "  #   - {{base: yes, at: \"{at}\"}}    # 6 steps, where US units are, beach or Siboney");
    }
}

fn entries(now: &Position<'_>, text: &mut String) {
    let waiting = now.arriving(Force::Spanish);
    if waiting.is_empty() {
        return;
    }
    if now.state.turn < now.state.escario {
        let _ = writeln!(text, "  # Escario arrives on turn {}.", now.state.escario);
        return;
    }
    let edge = now.arrival_hexes(Force::Spanish);
    let at = edge.first().map_or_else(|| "1401".to_owned(), Hex::to_string);
    let _ = writeln!(text, "  # Escario enters by {}:", list(edge));
    let _ = writeln!(text, "  # enter: [{{units: [{}], at: \"{at}\"}}]", list(&waiting));
}

fn moves(now: &Position<'_>, side: Side, text: &mut String) {
    let mut lines: Vec<String> = Vec::new();
    let mut fixed: Vec<(String, Vec<String>)> = Vec::new();
    let mut pieces = now.on_map(side);
    pieces.sort_by_key(|piece| (now.state.hex_of(*piece), *piece));
    for piece in pieces {
        let Some(hex) = now.state.hex_of(piece) else { continue };
        let (what, marks) = describe(now, piece);
        let marks = if marks.is_empty() { String::new() } else { format!(" ({marks})") };
        let bars = now.bars_marching(side, piece, &BTreeSet::new(), now.state.balloon_up);
        if let Some(bar) = bars.first() {
            // One line for all who stay for the same reason.
            let why = format!("{} (§{})", bar.why_it(piece.as_str()), bar.clause.0);
            let who = format!("{piece} in {hex}: {what}{marks}");
            match fixed.iter_mut().find(|(other, _)| *other == why) {
                Some((_, all)) => all.push(who),
                None => fixed.push((why, vec![who])),
            }
            continue;
        }
        let routes = now.routes(&[piece]);
        let name = |hex: Hex| now.data().ground(hex).and_then(|ground| ground.name).map(|name| name.to_string());
        let near = |hex: Hex| InReach { hex, die: false, name: name(hex).unwrap_or_default() };
        let reached: Vec<InReach> = routes.iter().map(|(hex, ..)| near(*hex)).collect();
        let way = outreach(&now.data().grid, hex, &reached);
        let balloon = match now.balloon_orders(&[piece], true) {
            [] => "",
            [Balloon::Up] => "; balloon: up at the end of its move",
            _ => "; balloon: down before it moves, or up again at the end",
        };
        lines.push(format!("# {piece} in {hex}: {what}{marks}; {way}{balloon}"));
    }
    lines.extend(fixed.into_iter().map(|(why, all)| format!("# may not move: {why}: {}", all.join("; "))));
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "  # How far in each direction stands below; `garcia reach UNIT` lists every hex with its cost."
    );
    let _ = writeln!(
        text,
        "  # moves:    # a stack moves together: {{units: [..], to: hex}} or path: [every hex]; drop: {{unit: hex}}"
    );
    let example = now.on_map(side).into_iter().find_map(|piece| {
        let able = now.bars_marching(side, piece, &BTreeSet::new(), false).is_empty() && !piece.is_counter();
        let to = now.routes(&[piece]).into_iter().next().filter(|_| able)?;
        Some(format!("- {{units: [{piece}], to: \"{}\"}}", to.0))
    });
    if let Some(example) = example {
        let _ = writeln!(text, "  #   {example}");
    }
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

fn combats(now: &Position<'_>, side: Side, text: &mut String) {
    let enemy = Play::enemy(side);
    let mut lines: Vec<String> = Vec::new();
    let naval: BTreeMap<Force, Vec<Hex>> =
        Force::of(side).iter().map(|force| (*force, now.naval_targets(*force))).collect();
    for target in now.held_hexes(enemy) {
        for force in Force::of(side) {
            for hiding in [false, true] {
                let (able, manner) = now.attackers(side, *force, target, &BTreeSet::new(), hiding);
                if able.is_empty() || hiding && manner == Manner::Counter {
                    continue;
                }
                let hexes: Vec<Hex> = able.iter().filter_map(|piece| now.state.hex_of(*piece)).collect();
                let ways = now.support_orders(*force, &hexes, manner, &able);
                let ways: Vec<String> = ways
                    .iter()
                    .filter_map(|way| match way {
                        Support::No => None,
                        Support::Pool => Some("pool".to_owned()),
                        Support::Column(column) => Some(column.to_string()),
                        Support::Answer => Some("answer".to_owned()),
                    })
                    .collect();
                let support = if ways.is_empty() { String::new() } else { format!("; support: {}", ways.join(" or ")) };
                let maine = if now.may_remember(*force, manner) { "; maine: yes in one of them" } else { "" };
                let table = if manner == Manner::Ordinary { "" } else { " on the Guerrilla Table" };
                lines.push(format!(
                    "- {{attack: \"{target}\", by: [{}]}}    # {}{table}{support}{maine}",
                    list(able),
                    holders(now, target)
                ));
            }
            if *force != Force::Cuban {
                let guns = now.guns_on(*force, target, &BTreeSet::new());
                if !guns.is_empty() {
                    lines.push(format!(
                        "- {{bombard: \"{target}\", by: [{}]}}    # {}",
                        list(guns),
                        holders(now, target)
                    ));
                }
                if naval.get(force).is_some_and(|targets| targets.contains(&target)) {
                    lines.push(format!("- {{naval: \"{target}\"}}    # {}", holders(now, target)));
                }
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    let order = if side == US { "in this order, Cubans before the US Army" } else { "in this order" };
    let _ = writeln!(text, "  # combat:    # {order}; also losses, advance: all, none or units, instead: hex");
    for line in lines {
        let _ = writeln!(text, "  #   {line}");
    }
}

/// A hex and who stands in it.
fn holders(now: &Position<'_>, hex: Hex) -> String {
    format!("{}: {}", now.data().describe(hex), list(now.pieces_in(hex)))
}

/// Who may strike in the opponent's movement, for the standing order `ambush`.
fn ambushers(now: &Position<'_>, side: Side, text: &mut String) {
    let lies_in_wait = |piece: &Piece| {
        let dummy = now.known.0.get(piece).is_some_and(Content::is_dummy);
        now.fights(*piece) && now.in_guerrilla(*piece) && !dummy
    };
    let hiding: Vec<Piece> = now.on_map(side).into_iter().filter(lies_in_wait).collect();
    if !hiding.is_empty() {
        let each: Vec<String> = hiding.iter().map(|piece| format!("{piece}: min-drm 2")).collect();
        let _ =
            writeln!(text, "  # In guerrilla; a standing order may be `ambush: {{units: {{{}}}}}`", each.join(", "));
    }
    if hiding.iter().any(|piece| now.state.counters.get(piece).is_some_and(|counter| !counter.real)) {
        let _ = writeln!(text, "  # A closed counter strikes only if the order names it or its hex (A109).");
    }
}

/// What is known of the enemy's closed counters.
fn enemies(now: &Position<'_>, side: Side, text: &mut String) {
    for (name, counter) in now.state.counters.iter().filter(|(_, counter)| counter.force.side() != side) {
        let (_, marks) = describe(now, *name);
        let marks = if marks.is_empty() { "nothing is known of it".to_owned() } else { marks };
        let _ = writeln!(text, "  # enemy {name} in {}: {marks}", now.data().describe(counter.at));
    }
}
