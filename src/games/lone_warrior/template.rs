//! The order file for this moment, with everything that may be done as comments, and the schemas of what is typed.

use std::fmt::Write as _;

use crate::engine::{Stop, list, schema_to_read, schema_to_write};

use super::LoneWarrior;
use super::actions::Deed;
use super::arrange::Start;
use super::files::{FieldsFile, UnitsFile};
use super::orders::{Activation, BothOrders, FieldOrders, SetupOrders};
use super::position::Position;
use super::state::{Place, State};
use super::terms::Power;

/// How many marches and turns stand on a line.
const WAYS_A_LINE: usize = 4;

/// What stands below `orders:` in an order file, indented by two blanks.
pub fn write(game: &LoneWarrior, state: &State, stop: &Stop) -> String {
    let mut text = String::new();
    let Some(power) = stop.who().and_then(Power::of) else {
        return text;
    };
    if stop.ask() == "setup" {
        line(&mut text, 1, "# The unit each leader joins (9x to 9af). The default stands here.");
        line(&mut text, 1, "leaders:");
        for position in game.positions(state) {
            for id in &position.field.leaders {
                let Some(leader) = game.data.leaders.get(id).filter(|leader| leader.power == power) else { continue };
                let may = list(&leader.may_start);
                line(&mut text, 2, &format!("{id}: {}  # {}; or {may}", leader.start, leader.name));
            }
        }
        return text;
    }
    let goes_on = stop.ask() == "continue";
    let several = game.fields.len() > 1;
    for position in game.positions(state) {
        if !state.is_due_on(position.state) {
            continue;
        }
        if several {
            line(&mut text, 1, &format!("{}:", position.id));
        }
        field(&mut text, 1 + usize::from(several), &position, power, goes_on);
    }
    text
}

fn line(text: &mut String, depth: usize, what: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{}{what}", "  ".repeat(depth));
}

fn field(text: &mut String, depth: usize, now: &Position<'_>, power: Power, goes_on: bool) {
    if !goes_on {
        line(text, depth, "# Leaders move first, up to three boxes; write a box or the unit to join (9a, A37).");
        line(text, depth, "leaders:");
        for id in &now.field.leaders {
            let Some(leader) = now.leader(*id).filter(|leader| leader.power == power) else { continue };
            let Place::At(at) = now.state.leader(*id).at else { continue };
            let with = now.state.leader(*id).with.map_or("with nobody".to_owned(), |unit| format!("with {unit}"));
            line(text, depth + 1, &format!("# {id}: {at}  # {with}; {}", now.company(leader, at)));
        }
    }
    line(
        text,
        depth,
        "# Activations in this order until a chip fails (4f). Take the # away from what you want and sort it.",
    );
    line(text, depth, "# An entry may say more, for example:");
    line(text, depth, "#   melee: fight | withdraw-if-disordered | withdraw-now | {withdraw-after: 2}   (of a charge)");
    line(text, depth, "#   advance-facing: keep | left | right | rear | n | e | s | w                  (of a charge)");
    line(
        text,
        depth,
        "#   redraw: [activation, fire, save]   hero: [melee]        (what its leader or hero has redrawn)",
    );
    line(text, depth, "#   if: {alive: UNIT}   unless: {disordered: UNIT}   stop-after: {gone: UNIT} | yes");
    line(
        text,
        depth,
        "# Marches, turns and targets stand together: put another in the place of the first. 2+ is the chip it needs.",
    );
    line(text, depth, "activations:");
    for id in now.eligible(power) {
        let state = now.state.unit(id);
        let mut what = now.unit(id).map(|unit| unit.name.clone()).unwrap_or_default();
        if let (Some(at), Some(facing)) = (state.at.square(), state.facing) {
            let _ = write!(what, ", {at} looking {facing}");
        }
        if state.disordered {
            what.push_str(", disordered");
        }
        line(text, depth + 1, &format!("# {id}: {what}"));
        // Marches and turns are a line or two for all of them, and shots a line for all targets; everything else is a line
        // to take the # away from.
        let (mut first, mut ways): (Option<String>, Vec<String>) = (None, Vec::new());
        let mut shots: Vec<(String, String, Vec<String>)> = Vec::new();
        for (entry, plan) in now.choices(power, id) {
            let why = list(plan.difficult.iter().map(|reason| &reason.what));
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            let typed = flow(&entry);
            match &plan.deed {
                Deed::Move { path, .. } => {
                    let to = path.last().map(ToString::to_string).unwrap_or_default();
                    ways.push(format!("{} to {to} {}+", without_unit(&typed), plan.needs()));
                    first.get_or_insert(typed);
                }
                Deed::Turn { .. } => {
                    ways.push(format!("{} {}+", without_unit(&typed), plan.needs()));
                    first.get_or_insert(typed);
                }
                deed => {
                    let listed = format!("# - {typed}  # {}, {}+{why}", plan.text(), plan.needs());
                    let Some(target) = deed.shoots_at() else {
                        line(text, depth + 1, &listed);
                        continue;
                    };
                    let alike = flow(&Activation { shoot: None, ..entry.clone() });
                    let alike = format!("{alike} {}+{why}", plan.needs());
                    match shots.iter_mut().find(|(other, ..)| *other == alike) {
                        Some((.., others)) => others.push(target.to_string()),
                        None => shots.push((alike, listed, Vec::new())),
                    }
                }
            }
        }
        for (_, shot, others) in shots {
            let or = if others.is_empty() { String::new() } else { format!("; or at {}", others.join(", ")) };
            line(text, depth + 1, &format!("{shot}{or}"));
        }
        for (number, some) in ways.chunks(WAYS_A_LINE).enumerate() {
            let head = match &first {
                Some(typed) if number == 0 => format!("# - {typed}  # "),
                _ => "#     ".to_owned(),
            };
            line(text, depth + 1, &format!("{head}{}", some.join(" | ")));
        }
    }
    line(text, depth, "# yes: look at the result and go on with another list instead of ending the player turn.");
    line(text, depth, "more: no");
}

/// What stands in an entry besides its unit.
fn without_unit(typed: &str) -> String {
    let inner = typed.trim_start_matches('{').trim_end_matches('}');
    inner.split_once(", ").map_or(inner, |(_, rest)| rest).to_owned()
}

/// An entry on one line, as a player types it.
fn flow(entry: &Activation) -> String {
    match crate::engine::to_json(entry) {
        Ok(json) => json.as_map().map_or(String::new(), |map| {
            let unit = map.get("unit").map(said).unwrap_or_default();
            let rest =
                map.iter().filter(|(key, _)| *key != "unit").map(|(key, value)| format!("{key}: {}", said(value)));
            let parts: Vec<String> = std::iter::once(format!("unit: {unit}")).chain(rest).collect();
            format!("{{{}}}", parts.join(", "))
        }),
        Err(_) => String::new(),
    }
}

fn said(value: &crate::engine::Json) -> String {
    match value.as_bool() {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => value.as_str().map_or_else(String::new, str::to_owned),
    }
}

/// A player turn as it may be typed: flat with one battlefield in play, by battlefield with both.
struct TurnPacket;

impl schemars::JsonSchema for TurnPacket {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TurnPacket".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<FieldOrders>();
        let both = generator.subschema_for::<BothOrders>();
        schemars::json_schema!({ "anyOf": [one, both] })
    }
}

/// JSON Schemas of the packets a person writes.
pub fn schemas() -> Vec<(String, serde_json::Value)> {
    vec![
        ("orders-setup".to_owned(), schema_to_read::<SetupOrders>()),
        ("orders-turn".to_owned(), schema_to_read::<TurnPacket>()),
        ("orders-continue".to_owned(), schema_to_read::<TurnPacket>()),
        ("state".to_owned(), schema_to_write::<State>()),
        ("case-start".to_owned(), schema_to_read::<Start>()),
        ("data-battlefields".to_owned(), schema_to_read::<FieldsFile>()),
        ("data-units".to_owned(), schema_to_read::<UnitsFile>()),
    ]
}
