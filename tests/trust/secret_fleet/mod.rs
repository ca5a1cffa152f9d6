//! A Splendid Little War, whose fleet sails on a day only Spain knows: nothing the US player holds betrays it, whoever lies
//! about it is found out, and it does not matter who closes the turns.

mod lies;
mod mailed;
mod tables;
mod two_dates;

use crate::players::{Pair, charter_of, silent};
use garcia::engine::json::Json;
use garcia::engine::{Charter, Ruleset, Side};
use garcia::games;
use garcia::trust::record::Record;

const US: Side = Side("us");
const SPAIN: Side = Side("spain");
/// The first slot of a ticket: the sortie roll of turn 2 is spent on it.
const SORTIE: &str = "ticket/1";

fn game() -> &'static dyn Ruleset {
    games::find("splendid-little-war").expect("a game")
}

fn campaign(options: &[(&str, &str)]) -> Charter {
    charter_of("campaign", options)
}

/// What a record states of the fleet: whether it sails.
fn sails(record: &Record) -> Option<bool> {
    let claims = record.body().data.get("claims").and_then(Json::as_list).unwrap_or_default();
    let of_fleet =
        |claim: &&Json| claim.get("claim").and_then(Json::as_str).is_some_and(|key| key.contains("/cervera/sails/"));
    match claims.iter().find(of_fleet)?.get("value")? {
        Json::Bool(sails) => Some(*sails),
        _ => None,
    }
}

/// Where a record rolls in secret.
fn secret_roll(record: &Record) -> Option<usize> {
    let rolls = record.body().data.get("rolls").and_then(Json::as_list).unwrap_or_default();
    rolls.iter().position(|roll| roll.get("secret").is_some())
}

/// A campaign of two silent players, up to the first record of a kind.
fn until(options: &[(&str, &str)], seed: &str, found: impl Fn(&Record) -> bool) -> (Pair, usize) {
    let mut pair = Pair::begin(game(), &campaign(options), false, None, seed);
    pair.play_until(|records| records.iter().any(&found), &mut silent);
    let at = pair.records().iter().position(found).expect("such a record");
    (pair, at)
}
