//! The Fire Table (§9.2, §9.6, §9.7): rifles, guns and fleets.

use crate::board::Hex;
use crate::engine::{Clause, Ruling, Tally, Touch};

use super::events::{Event, Factor, FireKind};
use super::play::{Play, subjects};
use super::position::Position;
use super::tables::FireResult;
use super::terms::{Force, Piece, Terrain, UnitKind};

/// One roll on the Fire Table.
pub struct Volley {
    /// What it is for.
    pub kind: FireKind,
    /// Who fires.
    pub by: Force,
    /// The firing units; none of a fleet.
    pub units: Vec<Piece>,
    /// The hexes they fire from.
    pub from: Vec<Hex>,
    /// Who is fired at.
    pub at: Vec<Piece>,
    /// The hexes that are fired at.
    pub hexes: Vec<Hex>,
    /// The hex of the combat.
    pub target: Hex,
    /// A supply point supports it.
    pub supported: bool,
}

impl Position<'_> {
    /// The fire factors of units (§9.6): guns do not help an attack, machine guns help nothing else.
    pub fn fire_factors(&self, units: &[Piece], kind: FireKind) -> Vec<Factor> {
        let fires = |piece: &&Piece| match self.kind(**piece) {
            Some(UnitKind::Artillery) => kind != FireKind::Attack,  // §9.6a
            Some(UnitKind::MachineGun) => kind == FireKind::Attack, // §9.6b, A33
            Some(other) => other.is_foot() && !self.in_guerrilla(**piece),
            None => false,
        };
        let factor = |piece: &Piece| {
            let printed = self.factors(*piece).fire;
            Factor { unit: piece.to_string(), printed, counts: self.halved(*piece, printed) }
        };
        units.iter().filter(fires).map(factor).collect()
    }

    /// The best leader stacked with one of these units (A14); in an attack none who landed this turn (§8.2e).
    pub fn leader_with(&self, units: &[Piece], attacking: bool) -> Option<(Piece, i32)> {
        let mut best: Option<(Piece, i32)> = None;
        for unit in units {
            let (Some(hex), Some(force)) = (self.state.hex_of(*unit), self.force(*unit)) else { continue };
            for piece in self.stack(hex, force).into_iter().filter(|piece| !attacking || !self.landed(*piece)) {
                let rating = self.unit(piece).filter(|unit| unit.kind == UnitKind::Leader).and_then(|unit| unit.rating);
                if let Some(rating) = rating.map(i32::from).filter(|rating| best.is_none_or(|(_, most)| *rating > most))
                {
                    best = Some((piece, rating));
                }
            }
        }
        best
    }

    fn fire_modifiers(&self, volley: &Volley) -> Tally {
        let data = self.data();
        let values = data.tables.fire.modifiers;
        let mut modifiers = Tally::new();
        let firing: Vec<Piece> = volley
            .units
            .iter()
            .copied()
            .filter(|piece| !self.fire_factors(std::slice::from_ref(piece), volley.kind).is_empty())
            .collect();
        if let Some((leader, rating)) = self.leader_with(&firing, volley.kind != FireKind::Defence) {
            modifiers.add(leader.to_string(), rating, Clause("6.1a"));
        }
        let hill = |hex: &Hex| data.terrain(*hex) == Terrain::Hill;
        // A70b: all firers on hills; A70a: what is kindest to the firer where targets differ.
        let fleet = volley.kind == FireKind::Naval;
        if !fleet && !volley.from.is_empty() && volley.from.iter().all(hill) && !volley.hexes.iter().all(hill) {
            modifiers.add("from a hill", values.from_hill, Clause("A95c"));
        }
        if volley.hexes.iter().all(|hex| data.terrain(*hex) == Terrain::Jungle) {
            modifiers.add("target in jungle", values.jungle, Clause("A95c"));
        }
        let works = |hex: &Hex| match data.ground(*hex) {
            Some(ground) if ground.redoubt => values.redoubt,
            Some(ground) if ground.entrenchment || ground.battery => values.works,
            _ => 0,
        };
        if let Some(cover) = volley.hexes.iter().map(works).max().filter(|cover| *cover != 0) {
            modifiers.add("works", cover, Clause("A95c"));
        }
        let signals = data.cast().signals.and_then(|id| self.state.hex_of(id)).filter(|_| self.state.balloon_up);
        if let Some(balloon) = signals.filter(|_| volley.by == Force::Spanish) {
            let seen = |piece: &Piece| {
                let near = self.state.hex_of(*piece).is_some_and(|hex| data.distance(hex, balloon) <= 1);
                near && self.force(*piece) == Some(Force::Us)
            };
            if volley.at.iter().any(seen) {
                modifiers.add("balloon", values.balloon, Clause("A95d"));
            }
        }
        if volley.kind == FireKind::Defence && self.is_fresh(volley.target, volley.by) {
            modifiers.add("landed this turn", values.landed, Clause("8.2g"));
        }
        if volley.supported {
            let clause = match volley.kind {
                FireKind::Attack => "14.4.5b",
                FireKind::Defence => "14.4.5e",
                _ => "14.4.5d",
            };
            modifiers.add("supply point", values.supply, Clause(clause));
        }
        modifiers
    }
}

impl Play<'_, '_> {
    /// A roll on the Fire Table; with a total of 0 nobody fires (A70c).
    pub fn fire(&mut self, volley: &Volley) -> Ruling<Option<FireResult>> {
        let tables = self.data().tables.clone();
        let now = self.now();
        let factors = match volley.kind {
            FireKind::Naval => {
                let counts = tables.naval.factor;
                vec![Factor { unit: format!("{} fleet", volley.by.name()), printed: counts, counts }]
            }
            kind => now.fire_factors(&volley.units, kind),
        };
        let total: u32 = factors.iter().map(|factor| factor.counts).sum();
        let table = &tables.fire.results;
        let Some(column) = table.column(&total) else {
            self.umpire.note(Event::NoFire { kind: volley.kind, by: volley.by, target: volley.target });
            return Ok(None);
        };
        let modifiers = now.fire_modifiers(volley);
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or_default();
        let touch =
            Touch::on(subjects(volley.at.iter().map(Piece::to_string).chain(volley.hexes.iter().map(Hex::to_string))));
        let thrown = self.d6(volley.by.side(), volley.target, volley.kind.as_str(), read, touch)?;
        self.umpire.note(Event::FireRoll {
            kind: volley.kind,
            by: volley.by,
            target: volley.target,
            factors,
            total,
            column: table.label(column).unwrap_or_default(),
            modified: i32::from(thrown.cast.face()) + drm,
            die: thrown.cast,
            modifiers,
            result: thrown.result,
        });
        Ok(Some(thrown.result))
    }
}
