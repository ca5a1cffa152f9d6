//! A plain sensible player without chance: the army lands, guards its base, shares its troops out over the objectives
//! and attacks at good odds; Spain holds her objectives, takes back what lies open, and the base if nobody guards it.

mod ashore;
mod attack;
mod goals;
mod march;

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Ruling, Seen, Side, hoping};

use super::orders::{Orders, SetupOrders, TurnOrders};
use super::play::{Play, Position};
use super::state::{Stage, State};
use super::terms::Force;
use super::{Santiago1898, Switch, US};

/// Orders for the packet due.
pub fn orders(game: &Santiago1898, seen: &Seen<'_, State>) -> Orders {
    let now = Position { game, state: seen.state };
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(SetupOrders { place: now.complete_spanish(&BTreeMap::new()) }),
        Stage::CubanSetup => Orders::Setup(SetupOrders { place: goals::cuban_setup(&now) }),
        stage => {
            let side = stage.side().unwrap_or(US);
            let mut orders = TurnOrders::default();
            hoping(game, seen, side, |state, umpire| {
                // A march that takes the base ends the game; nothing more is ordered then.
                turn(&mut Play::new(game, state, umpire), side, &mut orders).unwrap_or_default();
            });
            Orders::Turn(orders)
        }
    }
}

fn turn(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders) -> Ruling<()> {
    let combat_only = matches!(play.state.stage, Stage::UsCombat | Stage::SpanishCombat);
    let forces: &[Force] = if side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
    if !combat_only {
        match side == US {
            true => ashore::land(play, orders)?,
            false => play.enter_escario(&orders.entry)?,
        }
        let mut met = BTreeSet::new();
        for force in forces {
            march::march(play, *force, &mut met, orders)?;
        }
        orders.overstack = !play.now().overstacked().is_empty();
    }
    if combat_only || !play.game.switch(Switch::PhasesApart) {
        for force in forces {
            attack::fight(&play.now(), *force, orders);
        }
    }
    Ok(())
}
