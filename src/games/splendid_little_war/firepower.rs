//! §13.1, what a fire attack counts: combat factors step by step, cover and modifiers.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::{Clause, Side, Tally};

use super::US;
use super::events::{Adjusted, Factor, FireKind};
use super::gunnery::Gunnery;
use super::position::{Position, enemy};
use super::terms::{Arm, Cf, Flag, Force, Oos, Piece, Terrain, Weather};

fn halved(cf: Cf) -> Cf {
    Cf::from_parts(cf.parts() / 2)
}

/// A CF while it is adjusted (§13.1y): every step with its reason.
pub struct Adjusting(Factor);

impl Adjusting {
    /// A printed or rolled CF.
    pub fn new(unit: Piece, cf: u32) -> Adjusting {
        Adjusting(Factor { unit, cf, steps: Vec::new(), counts: Cf::whole(cf) })
    }

    /// One adjustment.
    pub fn to(&mut self, by: &str, cf: Cf, clause: &'static str) {
        self.0.counts = cf;
        self.0.steps.push(Adjusted { by: by.to_owned(), cf, clause: Clause(clause) });
    }

    /// Half of it.
    pub fn half(&mut self, by: &str, clause: &'static str) {
        self.to(by, halved(self.0.counts), clause);
    }

    /// §5.6b, AMB-65: two less, not below 1; what is 1 or less stays.
    pub fn broken(&mut self) {
        let one = Cf::whole(1);
        let less = (self.0.counts - Cf::whole(2)).max(one);
        self.to("Broken", if self.0.counts <= one { self.0.counts } else { less }, "5.6b");
    }

    /// The factor.
    pub fn done(self) -> Factor {
        self.0
    }
}

impl Position<'_> {
    /// What a firing unit counts (§13.1y, §13.1ac, AMB-06). `indirect`: whether its indirect fire found the target.
    pub fn fire_factor(&self, piece: Piece, cf: u32, far: u32, kind: FireKind, indirect: Option<bool>) -> Factor {
        let mut factor = Adjusting::new(piece, cf);
        let Some(unit) = self.unit(piece) else { return factor.done() };
        let state = self.now(piece);
        if let Some(range) = unit.range {
            // §13.1e, §13.1al, AMB-59
            let spared = unit.has(Flag::Dynamite) && !self.game.options.dynamite_half;
            if 2 * far > range && !spared {
                factor.half("beyond half its range", "13.1e");
            }
            match indirect {
                Some(true) => {
                    let half = Cf::whole(halved(factor.0.counts).floor());
                    factor.to("indirect, rounded down", half, "13.1p");
                }
                Some(false) => factor.to("indirect, missed", Cf::ZERO, "13.1q"),
                None => {}
            }
        }
        if state.broken {
            factor.broken();
        }
        if self.state.weather.is_poor() {
            factor.half("Poor weather", "7.0g");
        }
        if unit.range.is_none() && far > 1 {
            factor.half("at two hexes", "13.1c");
        }
        match (kind, state.oos) {
            (FireKind::Offensive, Some(Oos::One)) => factor.half("OoS1", "10.0p"),
            (FireKind::Defensive, Some(Oos::Two)) => factor.half("OoS2", "10.0x"),
            _ => {}
        }
        if kind == FireKind::Defensive && state.ooc {
            factor.half("Out of Command", "11.0ad");
        }
        factor.done()
    }

    /// The cover of a hex: the DRM of its best ground (TEC.note1), with its name and clause.
    pub fn cover(&self, hex: Hex) -> (i32, &'static str, Clause) {
        let data = self.data();
        let rows = &data.tables.terrain.hexes;
        let Some(ground) = data.ground(hex) else { return (0, "clear", Clause("TEC.clear")) };
        let mut all: Vec<(i32, &'static str, &'static str)> = ground
            .terrains
            .iter()
            .map(|terrain| (rows.of(terrain).fire_drm(), terrain.as_str(), terrain_clause(terrain)))
            .collect();
        if ground.fort {
            all.push((rows.fort.fire_drm(), "fort", "TEC.fort"));
        }
        if ground.blockhouse {
            all.push((rows.blockhouse.fire_drm(), "blockhouse", "TEC.blockhouse"));
        }
        if self.state.entrenchments.contains(&hex) {
            all.push((rows.entrenchment.fire_drm(), "entrenchment", "6.0n"));
        }
        let best = all.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.map_or((0, "clear", Clause("TEC.clear")), |(drm, name, clause)| (drm, name, Clause(clause)))
    }

    /// The DRMs of a fire attack (§13.1ae, §13.1ag, §13.1am, §13.1an).
    pub fn fire_modifiers(&self, side: Side, kind: FireKind, target: Hex, firing: &[Piece]) -> Tally {
        let data = self.data();
        let values = data.tables.fire.modifiers;
        let fighters = self.exposed(target, enemy(side));
        let edge = !self.held_by(target, enemy(side));
        let mut modifiers = Tally::new();
        // §13.1ag, AMB-08: who assaults counts as in the hex he assaults; the best cover of all concerned.
        // The map edge gives none (§9.0k).
        let stands = |piece: &Piece| match kind {
            FireKind::Defensive => self.now(*piece).assaults.or((!edge).then_some(target)),
            FireKind::Offensive => (!edge).then_some(target),
        };
        let hexes: BTreeSet<Hex> = fighters.iter().filter_map(stands).collect();
        let best = hexes
            .iter()
            .map(|hex| (self.cover(*hex), *hex))
            .reduce(|best, other| if other.0.0 > best.0.0 { other } else { best });
        if let Some(((drm, name, clause), hex)) = best.filter(|((drm, ..), _)| *drm != 0) {
            if hex == target && !edge {
                modifiers.add(name, drm, clause);
            } else {
                modifiers.add(format!("assaulting {name} in {hex}"), drm, Clause("13.1ag"));
            }
        }
        let spanish = side != US;
        if spanish
            && self.state.weather == Weather::Good
            && fighters.iter().any(|piece| self.has(*piece, Flag::BlackPowder))
        {
            modifiers.add("black powder", values.black_powder, Clause("15.2a"));
        }
        if let Some((_, balloon)) = self.balloon().filter(|_| self.state.balloon_up) {
            let limits = data.tables.balloon;
            let helped = |piece: &Piece| {
                let gun = self.unit(*piece).is_some_and(|unit| unit.arm == Arm::Artillery && unit.force == Force::Us);
                let at = self.state.hex_of(*piece);
                gun && at.is_some_and(|at| {
                    data.distance(at, balloon) <= limits.guns && data.distance(at, target) <= limits.targets
                })
            };
            if firing.iter().any(helped) {
                modifiers.add("balloon", values.balloon_gun, Clause("15.1j"));
            }
            if spanish && !edge && data.distance(balloon, target) <= 1 {
                modifiers.add("under the balloon", values.balloon_target, Clause("15.1k"));
            }
        }
        let led = |piece: &Piece| self.leaders_with(*piece).into_iter().find(|leader| self.commands(*leader, *piece));
        if let Some(leader) = firing.iter().find_map(led).and_then(|leader| self.unit(leader)) {
            modifiers.add(leader.code.to_string(), values.leader, Clause("13.1am"));
        }
        modifiers
    }

    /// Each unit that may give Offensive Fire, and the hexes it may fire at directly; those who are busy left out.
    pub fn fire_choices(&self, side: Side, busy: &BTreeSet<Piece>) -> Vec<(Piece, Vec<Hex>)> {
        let none = BTreeMap::new();
        let gunnery = Gunnery::new(*self, side, FireKind::Offensive, &none);
        let units = self.on_map(side).filter(|(piece, _)| self.is_combat(*piece) && !busy.contains(piece));
        let choices = units.map(|(piece, _)| (piece, gunnery.targets(piece)));
        choices.filter(|(_, targets)| !targets.is_empty()).collect()
    }
}

/// The line of the Terrain Effects Chart.
pub fn terrain_clause(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::Clear => "TEC.clear",
        Terrain::Hill => "TEC.hill",
        Terrain::Jungle => "TEC.jungle",
        Terrain::Swamp => "TEC.swamp",
        Terrain::Lake => "TEC.lake",
        Terrain::Village => "TEC.village",
        Terrain::City => "TEC.city",
        Terrain::Harbor => "TEC.harbor",
    }
}

/// A total rounded as the kind of fire wants it (§13.1z, §13.1aa).
pub fn rounded(total: Cf, kind: FireKind) -> u32 {
    match kind {
        FireKind::Offensive => total.floor(),
        FireKind::Defensive => total.parts().div_ceil(Cf::whole(1).parts()),
    }
}
