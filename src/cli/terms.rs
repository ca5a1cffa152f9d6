//! What a game is played by: shown before anybody joins, and by `status`.

use crate::engine::Match;
use crate::trust::data::{Genesis, Mode};
use crate::trust::protocol::Protocol;

use super::folder;

/// The terms of a game, a line each.
pub fn lines(protocol: &Protocol, table: &dyn Match) -> Vec<String> {
    let Some(genesis) = protocol.genesis() else { return Vec::new() };
    let about = table.ruleset().about();
    let id = genesis.scenario.as_deref().unwrap_or_default();
    let title = about.scenarios.iter().find(|scenario| scenario.id == id).map_or("", |scenario| scenario.title);
    let mut lines = vec![format!("game      {} ({})", about.title, genesis.engine), format!("scenario  {id}: {title}")];
    lines.push(format!("options   {}", options(genesis, table)));
    let most = genesis.max_asks.map_or("no limit".to_owned(), |most| most.to_string());
    lines.push(format!("stops     each side may stop the game to be asked: {most} (max-asks)"));
    lines.push(format!("mode      {}", mode(genesis)));
    let data = genesis.rules_sha256.to_string();
    lines.push(format!("data      {}: map, counters and tables", data.get(..16).unwrap_or_default()));
    lines.push(format!("dice      chains of {} links", genesis.links));
    if genesis.director.is_some() {
        lines.push(
            "director  a third person, who can finish for somebody who falls silent; his key is below".to_owned(),
        );
    }
    for (role, seat) in protocol.signatories() {
        if seat.recovery.is_some() {
            lines.push(format!("recovery  {role} has a second key on paper"));
        }
        lines.push(format!("key       {:<8} {}", role.as_str(), folder::spelled(&seat.key)));
    }
    lines
}

/// The options that differ from their defaults.
fn options(genesis: &Genesis, table: &dyn Match) -> String {
    let usual = |name: &str| match name {
        "questions" => Some("ask"),
        _ => table
            .ruleset()
            .about()
            .options
            .iter()
            .find(|info| info.name == name)
            .and_then(|o| o.values.first())
            .copied(),
    };
    let said = genesis.options.iter().flatten();
    let other: Vec<String> = said
        .filter(|(name, value)| usual(name) != Some(value.as_str()))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if other.is_empty() { "all at their defaults".to_owned() } else { other.join(", ") }
}

fn mode(genesis: &Genesis) -> String {
    let players = genesis.players.iter().flatten().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    match genesis.mode {
        Mode::Solo => "solo: one player, dice committed and not shared".to_owned(),
        Mode::TwoPlayer => "two players, each closes the other's orders".to_owned(),
        Mode::Gm if genesis.private == Some(true) => {
            format!("private game master, who alone reads what lies face down; signing: {players}")
        }
        Mode::Gm if players.is_empty() => "game master, who enters all orders".to_owned(),
        Mode::Gm => format!("game master, who closes every turn; signing for themselves: {players}"),
    }
}
