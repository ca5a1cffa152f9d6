//! §10.3 to §10.6: what a step costs by terrain alone, and why.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::board::{Features, Hex};
use crate::engine::{Bar, Subject};

use super::bars::bar;
use super::data::{Along, Mp};
use super::movement::Mover;
use super::play::Position;
use super::state::Place;
use super::terms::{Arm, Land, Nation, Piece, UnitId};

/// What a step was charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toll {
    /// The terrain entered.
    land: Land,
    /// By road instead (§10.6a).
    road: bool,
    /// At the light rate for jungle: Cubans (§10.9a), and units the balloon guides (§17.3b).
    light: Option<Nation>,
    /// How a river was crossed.
    river: Option<River>,
    /// Up a slope (§10.4b) or down one (§10.4c).
    slope: Option<bool>,
}

/// How a river hexside is crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum River {
    /// Through the water (§10.4a).
    Forded,
    /// On a bridge (§10.5a).
    Bridged,
    /// With the help of engineers (§21.2a).
    Helped,
}

impl Toll {
    /// Coming on the map by road (§23.1h).
    pub const ENTRY: Toll = Toll { land: Land::Clear, road: true, light: None, river: None, slope: None };

    /// The clauses that set the price.
    pub fn clauses(self) -> impl Iterator<Item = &'static str> {
        let hex = match (self.road, self.light) {
            (true, _) => Some("10.6a"),
            (false, Some(Nation::Cuban)) => Some("10.9a"),
            (false, Some(_)) => Some("17.3b"),
            (false, None) => None,
        };
        let river = match self.river {
            Some(River::Forded) if self.road => Some("10.6b"),
            Some(River::Forded) => Some("10.4a"),
            Some(River::Bridged) => Some("10.5a"),
            Some(River::Helped) => Some("21.2a"),
            None => None,
        };
        let slope = self.slope.map(|up| if up { "10.4b" } else { "10.4c" });
        [hex, river, slope].into_iter().flatten()
    }
}

impl fmt::Display for Toll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.road { "road" } else { self.land.as_str() })?;
        if self.river == Some(River::Forded) {
            f.write_str(" + river")?;
        }
        if self.slope == Some(true) {
            f.write_str(" + upslope")?;
        }
        Ok(())
    }
}

impl Serialize for Toll {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Position<'_> {
    /// Does an engineer other than the mover help across this hexside? (§21.2)
    fn engineer_helps(&self, mover: &Mover, from: Hex, to: Hex) -> bool {
        let engineer = |id: &UnitId| self.arm(*id) == Some(Arm::Engineer) && Piece::from(*id) != mover.piece;
        let beside = |at: Place| at == Place::At(from) || at == Place::At(to);
        mover.nation != Nation::Spanish && self.state.units.iter().any(|(id, unit)| beside(unit.at) && engineer(id))
    }

    /// On whose place the price of a step hangs: engineers at a river without a bridge, the balloon in the jungle (§21.2,
    /// §17.3b). Whoever is still at sea may come ashore where `landing` says that somebody may.
    pub fn helpers(&self, mover: &Mover, from: Hex, to: Hex, landing: bool) -> Vec<Subject> {
        let along = self.data().between(from, to);
        let river = mover.nation != Nation::Spanish && along.has(Along::River) && !along.has(Along::Bridge);
        let jungle = mover.nation == Nation::Us && self.data().land(to) == Land::Jungle && !along.has(Along::Road);
        let helps = |arm: Arm| (river && arm == Arm::Engineer) || (jungle && arm == Arm::Balloon);
        let others = self.state.units.iter().filter(|(id, _)| Piece::from(**id) != mover.piece);
        // Whoever was lost on the way helps nobody any more.
        let near = others.filter(|(_, unit)| landing || unit.at != Place::OffMap);
        near.map(|(id, _)| id).filter(|id| self.arm(**id).is_some_and(helps)).map(Subject::of).collect()
    }

    /// What entering a hex costs before rivers and slopes: the rate of the road, or that of the terrain (§10.3, §10.6a).
    pub fn rate(&self, along: Features<Along>, to: Hex, light: bool) -> Mp {
        let chart = &self.data().tables.terrain_effects;
        let terrain = || chart.enter(self.data().land(to), light).unwrap_or(Mp::MAX);
        if along.has(Along::Road) { chart.road() } else { terrain() }
    }

    /// What a step costs by terrain alone, and why (§10.3 to §10.6).
    pub fn price(&self, mover: &Mover, from: Hex, to: Hex) -> Result<(Mp, Toll), Bar> {
        self.price_across(self.data().between(from, to), mover, from, to)
    }

    /// The same, with what lies along the hexside at hand.
    pub fn price_across(&self, along: Features<Along>, mover: &Mover, from: Hex, to: Hex) -> Result<(Mp, Toll), Bar> {
        let data = self.data();
        let land = data.land(to);
        if !land.is_open() {
            let clause = match (land, mover.nation) {
                (Land::Swamp, Nation::Cuban) => "9.4d",
                (Land::Swamp, _) => "9.2c",
                _ => "10.3b",
            };
            return Err(bar(clause, format!("{to} is {land}")));
        }
        if along.has(Along::Water) {
            return Err(bar("12.7", format!("only water lies between {from} and {to}")));
        }
        let chart = &data.tables.terrain_effects;
        let road = along.has(Along::Road);
        let mut cost = self.rate(along, to, mover.light);
        let light = (mover.light && land == Land::Jungle).then_some(mover.nation);
        let river = match (along.has(Along::River), along.has(Along::Bridge)) {
            (false, _) => None,
            (true, true) => Some(River::Bridged),
            (true, false) if self.engineer_helps(mover, from, to) => Some(River::Helped),
            (true, false) => Some(River::Forded),
        };
        if river == Some(River::Forded) {
            cost += chart.river();
        }
        let slope = if along.has(Along::Up) { Some(true) } else { along.has(Along::Down).then_some(false) };
        if slope == Some(true) {
            cost += chart.upslope();
        }
        Ok((cost, Toll { land, road, light, river, slope }))
    }
}
