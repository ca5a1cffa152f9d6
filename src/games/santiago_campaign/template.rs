//! The order file for this very moment: every unit that may act, and what it may do, as comments to edit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::board::{Hex, InReach, outreach};
use crate::engine::{Concealed, Seen, Side, count_of, list};

use super::orders::SpanishSetup;
use super::play::{Play, Position, at_table};
use super::state::{Stage, State};
use super::tell::verb;
use super::terms::{Arm, Group, Nation, Piece, UnitId};
use super::{SantiagoCampaign, US};

/// What stands below `orders:`, indented by two blanks.
pub fn template(game: &SantiagoCampaign, seen: &Seen<'_, State>) -> String {
    let mut text = String::new();
    let Some(side) = seen.state.stage.side() else { return text };
    at_table(game, seen, side, |play| match play.state.stage {
        Stage::SpanishSetup => spanish_setup(game, &mut text),
        Stage::UsSetup => us_setup(&play.now(), &mut text),
        stage => {
            let combat_only = matches!(stage, Stage::UsCombat | Stage::SpanishCombat);
            if !combat_only {
                if side == US {
                    landings(&play.now(), &mut text);
                } else {
                    release(&play.now(), &mut text);
                }
                moves(play, side, &mut text);
            }
            if combat_only || !game.options.phases_apart {
                attacks(&play.now(), side, &mut text);
            }
            line(&mut text, "# capitulate: yes      # ends the game (§3.3c)");
        }
    });
    text
}

fn line(text: &mut String, line: impl AsRef<str>) {
    let _ = writeln!(text, "  {}", line.as_ref());
}

/// Hexes in order, runs down a column together: `1004-1007, 1103`.
fn runs(hexes: &[Hex]) -> String {
    let next = |a: &Hex, b: &Hex| a.number() + 1 == b.number();
    list(hexes.chunk_by(next).filter_map(|run| match run {
        [only] => Some(only.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    }))
}

fn spanish_setup(game: &SantiagoCampaign, text: &mut String) {
    let data = &game.data;
    let setup = SpanishSetup::by_default(data);
    line(
        text,
        "# Hex and units, one line each (§5.1). Dry land only, three hexes or more from every beach, two units and a",
    );
    line(
        text,
        "# battery to a hex, one unit in jungle. What stands here is the set-up anybody can look up: make your own.",
    );
    line(text, format!("# Beaches: {}", list(data.beaches.iter().map(|hex| data.say(*hex)))));
    for counter in data.counters.values().filter(|c| c.nation == Nation::Spanish && c.group == Group::Start) {
        let range = if counter.kind == Arm::Artillery { ", artillery" } else { "" };
        line(text, format!("#   {}: {}, factor {}{range}", counter.id(), counter.name, counter.factor.unwrap_or(0)));
    }
    line(text, "deploy:");
    let units = |stack: &[Concealed<UnitId>]| list(stack.iter().filter_map(Concealed::as_open));
    for (hex, stack) in &setup.deploy {
        line(text, format!("  {hex}: [{}]", units(stack)));
    }
    line(text, "# The order in the boxes names the counters; shuffle it.");
    line(text, format!("manzanillo: [{}]", units(&setup.manzanillo)));
    line(text, format!("guantanamo: [{}]", units(&setup.guantanamo)));
    line(text, "# face-up: [manzanillo, guantanamo]     # lets the US player see them (§5.1c)");
}

fn us_setup(now: &Position<'_>, text: &mut String) {
    let zones = now.state.cuban_zones.unwrap_or([0; 4]);
    line(
        text,
        format!(
            "# Cuban units for zones 1 to 4: {} (§5.2). Free jungle hexes of the zone, one unit to a hex.",
            list(zones)
        ),
    );
    line(text, "place:");
    for (id, hex) in now.place_cubans(&BTreeMap::new()).0 {
        line(text, format!("  {id}: {hex}   # zone {}", now.zone(hex)));
    }
    line(
        text,
        "# The 1st Marine Battalion: `guantanamo` (out of the game, fewer Spanish reinforcements) or `pool` (§5.3).",
    );
    line(text, "marines: guantanamo");
}

fn landings(now: &Position<'_>, text: &mut String) {
    let (sites, due) = (now.sites(), now.landings_due());
    if due == 0 {
        return;
    }
    let say = |hex: &Hex| now.data().say(*hex);
    line(
        text,
        format!(
            "# {} {} this turn, drawn blindly from {} at sea (§6).",
            count_of(due, "unit"),
            verb(due, "lands", "land"),
            now.pool().len()
        ),
    );
    if now.state.turn == 1 {
        line(
            text,
            format!("# Ten at {}, then the table says where the other five go (§6.2i).", list(sites.iter().map(say))),
        );
    } else {
        line(
            text,
            format!(
                "# Sites: {}. Numbers per site, together {due} (§6.5); all to the first site if left out.",
                list(sites.iter().map(say))
            ),
        );
        if let Some(site) = sites.first() {
            line(text, format!("# split: [{{site: {site}, units: {due}}}]"));
        }
    }
    line(
        text,
        "# Instructions by site; the first that fits a drawn unit and is legal is used. Classes: any, infantry, cavalry,",
    );
    line(text, "# artillery, engineer, gatling, balloon. Without one it goes as far inland as it is in supply.");
    line(text, "landings: {}");
    for site in &sites {
        let hexes = now.ashore(*site);
        line(text, format!("#  {site}: [{{class: any, to: HEX}}]    # as things stand: {}", runs(&hexes)));
    }
}

fn release(now: &Position<'_>, text: &mut String) {
    let due = now.state.marines_sent
        && !now.state.guantanamo_rolled
        && now.state.turn >= now.data().tables.clock.guantanamo_turn;
    if due {
        line(text, "# The Guantanamo table is rolled before anything moves; first choice first (§23.1c):");
        let held = now.state.tokens_held(super::terms::HoldingBox::Guantanamo).map(Piece::from);
        line(text, format!("# release: [{}]", list(held.map(|piece| piece.to_string()))));
    }
}

fn moves(play: &mut Play<'_, '_>, side: Side, text: &mut String) {
    line(text, "# Moves, in the order they are made (§9.5): `to: HEX` for the cheapest path, or `path: [HEX, …]`.");
    line(text, "moves: []");
    line(text, "# Below: how far in each direction; `garcia reach UNIT` lists every hex.");
    let mut fixed: Vec<(String, Vec<String>)> = Vec::new();
    for piece in play.now().pieces_of(side) {
        let (maps, choices) = (play.maps_for(piece), play.choices(piece));
        let now = play.now();
        let place =
            now.hex_of(piece).map_or_else(|| "in its box".to_owned(), |hex| format!("in {}", now.data().say(hex)));
        let able = now.mover(piece, &maps).and_then(|(mover, from)| match from {
            Some(hex) if choices.is_empty() => Err(now.shut_in(&mover, hex, &maps)),
            _ => Ok((mover, from)),
        });
        match able {
            Ok((mover, from)) => {
                let name = |hex: Hex| now.data().place_name(hex).unwrap_or_default().to_owned();
                let hexes = choices.iter().map(|(hex, ..)| *hex).filter(|hex| now.may_stay(&mover, *hex));
                let hexes: Vec<InReach> = hexes.map(|hex| InReach { hex, die: false, name: name(hex) }).collect();
                let way = match from {
                    Some(from) => outreach(now.data().grid(), from, &hexes),
                    None => runs(&hexes.iter().map(|one| one.hex).collect::<Vec<_>>()),
                };
                let lost = if mover.lost { ", out of supply" } else { "" };
                line(
                    text,
                    format!(
                        "#  - {{unit: {piece}, to: HEX}}   # {} {place}, {} MP{lost}: {}",
                        now.say(piece),
                        mover.purse,
                        way
                    ),
                );
            }
            Err(bars) => {
                // One line for all who stay for the same reason.
                let why = list(bars.iter().map(|bar| format!("{} ({})", bar.why, bar.clause)));
                let why = why.replace(&now.say(piece), "it");
                let who =
                    if now.hex_of(piece).is_some() { format!("{} {place}", now.say(piece)) } else { now.say(piece) };
                match fixed.iter_mut().find(|(other, _)| *other == why) {
                    Some((_, all)) => all.push(who),
                    None => fixed.push((why, vec![who])),
                }
            }
        }
        if now.arm(piece.unit()) == Some(Arm::Balloon) {
            line(
                text,
                format!("#  - {{unit: {piece}, balloon: {}}}", if now.state.balloon_up { "down" } else { "up" }),
            );
        }
    }
    for (why, all) in fixed {
        line(text, format!("#    {}: {why}", list(all)));
    }
}

fn attacks(now: &Position<'_>, side: Side, text: &mut String) {
    line(
        text,
        "# Attacks, in the order they are made (§11), from where your units stand after moving. Optional in each:",
    );
    line(text, "# after: {attack: HEX, gave: [DE, DR]}, if-vacant: HEX, min-odds: 2:1, go-on: yes, losses: [units],");
    line(text, "# advance: [units], open: no");
    line(text, "attacks: []");
    for choice in now.attack_choices(side, &BTreeSet::new()) {
        line(text, format!("#  - {{target: {}, attackers: [{}]}}", choice.target, list(&choice.attackers)));
    }
}
