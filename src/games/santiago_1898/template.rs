//! The order file for this very moment: every unit that may act, and what it may do, as comments to edit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::board::{Hex, InReach, outreach};
use crate::engine::{Bar, Seen, count_of, hoping};

use super::movement::Stack;
use super::play::{Play, Position, Used};
use super::state::Stage;
use super::terms::{Force, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, State, Switch, US};

/// The `orders:` part, indented by two blanks.
pub fn template(game: &Santiago1898, seen: &Seen<'_, State>) -> String {
    let now = &Position { game, state: seen.state };
    let mut text = String::new();
    match now.state.stage {
        Stage::SpanishSetup => spanish_setup(now, &mut text),
        Stage::CubanSetup => cuban_setup(now, &mut text),
        Stage::Over => {}
        stage => {
            let combat_only = matches!(stage, Stage::UsCombat | Stage::SpanishCombat);
            let side = stage.side();
            if !combat_only {
                let forces: &[Force] = if side == Some(SPAIN) { &[Force::Spanish] } else { &[Force::Cuban, Force::Us] };
                hoping(game, seen, side.unwrap_or(US), |state, umpire| {
                    let mut play = Play::new(game, state, umpire);
                    match side == Some(SPAIN) {
                        true => entry(&mut play, &mut text),
                        false => landings(now, &mut text),
                    }
                    moves(&play.now(), forces, &mut text);
                });
            }
            if combat_only || !now.game.switch(Switch::PhasesApart) {
                battles(now, side == Some(SPAIN), &mut text);
            }
        }
    }
    text
}

/// Where a remark is broken.
const WIDTH: usize = 98;

/// One line; a long remark goes on in the next one, a little farther in.
fn line(text: &mut String, line: impl AsRef<str>) {
    let mut rest = line.as_ref().to_owned();
    let inner = rest.strip_prefix('#').map_or(0, |remark| remark.len() - remark.trim_start().len());
    while let Some((head, tail)) = broken(&rest) {
        let _ = writeln!(text, "  {head}");
        rest = format!("#{:width$}{tail}", "", width = inner + 2);
    }
    let _ = writeln!(text, "  {rest}");
}

/// A remark that is too long, in two after a comma.
fn broken(line: &str) -> Option<(&str, &str)> {
    let (end, _) = line.char_indices().nth(WIDTH).filter(|_| line.starts_with('#'))?;
    let (head, _) = line.get(..end)?.rsplit_once(", ")?;
    let tail = line.get(head.len() + 2..)?;
    Some((line.get(..=head.len())?, tail))
}

fn list(hexes: impl IntoIterator<Item = Hex>) -> String {
    let names: Vec<String> = hexes.into_iter().map(|hex| hex.to_string()).collect();
    names.join(", ")
}

fn spanish_setup(now: &Position<'_>, text: &mut String) {
    line(text, "# Every unit stands at its default hex; change what you like (§3.2). Names of places work too.");
    if now.game.scenario().ring {
        let santiago = now.data().santiago;
        line(
            text,
            format!("# A combat unit must be in Santiago {santiago} and in each land hex around it (§3.2d, §3.2e)."),
        );
    }
    line(text, "place:");
    for (id, hex) in now.complete_spanish(&BTreeMap::new()) {
        line(text, format!("  {:<17}{}", format!("{id}: {hex}"), comment(&unit_note(now, id))));
    }
}

fn cuban_setup(now: &Position<'_>, text: &mut String) {
    line(text, format!("# Legal hexes (§3.3): {}", list(now.cuban_hexes())));
    line(text, "place:");
    for (id, hex) in now.complete_cuban(&BTreeMap::new()) {
        line(text, format!("  {:<17}{}", format!("{id}: {hex}"), comment(&unit_note(now, id))));
    }
}

fn comment(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" # {note}") }
}

fn unit_note(now: &Position<'_>, id: UnitId) -> String {
    let values = now.values(id);
    let name = now.data().counter_name(id).unwrap_or("");
    if now.is_combat(id) {
        let steps = count_of(now.state.unit(id).steps, "step");
        format!("{name}: fire {}, shock {}, MF {}, {steps}", values.fire, values.shock, values.mf)
    } else {
        format!("{name}: MF {}", values.mf)
    }
}

fn landings(now: &Position<'_>, text: &mut String) {
    let pool = now.pool();
    let open = |id: Option<UnitId>| -> Vec<Hex> {
        let bars = |hex: Hex| id.map_or_else(|| now.beach_bars(hex), |id| now.landing_bars(id, hex));
        now.data().beaches.iter().copied().filter(|hex| bars(*hex).is_empty()).collect()
    };
    let beaches = open(None);
    let limits = &now.data().tables.limits;
    let example = beaches.first().copied().unwrap_or(now.data().santiago);
    if now.state.base.is_none() {
        let (base, all) = (limits.base_landing_steps, limits.landing_steps);
        line(
            text,
            format!("# The Logistical Base lands once and counts {base} of the {all} steps of its turn (§10.3)."),
        );
        line(text, format!("# base: {example}"));
    }
    if pool.is_empty() {
        return;
    }
    line(text, format!("# Landings (§8.2): up to {} steps a turn on {}.", limits.landing_steps, list(beaches.clone())));
    line(text, "# Landed units neither move nor attack this turn.");
    line(text, "# landings:");
    let first: Vec<String> = pool.iter().take(2).map(|(id, _)| id.to_string()).collect();
    line(text, format!("#   - {{units: [{}], at: {example}}}", first.join(", ")));
    line(text, "# In the pool:");
    for (id, _) in pool {
        let here = open(Some(id));
        let note = if here.is_empty() {
            "; cannot land yet".to_owned()
        } else if here == beaches {
            String::new()
        } else {
            format!("; at {}", list(here))
        };
        line(text, format!("#   {id}: {}{note}", unit_note(now, id)));
    }
}

/// The column where it enters by default, each where those before it have left room; then it stands there.
fn entry(play: &mut Play<'_, '_>, text: &mut String) {
    let now = play.now();
    if !now.escario_due() {
        return;
    }
    line(text, format!("# The Escario column enters now, free of cost, by any of {} (§8.3).", list(now.entry_hexes())));
    line(text, "entry:");
    let column = now.escario();
    // Whatever hinders it here will be told when it is ordered.
    let _ = play.enter_escario(&BTreeMap::new());
    for id in column {
        if let Some(hex) = play.state.hex_of(id) {
            line(text, format!("  {:<17}{}", format!("{id}: {hex}"), comment(&unit_note(&play.now(), id))));
        }
    }
}

fn moves(after: &Position<'_>, forces: &[Force], text: &mut String) {
    line(
        text,
        "# Moves, in the order they are made (§8.1): `to: HEX` takes the cheapest path, or give `path: [HEX, …]`.",
    );
    line(
        text,
        "# A stack may drop units on the way: `leave: {UNIT: HEX}`. `stop-short: yes` keeps it out of full hexes.",
    );
    line(
        text,
        "# Below: how far in each direction. A star marks hexes with a die on the way; `garcia reach UNIT` lists all.",
    );
    line(text, "# moves:");
    for force in forces {
        let mut hexes: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for (id, unit) in after.state.units.iter().filter(|(_, unit)| unit.role.force == *force) {
            if let Some(hex) = unit.at.hex() {
                hexes.entry(hex).or_default().push(*id);
            }
        }
        for (hex, units) in hexes {
            line(text, format!("# In {}:", after.data().describe(hex)));
            let mut ways: Vec<(Vec<InReach>, Vec<UnitId>)> = Vec::new();
            let mut fixed: Vec<(String, Vec<UnitId>)> = Vec::new();
            for id in units {
                let dis = if after.state.unit(id).disorganized { "; DIS" } else { "" };
                let bars = after.mover_bars(id);
                match after.stack(&[id]).filter(|_| bars.is_empty()) {
                    None => {
                        // One line for all who stay for the same reason.
                        let why = reasons(&bars).replace(&id.to_string(), "it");
                        match fixed.iter_mut().find(|(other, _)| *other == why) {
                            Some((_, units)) => units.push(id),
                            None => fixed.push((why, vec![id])),
                        }
                    }
                    Some(stack) => {
                        line(text, format!("#   {id}: {}{dis}", unit_note(after, id)));
                        let reach = in_reach(after, &stack);
                        match ways.iter_mut().find(|(other, _)| *other == reach) {
                            Some((_, units)) => units.push(id),
                            None => ways.push((reach, vec![id])),
                        }
                    }
                }
                if after.kind(id) == Some(UnitKind::Signals) {
                    line(text, "#     add `balloon: up` or `balloon: down` for its mode after the move (§8.7f)");
                }
            }
            let names = |units: &[UnitId]| units.iter().map(UnitId::to_string).collect::<Vec<_>>().join(", ");
            for (why, units) in fixed {
                line(text, format!("#   {} may not move: {why}", names(&units)));
            }
            for (reach, units) in ways {
                line(text, format!("#   - {{units: [{}], to: HEX}}", names(&units)));
                line(text, format!("#     {}", outreach(&after.data().grid, hex, &reach)));
            }
        }
    }
}

/// The hexes a stack can reach; jungle may stop it on the way to some (§8.6).
fn in_reach(now: &Position<'_>, stack: &Stack) -> Vec<InReach> {
    let ways = now.reachable(stack);
    let reached = |hex: Hex| InReach {
        hex,
        die: ways.path(hex).is_some_and(|path| now.jungle_on(stack, &path).next().is_some()),
        name: now.data().name_of(hex).unwrap_or_default().to_owned(),
    };
    ways.hexes().map(reached).collect()
}

/// Why something may not be done.
fn reasons(bars: &[Bar]) -> String {
    let reasons: Vec<String> = bars.iter().map(|bar| format!("{} ({})", bar.why, bar.clause)).collect();
    reasons.join("; ")
}

fn battles(now: &Position<'_>, spanish: bool, text: &mut String) {
    if !spanish && now.effort_barred().is_none() {
        line(text, "# Roosevelt's all-out effort, once in the game (§6.4):");
        line(text, "# all-out-effort: yes      # or if-attack: only when an attack he leads is pressed home");
    }
    line(text, "# Attacks, in the order they are fought (§9). After defensive fire each is pressed or called off.");
    line(text, "# battles:");
    let (target, one, other, from) =
        if spanish { ("1211", "sp-4-tv", "sp-1-ppr", "1210") } else { ("1210", "us-inf-6", "us-inf-16", "1211") };
    line(text, format!("#   - target: {target}"));
    line(text, format!("#     attackers: [{one}, {other}]   # or from: [{from}]"));
    line(text, "#     press-if: 2:1        # always, 1:1, 2:1, 3:1, 4:1, 5:1, never");
    line(text, "#     naval: yes           # the fleet supports one attack a turn (§9.7)");
    line(text, format!("#     losses: [{other}]  # who takes losses first"));
    line(text, "#     advance: all         # all, none, or a list");
    let forces: &[Force] = if spanish { &[Force::Spanish] } else { &[Force::Cuban, Force::Us] };
    for force in forces {
        for (target, units) in now.possible_battles(*force, &Used::default()) {
            let names: Vec<String> = units.iter().map(UnitId::to_string).collect();
            line(text, format!("# From where they stand now: target {target}, attackers [{}]", names.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::{DocPath, read_document};

    #[test]
    fn the_column_is_proposed_hexes_that_have_room() {
        let start = "{scenario: blank, turn: 4, stage: spanish-turn, units: {sp-so: 1501, sp-1-55-a: 1501, \
                     sp-1-52-and: off-map, sp-1-75-ic: off-map, sp-19-fpr: off-map, sp-2-75-ic: off-map, \
                     sp-3-al: off-map}}";
        let (start, _) = read_document("start.yaml", start.as_bytes()).expect("well formed");
        let mut faults = Vec::new();
        let arranged =
            crate::games::santiago_1898::arrange::arrange(&start, &DocPath::root(), &mut faults).expect("a position");
        let holdings = crate::engine::Holdings::default();
        let text = template(&arranged.game, &Seen { state: &arranged.state, holdings: &holdings, side: Some(SPAIN) });
        let text = text.split("# Moves").next().unwrap_or_default();
        assert_eq!(text.matches(": 1501").count(), 4, "{text}");
        assert!(text.contains("sp-3-al: 1401"), "{text}");
    }
}
