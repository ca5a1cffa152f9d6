//! §14.4: supply points in combat, from the pool or through a logistic column.

use crate::board::Hex;
use crate::engine::{Bar, Clause, Cloud, Ever, Question, Ruling, Say, Subject};

use super::US;
use super::arrivals::the_base;
use super::attack::Manner;
use super::events::Event;
use super::orders::Support;
use super::play::{Play, subjects};
use super::policy::{Policy, SUPPORT};
use super::position::Position;
use super::tables::Odds;
use super::terms::{Force, Piece, UnitKind};

impl Position<'_> {
    /// The ways in which a force can support a combat of units in all these hexes (A48b, A82): the pool first, then the
    /// logistic columns, nearest first.
    pub fn supports(&self, force: Force, hexes: &[Hex]) -> Vec<Support> {
        self.supports_with(force, hexes, &[])
    }

    /// The same with the logistic columns under counters of one's own that are opened before.
    pub fn supports_with(&self, force: Force, hexes: &[Hex], opened: &[Piece]) -> Vec<Support> {
        let mut ways = Vec::new();
        // A48c; A58; §14.4.6c: nothing before the base is ashore.
        if !self.game.options.supply_points
            || force == Force::Cuban
            || (force == Force::Us && self.state.base.is_none())
        {
            return ways;
        }
        let data = self.data();
        let range = &data.tables.supply;
        let source = if force == Force::Us { self.state.base } else { Some(data.santiago) };
        let near =
            source.is_some_and(|source| hexes.iter().all(|hex| data.distance(*hex, source) <= range.source_range));
        if near && self.state.points(force) > 0 {
            ways.push(Support::Pool);
        }
        let column =
            |piece: &Piece| self.kind(*piece) == Some(UnitKind::LogisticColumn) && self.force(*piece) == Some(force);
        let at = |piece: Piece| self.state.hex_of(piece);
        let carried = opened.iter().filter_map(|counter| Some((at(*counter)?, self.members(*counter)?)));
        let carried = carried.flat_map(|(from, held)| held.into_iter().map(move |(unit, _)| (unit, from)));
        let open = self.on_map(force.side()).into_iter().filter_map(|piece| Some((piece, at(piece)?)));
        let mut columns: Vec<(u32, Hex, Piece)> = open
            .chain(carried)
            .filter(|(piece, _)| column(piece))
            .filter_map(|(piece, from)| {
                let far = hexes.iter().map(|hex| data.distance(*hex, from)).max()?;
                (far <= range.column_range).then_some((far, from, piece))
            })
            .collect();
        columns.sort_unstable();
        ways.extend(columns.into_iter().map(|(_, _, piece)| Support::Column(piece)));
        ways
    }

    /// What an order may say about the support of an attack: none, one of the ways there are, or for Spain to wait for
    /// what the US player does (§14.4.5a). On the Guerrilla Table there is none (A86). Trains under the counters that attack are
    /// shown before (A60).
    pub fn support_orders(&self, force: Force, hexes: &[Hex], manner: Manner, by: &[Piece]) -> Vec<Support> {
        let ways = if manner == Manner::Ordinary { self.supports_with(force, hexes, by) } else { Vec::new() };
        let answer = (force == Force::Spanish && !ways.is_empty()).then_some(Support::Answer);
        [Support::No].into_iter().chain(ways).chain(answer).collect()
    }

    /// Why a combat cannot be supported as an order says.
    pub fn bars_support(&self, force: Force, hexes: &[Hex], support: Support) -> Option<Bar> {
        if self.support_orders(force, hexes, Manner::Ordinary, &[]).contains(&support) {
            return None;
        }
        let bar = |clause, why: String, remedy: &str| Some(Bar::new(clause, why, remedy).part("support"));
        // Any column in reach can answer as well.
        let columns = self.data().of_kind(force, UnitKind::LogisticColumn).map(|unit| Subject::of(unit.id));
        let columns = columns.filter(|_| support == Support::Answer);
        match (force, support) {
            _ if !self.game.options.supply_points => {
                bar("A58", "this match is played without supply points".into(), "leave it out")
            }
            (Force::Cuban, _) => bar("A48c", "Cubans have no supply points".into(), "leave it out"),
            (Force::Us, Support::Answer) => {
                bar("14.4.5a", "the US player decides first and has nothing to answer".into(), "write `pool` or `no`")
            }
            (Force::Us, _) if self.state.base.is_none() => {
                bar("14.4.6c", "the base is not ashore".into(), "land it first").map(|bar| bar.about([the_base()]))
            }
            (_, Support::Pool | Support::Answer) if self.state.points(force) == 0 => {
                let none = bar("14.4.1b", "no supply point is left".into(), "leave it out");
                none.map(|bar| bar.about([pool_of(force)]).about(columns))
            }
            (Force::Us, Support::Pool) => {
                let far = bar("14.4.2a", "a hex is more than 3 from the base".into(), "use a logistic column");
                far.map(|bar| bar.about([the_base()]))
            }
            (_, Support::Pool | Support::Answer) => {
                let far = bar("14.4.3a", "a hex is more than 3 from Santiago".into(), "use a logistic column");
                far.map(|bar| bar.about(columns))
            }
            (_, Support::Column(piece)) => {
                let why = format!("{piece} is not within 2 hexes of all of them");
                bar("A48b", why, "name one in reach").map(|bar| bar.about([Subject::of(piece)]))
            }
            (_, Support::No) => None,
        }
    }
}

/// The supply points of a force, for what hangs on them.
pub fn pool_of(force: Force) -> Subject {
    Subject::of(format!("points of {}", force.as_str()))
}

/// What a point is taken from.
fn source_of(force: Force, support: Support) -> Subject {
    match support {
        Support::Column(train) => Subject::of(train),
        _ => pool_of(force),
    }
}

/// A combat that one force may support.
struct Plea<'p> {
    force: Force,
    target: Hex,
    /// Where its units are.
    hexes: &'p [Hex],
    odds: Odds,
}

impl Play<'_, '_> {
    /// One player decides about support. `ordered` is what the phasing player's order says, `spent` what the other player
    /// has done before.
    fn decide_support(&mut self, plea: &Plea<'_>, ordered: Option<Support>, spent: Support) -> Ruling<Support> {
        let Plea { force, target, hexes, odds } = *plea;
        let ways = self.now().supports(force, hexes);
        let Some(first) = ways.first().copied() else { return Ok(Support::No) };
        if ordered == Some(Support::Answer) {
            // What is left afterwards is for the other player to say.
            self.umpire.cloud([source_of(force, first)], &Cloud::Choice(SUPPORT));
        }
        let chosen = match ordered {
            Some(Support::Answer) if spent != Support::No => first,
            Some(support) if ways.contains(&support) => support,
            Some(_) => Support::No,
            None => {
                let options: Vec<Support> = std::iter::once(Support::No).chain(ways.iter().copied()).collect();
                let points = self.state.points(force);
                let question = Question {
                    who: force.side(),
                    kind: SUPPORT,
                    about: Subject::of(target),
                    clause: Clause("14.4.5a"),
                    text: format!("{target} is attacked at {odds}: do you support the defence?"),
                    options,
                    default: Support::No,
                    also: None,
                };
                self.umpire.ask(question, None, |policy| match policy {
                    Policy::Ever(Ever::Always) => Say::Choose(first),
                    Policy::Ever(Ever::Never) => Say::Choose(Support::No),
                    Policy::Support(policy) => {
                        let here = policy.hexes.is_empty() || policy.hexes.contains(&target);
                        let worth = policy.min_odds.is_none_or(|least| odds >= least);
                        let called = !policy.answer || spent != Support::No;
                        let keep = policy.keep.is_some_and(|keep| points <= keep);
                        // A82: as the owner says, then in the usual order.
                        let mut wished = policy.with.iter().filter(|way| ways.contains(way)).chain(&ways);
                        let way = wished.find(|way| !(keep && **way == Support::Pool));
                        Say::Choose(way.copied().filter(|_| here && worth && called).unwrap_or(Support::No))
                    }
                    _ => Say::Default,
                })?
            }
        };
        self.spend(force, target, hexes, chosen);
        Ok(chosen)
    }

    /// A point is spent: one of the pool, or a whole column (§14.5.1c, §14.5.1i).
    pub fn spend(&mut self, force: Force, target: Hex, hexes: &[Hex], support: Support) {
        match support {
            Support::No | Support::Answer => return,
            Support::Pool => {
                if let Some(points) = self.state.supply_points.get_mut(&force) {
                    *points = points.saturating_sub(1);
                }
            }
            Support::Column(piece) => self.take_off(piece),
        }
        // Had the combat come to nothing, another could be supported.
        self.umpire.rests(&subjects(hexes.iter().chain([&target])), [source_of(force, support)]);
        let points = self.state.points(force);
        self.umpire.note(Event::Supported { force, target, with: support, points });
    }

    /// A combat that comes to nothing takes no point: whether what was to give one is still there hangs on what kept the
    /// combat from being fought.
    pub fn save(&mut self, force: Force, hexes: &[Hex], ordered: Option<Support>, on: &[Subject]) {
        let spares = match ordered {
            None | Some(Support::No) => None,
            Some(Support::Answer) => self.now().supports(force, hexes).first().copied(),
            named => named,
        };
        self.umpire.rests(on, spares.map(|support| source_of(force, support)));
    }

    /// A combat is not supported as ordered: by a train under a counter, as long as that has not been shown.
    pub fn lapse_support(&mut self, support: Support, bar: Bar) {
        match support {
            Support::Column(train) => self.lapse_covered("support", train, vec![bar]),
            _ => self.lapse("support", vec![bar]),
        }
    }

    /// Both players decide, the US player first, whoever attacks (§14.4.5a). Gives what the attacker and the defender do.
    pub fn both_support(
        &mut self,
        attacker: Force,
        defender: Force,
        target: Hex,
        from: &[Hex],
        ordered: Support,
        odds: Odds,
    ) -> Ruling<(Support, Support)> {
        let attack = Plea { force: attacker, target, hexes: from, odds };
        let defence = Plea { force: defender, target, hexes: &[target], odds };
        if attacker.side() == US {
            let first = self.decide_support(&attack, Some(ordered), Support::No)?;
            Ok((first, self.decide_support(&defence, None, first)?))
        } else {
            let first = self.decide_support(&defence, None, Support::No)?;
            Ok((self.decide_support(&attack, Some(ordered), first)?, first))
        }
    }
}
