//! Policies by chance.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Json, Policy as _, Rules as _, Side};

use super::super::state::State;
use super::super::terms::Piece;
use super::super::{EndOfEmpire, Policy};

/// A policy by chance, as a player could type it.
pub fn policy(game: &EndOfEmpire, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
    let text = |word: &str| Json::Str(word.to_owned());
    let hexes: Vec<Hex> = state.units.values().filter_map(|unit| unit.at.hex()).collect();
    // Whoever the choice is about: his own, or the enemy's.
    let enemies = Policy::kind(kind).is_some_and(|info| Policy::about_the_enemy(info.kind));
    let meant = |piece: &Piece| game.whose(piece.as_str()).is_some_and(|owner| (owner == side) != enemies);
    let all = state.units.keys().chain(state.counters.keys());
    let pieces: Vec<Piece> = all.copied().filter(meant).collect();
    let list = |items: Vec<String>| Json::List(items.into_iter().map(Json::Str).collect());
    let some_hexes = |chance: &mut Chance| {
        let near = |hex: Hex, chance: &mut Chance| {
            let around: Vec<Hex> = game.data.neighbours(hex).collect();
            chance.pick(&around).copied().unwrap_or(hex).to_string()
        };
        let picked: Vec<Hex> = (0..4).filter_map(|_| chance.pick(&hexes).copied()).collect();
        list(picked.into_iter().map(|hex| near(hex, chance)).collect::<BTreeSet<_>>().into_iter().collect())
    };
    let some_pieces = |chance: &mut Chance| {
        let picked: BTreeSet<String> = (0..4).filter_map(|_| chance.pick(&pieces).map(Piece::to_string)).collect();
        list(picked.into_iter().collect())
    };
    match kind {
        "ambush" => match chance.below(4) {
            0 => text("always"),
            1 => text("never"),
            2 => text("min-drm 1"),
            _ => {
                let counters: Vec<Piece> = state.counters.keys().copied().filter(meant).collect();
                let named = (0..3).filter_map(|_| chance.pick(&counters).map(Piece::to_string));
                let units: BTreeMap<String, Json> = named.map(|name| (name, text("always"))).collect();
                Json::Map(BTreeMap::from([
                    ("others".to_owned(), text("always")),
                    ("units".to_owned(), Json::Map(units)),
                ]))
            }
        },
        "support" => match chance.below(3) {
            0 => text("always"),
            1 => text("never"),
            _ => Json::Map(BTreeMap::from([("min-odds".to_owned(), text("2:1")), ("keep".to_owned(), Json::Int(1))])),
        },
        "tocineros" | "maine" | "am-hex" | "next-combat" => match chance.below(3) {
            0 if kind != "am-hex" && kind != "next-combat" => text("always"),
            1 => text("never"),
            _ => some_hexes(chance),
        },
        "advance" => match chance.below(3) {
            0 => text("always"),
            1 => text("never"),
            _ => some_pieces(chance),
        },
        "retreat" | "leader-goes" | "friendly-fire" | "finish-move" => some_hexes(chance),
        _ => some_pieces(chance),
    }
}
