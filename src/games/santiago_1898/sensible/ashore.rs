//! The landing, and the guard of the base.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::board::{Grid, Hex};
use crate::engine::Ruling;

use super::super::US;
use super::super::orders::{Landing, TurnOrders};
use super::super::play::{Play, Position, item};
use super::super::tables::Odds;
use super::super::terms::{Force, UnitId};
use super::goals::Goals;

/// From how many hexes away Spanish units may come for the base within a turn or two.
const RAID: u32 = 5;

/// The base and as many units as the boats carry, on the beaches nearest to what is to be taken.
pub fn land(play: &mut Play<'_, '_>, orders: &mut TurnOrders) -> Ruling<()> {
    let now = play.now();
    let goals = Goals::of(&now, Force::Us, &BTreeSet::new());
    // As many objectives as a surrender takes have to be near (§4.1b).
    let needed = usize::try_from(play.game.data.tables.limits.surrender_objectives).unwrap_or(usize::MAX);
    let mut beaches = play.game.data.beaches.to_vec();
    beaches.sort_by_key(|hex| (raiders(&now, *hex).len(), goals.way_to(needed, *hex), *hex));
    let mut pool: Vec<UnitId> = now.pool().into_iter().map(|(id, _)| id).collect();
    pool.sort_by_key(|id| (Reverse(now.values(*id).shock), *id));
    // Nobody leaves the base alone on a beach: troops stand there, or land with it.
    let guarded = |hex: &Hex| {
        let lands = |id: &UnitId| now.is_combat(*id) && now.landing_bars(*id, *hex).is_empty();
        !now.combat_units(Force::Us, *hex).is_empty() || pool.iter().any(lands)
    };
    let open = |hex: &&Hex| now.base_bars(**hex).is_empty() && now.room(Force::Us, **hex) > 1 && guarded(hex);
    if let Some(hex) = beaches.iter().find(open).copied() {
        orders.base = Some(hex);
        play.land_base(hex)?;
    }
    // The base is guarded first.
    if let Some(base) = play.state.base.filter(|base| !play.now().is_safe(*base, &[])) {
        beaches.sort_by_key(|hex| *hex != base);
    }
    for id in pool {
        let now = play.now();
        let landing = |hex: &Hex| Landing { units: vec![id], at: *hex };
        let open =
            |hex: &&Hex| now.judge_landing(&play.used, &landing(hex)).bars.is_empty() && now.room(Force::Us, **hex) > 0;
        if let Some(landing) = beaches.iter().find(open).map(landing) {
            play.land(&landing, item("landings", orders.landings.len()))?;
            match orders.landings.last_mut().filter(|last| last.at == landing.at) {
                Some(last) => last.units.push(id),
                None => orders.landings.push(landing),
            }
        }
    }
    Ok(())
}

/// Spanish combat units near enough to come for a base.
fn raiders(now: &Position<'_>, base: Hex) -> Vec<UnitId> {
    let grid = &now.data().grid;
    let near = |hex: Hex| grid.distance(hex, base) <= RAID;
    let hexes: BTreeSet<Hex> = now.enemy_hexes(US).filter(|hex| near(*hex)).collect();
    hexes.into_iter().flat_map(|hex| now.combat_units(Force::Spanish, hex)).collect()
}

impl Position<'_> {
    /// Is the base safe with those who stay when these have gone? A Spanish unit that enters it ends the game (§4.5). A
    /// hex is attacked once a turn (§9.1f): its guard has to outlast the worst throw, and to be no prey for a rout.
    pub fn is_safe(&self, base: Hex, gone: &[UnitId]) -> bool {
        let stay: Vec<UnitId> =
            self.combat_units(Force::Us, base).into_iter().filter(|id| !gone.contains(id)).collect();
        let steps: u32 = stay.iter().map(|id| u32::from(self.state.unit(*id).steps)).sum();
        let raiders = raiders(self, base);
        let worst = (1..=6).map(|face| self.data().tables.shock(Odds::FiveToOne, face).defender).max().unwrap_or(0);
        let odds = Odds::of(self.shock_of(&raiders), self.shock_of(&stay));
        let least = if raiders.is_empty() { 2 } else { 3 };
        steps > u32::from(worst) && stay.len() >= least && odds < Odds::FourToOne
    }

    /// Leaves those in `here` who need not guard the base.
    pub fn leave_guard(&self, base: Hex, here: &mut Vec<UnitId>) {
        // The weakest regiments stay, those with both their steps first.
        here.sort_by_key(|id| (!self.is_combat(*id), Reverse(self.state.unit(*id).steps), self.values(*id).shock, *id));
        while !here.is_empty() && !self.is_safe(base, here) && here.first().is_some_and(|id| self.is_combat(*id)) {
            here.remove(0);
        }
    }
}
