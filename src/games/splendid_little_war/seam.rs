//! Stand-ins for chapters 13 and 15 until they are written. Replaced by combat, fire, assault, losses, leaders, special.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Ruling, Side};

use super::orders::{AssaultOrder, Balloon, DefenceOrders, FireOrder};
use super::play::Play;
use super::position::Position;
use super::terms::{Cause, CheckKind, Piece};

impl Play<'_, '_> {
    pub fn mark_assaults(&mut self, _: Side, _: &mut Vec<AssaultOrder>, _: &DocPath) -> Ruling<()> {
        Ok(())
    }
    pub fn defensive_fire(&mut self, _: Side, _: Option<&mut DefenceOrders>) -> Ruling<()> {
        Ok(())
    }
    pub fn offensive_fire(&mut self, _: Side, _: &mut Vec<FireOrder>, _: &DocPath) -> Ruling<()> {
        Ok(())
    }
    pub fn assaults(&mut self, _: Side, _: &mut Vec<AssaultOrder>, _: &DocPath) -> Ruling<()> {
        Ok(())
    }
    pub fn morale(&mut self, unit: Piece, check: CheckKind) -> Ruling<bool> {
        Ok(self.morale_roll(unit, check)?.0)
    }
    pub fn morale_roll(&mut self, _: Piece, _: CheckKind) -> Ruling<(bool, i32)> {
        Ok((true, 0))
    }
    pub fn lose_step(&mut self, unit: Piece, cause: Cause) -> Ruling<()> {
        self.bury(unit, cause);
        Ok(())
    }
    pub fn check_stacking(&mut self, _: Side) -> Ruling<()> {
        Ok(())
    }
    pub fn overrun(&mut self, _: Hex, _: Side) -> Ruling<()> {
        Ok(())
    }
    pub fn balloon(&mut self, _: Option<Balloon>) -> Ruling<()> {
        Ok(())
    }
    pub fn begin_pontoons(&mut self, _: &BTreeMap<Piece, Hex>) {}
    pub fn complete_pontoons(&mut self) {}
    pub fn balloon_check(&mut self) -> Ruling<()> {
        Ok(())
    }
}

impl Position<'_> {
    pub fn sees(&self, _: Hex, _: Hex, _: bool) -> Result<(), Bar> {
        Ok(())
    }
    pub fn fire_choices(&self, _: Side, _: &BTreeSet<Piece>) -> Vec<(Piece, Vec<Hex>)> {
        Vec::new()
    }
    pub fn assault_choices(&self, _: Side) -> BTreeMap<Hex, Vec<Piece>> {
        BTreeMap::new()
    }
    pub fn default_defence(&self, _: Side) -> DefenceOrders {
        DefenceOrders { fire: Vec::new(), retire: BTreeMap::new() }
    }
    pub fn bars_bridging(&self, _: Piece, _: Hex) -> Vec<Bar> {
        Vec::new()
    }
}
