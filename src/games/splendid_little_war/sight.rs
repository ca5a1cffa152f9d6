//! Line of sight (§13.1r to §13.1x, §6.0d): levels, spines, units in the way.

use crate::board::{Hex, Stretch, crossed};
use crate::engine::doc::{Fault, read_text};
use crate::engine::{Bar, Clause, Json, Reply, Seen, Subject};
use crate::scene::{Overlay, Trace};

use super::SplendidLittleWar;
use super::position::{Crowd, Position};
use super::state::State;
use super::terms::Terrain;

/// What blocks low ground's view (§13.1t).
const COVER: [Terrain; 4] = [Terrain::Jungle, Terrain::Swamp, Terrain::Village, Terrain::City];

impl Position<'_> {
    /// The level of a hex: features on a hill stand as high as it (AMB-28).
    fn height(&self, hex: Hex) -> u8 {
        u8::from(self.data().is_hill(hex))
    }

    /// What in a hex keeps the two from seeing each other, if anything.
    fn in_the_way(&self, crowd: &Crowd, from: Hex, to: Hex, hex: Hex, spotting: bool) -> Option<Bar> {
        let data = self.data();
        let ground = data.ground(hex)?;
        let level = self.height(hex);
        let ends = [self.height(from), self.height(to)];
        // AMB-28: "either" of the two, or both of them by the switch.
        let over = |test: &dyn Fn(u8) -> bool| match self.game.options.los_both {
            false => ends.iter().any(|end| test(*end)),
            true => ends.iter().all(|end| test(*end)),
        };
        let hill_of = |hex: Hex| data.ground(hex).and_then(|ground| ground.hill);
        // §6.0d: the hill both stand on is never in the way.
        let own_hill = hill_of(from).is_some() && hill_of(from) == hill_of(to) && ground.hill == hill_of(from);
        let fort = data.is_fort(from) || data.is_fort(to);
        let bar = |clause: &'static str, what: String| {
            let why = format!("{to} cannot be seen from {from}: {what} in {hex} is in the way");
            let bar = Bar::new(clause, why, "choose a target in sight (`garcia los`)");
            // The ground stays as it is, units may go.
            let bar = if clause == "13.1v" { bar } else { bar.firm() };
            bar.about([Subject::of(from), Subject::of(to), Subject::of(hex)])
        };
        if !own_hill {
            let cover = COVER.into_iter().find(|cover| ground.is(*cover));
            if let Some(cover) = cover.filter(|_| over(&|end| level >= end)) {
                return Some(bar("13.1t", cover.to_string()));
            }
            if level > 0 && !fort && over(&|end| level > end) {
                return Some(bar("13.1u", "a hill".to_owned()));
            }
        }
        // §13.1v, §13.1w, AMB-29: combat units of either side, for fire only.
        let high = ends.contains(&1) || fort;
        let combat = Crowd::US_COMBAT | Crowd::SPANISH_COMBAT;
        if !spotting && crowd.has(data, hex, combat) && !(high && level == 0) {
            return Some(bar("13.1v", "a unit".to_owned()));
        }
        None
    }

    /// What keeps the line from going on over each stretch between the two, if anything.
    fn bars(&self, crowd: &Crowd, from: Hex, to: Hex, spotting: bool) -> impl Iterator<Item = (Stretch, Option<Bar>)> {
        let blocks = move |hex: Hex| self.in_the_way(crowd, from, to, hex, spotting);
        let near = self.data().distance(from, to) <= 1;
        let stretches = if near { Vec::new() } else { crossed(&self.data().grid, from, to) };
        stretches.into_iter().map(move |stretch| {
            let bar = match stretch {
                Stretch::Through(hex) => blocks(hex),
                // §13.1s, AMB-72: along a hexside only if both hexes are in the way. It is free as soon as one of them is.
                Stretch::Along(one, Some(other)) => blocks(one).zip(blocks(other)).map(|(one, other)| {
                    let (may_go, stays) = if one.firm { (other, one) } else { (one, other) };
                    may_go.about(stays.about)
                }),
                Stretch::Along(_, None) => None,
            };
            (stretch, bar)
        })
    }

    /// The hexes that are in the way of fire.
    fn hexes_in_the_way(&self, crowd: &Crowd, from: Hex, to: Hex) -> Vec<Hex> {
        let hexes = |stretch: Stretch| match stretch {
            Stretch::Through(hex) => vec![hex],
            Stretch::Along(one, other) => [one].into_iter().chain(other).collect(),
        };
        let barred = self.bars(crowd, from, to, false).filter(|(_, bar)| bar.is_some());
        barred.flat_map(|(stretch, _)| hexes(stretch)).collect()
    }

    /// Whether there is a line of sight, with what stands where made beforehand.
    pub fn sees_in(&self, crowd: &Crowd, from: Hex, to: Hex, spotting: bool) -> Result<(), Bar> {
        let mut found: Option<Bar> = None;
        for (_, bar) in self.bars(crowd, from, to, spotting) {
            match bar {
                // Ground that is in the way stays there, whatever units do.
                Some(bar) if bar.firm => return Err(bar),
                Some(bar) => found = found.or(Some(bar)),
                None => {}
            }
        }
        found.map_or(Ok(()), Err)
    }

    /// Whether one hex is in line of sight of another: for fire, or for spotting.
    pub fn sees(&self, from: Hex, to: Hex, spotting: bool) -> Result<(), Bar> {
        self.sees_in(&self.crowd(), from, to, spotting)
    }
}

/// `los FROM TO`: what is seen, what is in the way, for fire and for spotting.
pub fn sight(game: &SplendidLittleWar, seen: &Seen<'_, State>, from: &str, to: &str) -> Result<Reply, Vec<Fault>> {
    let (from, to): (Hex, Hex) = (read_text(game, from)?, read_text(game, to)?);
    let now = Position { game, state: seen.state };
    let data = now.data();
    let mut reply = Reply::default();
    let crowd = now.crowd();
    let far = data.distance(from, to);
    let switch = if game.options.los_both { "both" } else { "one" };
    reply
        .diary
        .line(format!("From {} to {}: {far} hexes.", data.describe(from), data.describe(to)), &[Clause("13.1r")]);
    reply.json.insert("distance".to_owned(), Json::Int(far.into()));
    for (what, spotting) in [("fire", false), ("spotting", true)] {
        let found = now.sees_in(&crowd, from, to, spotting);
        reply.json.insert(what.to_owned(), Json::Bool(found.is_ok()));
        match found {
            Ok(()) => reply.diary.line(format!("For {what}: in sight."), &[Clause("13.1r")]),
            Err(bar) => reply.diary.line(format!("For {what}: not in sight; {}.", bar.why), &[bar.clause]),
        }
    }
    // Drawn is the line of fire, which units block as well.
    let hexes = now.hexes_in_the_way(&crowd, from, to);
    reply.drawn.push(Overlay::Line {
        board: 0,
        what: Trace::Sight,
        unit: None,
        open: hexes.is_empty(),
        cells: [&[from][..], &hexes, &[to]].concat().iter().map(Hex::to_string).collect(),
        note: format!("for fire, {far} hexes"),
    });
    let crossed: Vec<String> = crossed(&data.grid, from, to)
        .into_iter()
        .map(|stretch| match stretch {
            Stretch::Through(hex) => ground(&now, hex),
            Stretch::Along(one, Some(other)) => {
                format!("the side between {} and {}", ground(&now, one), ground(&now, other))
            }
            Stretch::Along(one, None) => format!("the side of {}", ground(&now, one)),
        })
        .collect();
    if !crossed.is_empty() {
        reply.diary.detail(format!("The line crosses {}.", crossed.join(", ")), &[Clause("13.1r"), Clause("13.1s")]);
    }
    reply.diary.detail(format!("Levels are read with `los-either: {switch}`."), &[Clause("13.1t")]);
    Ok(reply)
}

fn ground(now: &Position<'_>, hex: Hex) -> String {
    let terrain = now.data().ground(hex).map(|ground| ground.terrains.iter().map(|kind| kind.to_string()));
    format!("{hex} ({})", terrain.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
