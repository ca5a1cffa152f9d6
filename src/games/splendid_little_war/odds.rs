//! `odds`: the fights of a packet as its author can reckon them. The packet is walked through as in a check, so moves
//! that come first are made first, and every die shows what it can come to.

use crate::engine::doc::{DocPath, Fault, Node, Reader};
use crate::engine::{Cast, Event as _, Foresaid, Json, Reply, Rules, Seen, Stop, foresee};

use super::SplendidLittleWar;
use super::events::{Event, FireKind};
use super::orders::Orders;
use super::state::State;
use super::tell_combat;

fn chances(cast: &Cast) -> Json {
    let way = |way: &crate::engine::Way| {
        let fields = [
            ("result", Json::Str(way.result.clone())),
            ("ways", Json::Int(way.ways.into())),
            ("of", Json::Int(way.of.into())),
        ];
        Json::Map(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    Json::List(cast.chances().iter().map(way).collect())
}

/// The fire and the assaults of a packet.
pub fn odds(game: &SplendidLittleWar, seen: &Seen<'_, State>, orders: &Node) -> Result<Reply, Vec<Fault>> {
    let stage = seen.state.stage;
    let stop = game.packet_due(seen.state);
    let Some(author) = stage.side().filter(|_| matches!(stop, Stop::Orders { .. })) else {
        let fault = Fault::new(&DocPath::root(), "no orders are due", "ask while the game is on");
        return Err(vec![fault]);
    };
    let mut reader = Reader::new(game);
    let Some(mut orders) = Orders::read(stage.as_str(), orders, &DocPath::root(), &mut reader) else {
        return Err(reader.faults);
    };
    let seen = Seen { side: Some(author), ..*seen };
    let foreseen = foresee(game, &seen, &stop, &Foresaid::default(), &mut orders, &DocPath::root());
    let mut reply = Reply::default();
    let mut fights = Vec::new();
    for noted in &foreseen.outlook {
        let event = &noted.event;
        let entry: Vec<(&str, Json)> = match event {
            Event::Fire { kind, target, total, rounded, column, die, modifiers, .. } => vec![
                ("fight", Json::Str(if *kind == FireKind::Defensive { "defensive-fire" } else { "fire" }.to_owned())),
                ("target", Json::Str(target.to_string())),
                ("total", Json::Str(total.to_string())),
                ("rounded", Json::Int((*rounded).into())),
                ("column", Json::Str(column.clone())),
                ("drm", Json::Int(modifiers.total().into())),
                ("chances", chances(die)),
            ],
            Event::Assault { target, attack, defence, odds, die, modifiers, .. } => vec![
                ("fight", Json::Str("assault".to_owned())),
                ("target", Json::Str(target.to_string())),
                ("attack", Json::Int((*attack).into())),
                ("defence", Json::Int((*defence).into())),
                ("column", Json::Str(odds.to_string())),
                ("drm", Json::Int(modifiers.total().into())),
                ("chances", chances(die)),
            ],
            Event::NoFire { .. }
            | Event::NoAssault { .. }
            | Event::IndirectRoll { .. }
            | Event::VariableRoll { .. } => {
                tell_combat::tell(game, event, &mut reply.diary);
                continue;
            }
            _ => continue,
        };
        tell_combat::tell(game, event, &mut reply.diary);
        fights.push(Json::Map(entry.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()));
    }
    if fights.is_empty() {
        let clauses = Event::NotDone { order: String::new(), why: Vec::new(), clause: crate::engine::Clause("13.0b") };
        reply.diary.line("Nobody fights.", &clauses.clauses());
    }
    reply.json.insert("battles".to_owned(), Json::List(fights));
    Ok(reply)
}
