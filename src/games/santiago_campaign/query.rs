//! Answers to `reach`, `supply`, `los` and `odds`.

use crate::board::{Grid, Hex};
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Clause, Concealed, Json, Query, Reply, Seen};

use super::check::{Trial, all_supplied, check};
use super::combat::{Battle, Fighter, total};
use super::orders::Orders;
use super::play::{Position, Trit, own_knowledge};
use super::state::{Stage, State};
use super::supply::Suppose;
use super::terms::{Nation, Odds, Piece};
use super::{SPAIN, SantiagoCampaign, US};

/// Answers a query as one side sees the position.
pub fn answer(game: &SantiagoCampaign, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let side = seen.side.or(seen.state.stage.side()).unwrap_or(US);
    let trial = Trial::new(game, seen.state, own_knowledge(game, seen, side));
    match query {
        Query::Reach { unit } => reach(&trial, read::<Piece>(game, unit)?),
        Query::Supply { unit } => supply(&trial, unit.as_deref().map(|unit| read::<Piece>(game, unit)).transpose()?),
        Query::Sight { from, to } => sight(&trial.now(), read::<Hex>(game, from)?, read::<Hex>(game, to)?),
        Query::Odds { orders } => odds(game, seen, trial, orders),
    }
}

fn read<T: FromDoc>(game: &SantiagoCampaign, text: &str) -> Result<T, Vec<Fault>> {
    let mut reader = Reader::new(game);
    T::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

fn text(hex: Hex) -> Json {
    Json::Str(hex.to_string())
}

fn reach(trial: &Trial<'_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let now = trial.now();
    let token = now.state.counters.keys().copied().find(|token| now.identity(*token) == Some(piece.unit()));
    let piece = token.map_or(piece, Piece::from);
    let spanish = piece.token().is_some();
    let maps = if spanish { all_supplied(trial) } else { now.supply_maps(Suppose::default()) };
    let (mover, from) = trial.mover(piece, &maps).map_err(|bar| {
        vec![Fault::new(&DocPath::root(), bar.why, "choose a unit that may move").by(Clause(bar.clause))]
    })?;
    let mut reply = Reply::default();
    let place = from.map_or_else(|| "its holding box".to_owned(), |hex| now.data().say(hex));
    reply.diary.line(format!("{} in {place}: {} movement points.", now.say(piece), mover.purse), &[Clause("10.3a")]);
    let (mut rows, mut json) = (Vec::new(), Vec::new());
    for (hex, path) in trial.choices(piece, &maps) {
        let Ok(cost) = trial.walk(&mover, from, &path, &maps, true) else { continue };
        let way: Vec<String> = path.iter().map(Hex::to_string).collect();
        let mut note = Vec::new();
        if now.enemy_zone(&mover, hex) != Trit::No {
            note.push(if now.enemy_zone(&mover, hex) == Trit::Yes { "enemy zone" } else { "perhaps an enemy zone" });
        }
        if !now.may_stay(&mover, hex) {
            note.push("may only pass");
        }
        rows.push(vec![now.data().say(hex), cost.to_string(), way.join(" "), note.join(", ")]);
        let entry = [
            ("hex".to_owned(), text(hex)),
            ("cost".to_owned(), Json::Str(cost.to_string())),
            ("path".to_owned(), Json::List(path.into_iter().map(text).collect())),
        ];
        json.push(Json::Map(entry.into()));
    }
    reply.diary.table(&["hex", "MP", "path", ""], rows);
    reply.json.insert("unit".into(), Json::Str(piece.to_string()));
    reply.json.insert("reach".into(), Json::List(json));
    Ok(reply)
}

fn supply(trial: &Trial<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let now = trial.now();
    let maps = now.supply_maps(Suppose::default());
    let mut reply = Reply::default();
    let (mut rows, mut json) = (Vec::new(), Vec::new());
    for (id, unit) in &now.state.units {
        let Some(hex) = unit.at.hex().filter(|_| now.nation(*id) == Some(Nation::Us)) else { continue };
        if only.is_some_and(|only| only != Piece::from(*id)) {
            continue;
        }
        let (word, how) = match maps.at(&now, hex) {
            Trit::Yes => ("in", "in supply (§12.2)"),
            Trit::Maybe => ("unclear", "in supply only if a face-down counter is a lone battery (§7.3)"),
            Trit::No => ("out", "OUT of supply (§12.2)"),
        };
        rows.push(vec![id.to_string(), now.data().say(hex), how.to_owned()]);
        let entry = [
            ("unit".to_owned(), Json::Str(id.to_string())),
            ("hex".to_owned(), text(hex)),
            ("supply".to_owned(), Json::Str(word.to_owned())),
        ];
        json.push(Json::Map(entry.into()));
    }
    let sources: Vec<String> = now.state.sources.keys().map(|hex| now.data().say(*hex)).collect();
    let length = now.state.supply_length;
    reply
        .diary
        .line(format!("Off-road supply length {length}; sources at {}.", sources.join(", ")), &[Clause("12.5c")]);
    reply.diary.table(&["unit", "hex", "supply"], rows);
    reply.json.insert("supply".into(), Json::List(json));
    Ok(reply)
}

fn sight(now: &Position<'_>, from: Hex, to: Hex) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let range = now.data().grid().distance(from, to);
    let limit = now.data().tables.limits.artillery_range;
    let list = |hexes: &[Hex]| hexes.iter().map(Hex::to_string).collect::<Vec<_>>().join(" ");
    let (clear, hexes) = match now.sight(from, to) {
        Ok(path) => {
            reply.diary.line(format!("{from} sees {to} along {}.", list(&path)), &[Clause("11.3d")]);
            (true, path)
        }
        Err(hexes) => {
            reply.diary.line(format!("{from} does not see {to}: {} in the way.", list(&hexes)), &[Clause("11.3j")]);
            (false, hexes)
        }
    };
    let within = if range <= limit { "within" } else { "beyond" };
    reply.diary.detail(format!("The range is {range}, {within} the {limit} hexes of artillery."), &[Clause("11.3a")]);
    reply.json.insert("clear".into(), Json::Bool(clear));
    reply.json.insert("range".into(), Json::Int(i64::from(range)));
    reply.json.insert("hexes".into(), Json::List(hexes.into_iter().map(text).collect()));
    Ok(reply)
}

fn odds(
    game: &SantiagoCampaign,
    seen: &Seen<'_, State>,
    mut trial: Trial<'_>,
    node: &Node,
) -> Result<Reply, Vec<Fault>> {
    let at = DocPath::root().key("orders");
    let mut reader = Reader::new(game);
    let packet = seen.state.stage.packet();
    let read = Orders::read(packet, node, &at, &mut reader);
    let (Some(mut orders), false) = (read, reader.refused()) else { return Err(reader.faults) };
    let faults = check(game, seen, &mut orders, &at);
    if faults.iter().any(|fault| !fault.warning) {
        return Err(faults);
    }
    let Orders::Turn(turn) = &orders else { return Ok(Reply::default()) };
    for entry in &turn.moves {
        let Concealed::Open(order) = entry else { continue };
        trial.go(order.unit, &order.path, order.open != Some(false));
    }
    let side = if matches!(seen.state.stage, Stage::SpanishTurn | Stage::SpanishCombat) { SPAIN } else { US };
    let now = trial.now();
    let mut reply = Reply::default();
    let mut json = Vec::new();
    for entry in &turn.attacks {
        let Concealed::Open(order) = entry else { continue };
        let fighter = |piece: &Piece| -> Option<Fighter> {
            let unit = match piece.token() {
                Some(token) => now.identity(token)?,
                None => piece.unit(),
            };
            let (hex, arm, nation) = (now.hex_of(*piece)?, now.arm(unit)?, now.nation(unit)?);
            let adjacent = now.data().adjacent(hex, order.target);
            let counts = now.factor(unit);
            let piece = *piece;
            Some(Fighter {
                piece,
                unit,
                arm,
                nation,
                hex,
                counts,
                bonus: 0,
                out_of_supply: false,
                spent: false,
                adjacent,
            })
        };
        let attackers: Vec<Fighter> = order.attackers.iter().filter_map(fighter).collect();
        let attack = total(&attackers, true);
        let battle = Battle { side, target: order.target, attackers, defenders: Vec::new() };
        let shifts = now.shifts(&battle);
        reply.diary.heading(2, format!("Attack on {}", now.data().say(order.target)));
        reply
            .diary
            .line(format!("Attacking factors {attack}, before supply and what Cuban units roll."), &[Clause("11.8a")]);
        reply.diary.sum("column shift", "", &shifts, format!("{:+}", shifts.total()));
        if side == US {
            // The defenders lie face-down: what each strength would mean.
            let table = &now.data().tables.combat_results;
            let rows = [2, 4, 6, 8, 10].map(|defence| {
                let odds = Odds::of(attack, defence, table.highest());
                let last = odds.shifted(shifts.total());
                vec![defence.to_string(), odds.to_string(), last.to_string()]
            });
            reply.diary.table(&["if they defend with", "odds", "after shifts"], rows.to_vec());
        } else {
            let defence: u32 = now.state.units_in(order.target).map(|id| now.factor(id)).sum();
            let odds = Odds::of(attack, defence, now.data().tables.combat_results.highest());
            reply.diary.line(
                format!("{attack} to {defence} is {odds}, {} after shifts.", odds.shifted(shifts.total())),
                &[Clause("11.12a")],
            );
        }
        let entry = [
            ("target".to_owned(), text(order.target)),
            ("attack".to_owned(), Json::Int(i64::from(attack))),
            ("shift".to_owned(), Json::Int(i64::from(shifts.total()))),
        ];
        json.push(Json::Map(entry.into()));
    }
    reply.json.insert("attacks".into(), Json::List(json));
    Ok(reply)
}
