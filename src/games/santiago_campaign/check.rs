//! Whether orders are legal by what their author can see; every `to` becomes the path it means.
//!
//! Moves are tried out one after another on a copy of the position. Where a single face-down counter could be a lone
//! battery, the US player may act as if it were; the resolution tells him if it is not.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault};
use crate::engine::{Clause, Concealed, Seen, Side, count_of};

use super::data::Mp;
use super::movement::{Bar, Leg, Mover};
use super::orders::{AttackOrder, Balloon, MoveOrder, Orders, SpanishSetup, TurnOrders, UsSetup};
use super::play::{Known, Position, Trit, own_knowledge};
use super::setup::set_up_bars;
use super::state::{Place, Post, Stage, State};
use super::supply::SupplyMaps;
use super::tell::verb;
use super::terms::{Arm, HoldingBox, Nation, Piece, UnitId};
use super::trial::Trial;
use super::{SPAIN, SantiagoCampaign, US};

fn refuse(at: &DocPath, bar: Bar, remedy: impl Into<String>) -> Fault {
    Fault::new(at, bar.why, remedy).by(Clause(bar.clause))
}

/// Checks a packet and writes it out in full.
pub fn check(game: &SantiagoCampaign, seen: &Seen<'_, State>, orders: &mut Orders, at: &DocPath) -> Vec<Fault> {
    match (seen.state.stage, orders) {
        (Stage::SpanishSetup, Orders::SpanishSetup(setup)) => spanish_setup(game, setup, at),
        (Stage::UsSetup, Orders::UsSetup(setup)) => us_setup(game, seen.state, setup, at),
        (stage, Orders::Turn(turn))
            if stage.side().is_some() && !matches!(stage, Stage::SpanishSetup | Stage::UsSetup) =>
        {
            let side = stage.side().unwrap_or(US);
            let known = own_knowledge(game, seen, side);
            let trial = Trial::new(game, seen.state, known);
            let mut checker = Checker { dark: trial.copy(), trial, side, faults: Vec::new() };
            checker.turn(turn, at);
            checker.faults
        }
        _ => vec![Fault::new(at, "these are not the orders due now", "use `garcia template` for a fresh file")],
    }
}

fn spanish_setup(game: &SantiagoCampaign, setup: &mut SpanishSetup, at: &DocPath) -> Vec<Fault> {
    let data = &game.data;
    let mut faults = Vec::new();
    let sealed = |unit: &Concealed<_>| matches!(unit, Concealed::Sealed(_));
    if setup.layout().posts.iter().any(|(_, unit)| sealed(unit)) {
        // Signed already: what is hidden is vouched for, what is open is checked when it is carried out.
        return faults;
    }
    setup.deploy.retain(|_, units| !units.is_empty());
    let placed = setup.complete(data);
    let by_default: Vec<String> = (placed.iter())
        .filter(|id| data.counter(**id).is_some_and(|counter| counter.kind != Arm::Garrison))
        .map(ToString::to_string)
        .collect();
    if !by_default.is_empty() {
        let (count, units) = (by_default.len(), by_default.join(", "));
        let (units_of, go) = (count_of(count, "unit"), verb(count, "goes", "go"));
        let place = verb(count, "a place", "places");
        let what = format!("{units_of} {go} to {place} your opponent can look up: {units}");
        faults.push(Fault::new(at, what, "give every unit a hex, and the boxes an order, of your own").as_warning());
    }
    let posts: Vec<(Post, _)> = (setup.layout().posts.into_iter())
        .filter_map(|(post, unit)| match unit {
            Concealed::Open(unit) => Some((post, unit)),
            Concealed::Sealed(_) => None,
        })
        .collect();
    for (post, unit, bar) in set_up_bars(data, &posts) {
        let (list, at) = match post {
            Post::At(hex) => (setup.deploy.get(&hex), at.key("deploy").key(&hex.to_string())),
            Post::In(HoldingBox::Manzanillo) => (Some(&setup.manzanillo), at.key("manzanillo")),
            Post::In(HoldingBox::Guantanamo) => (Some(&setup.guantanamo), at.key("guantanamo")),
        };
        // The hex where nobody may stand; otherwise the unit in it that is one too many or not to be there.
        let ground = matches!(bar.clause, "5.1e" | "5.1f" | "5.1h");
        let named = |other: &Concealed<UnitId>| matches!(other, Concealed::Open(id) if Some(*id) == unit);
        let index = list.and_then(|list| list.iter().position(named)).filter(|_| !ground);
        let at = index.map_or_else(|| at.clone(), |index| at.index(index));
        let remedy = match bar.clause {
            "5.1f" | "5.1e" | "5.1h" => "choose a hex of dry land three hexes or more from every beach".to_owned(),
            "9.2a" | "9.2b" | "9.2e" => "two units and a battery fit into a hex, a single unit into jungle".to_owned(),
            _ => unit.map_or_else(String::new, |unit| format!("put {unit} where it belongs")),
        };
        faults.push(refuse(&at, bar, remedy));
    }
    faults
}

fn us_setup(game: &SantiagoCampaign, state: &State, setup: &mut UsSetup, at: &DocPath) -> Vec<Fault> {
    let known = Known::default();
    let now = Position { game, state, known: &known };
    let mut faults = Vec::new();
    let mut taken: BTreeMap<Hex, u32> = BTreeMap::new();
    let mut used = [0u32; 4];
    let quota = state.cuban_zones.unwrap_or([0; 4]);
    for (id, hex) in &setup.place {
        let at = at.key("place").key(id.as_str());
        if now.nation(*id) != Some(Nation::Cuban) {
            faults.push(refuse(
                &at,
                Bar::new("5.2a", format!("{id} is no Cuban unit")),
                "only Cuban units are deployed now",
            ));
            continue;
        }
        if let Some(bar) = now.bars_cuban_set_up(*hex) {
            faults.push(refuse(&at, bar, "choose a free jungle hex of its zone"));
            continue;
        }
        let count = taken.entry(*hex).or_default();
        *count += 1;
        if *count > 1 {
            faults.push(refuse(
                &at,
                Bar::new("5.2c", format!("another Cuban unit goes to {hex}")),
                "one Cuban unit to a hex",
            ));
        }
        if let Some(used) = usize::from(now.zone(*hex)).checked_sub(1).and_then(|zone| used.get_mut(zone)) {
            *used += 1;
        }
    }
    for (zone, (used, quota)) in used.iter().zip(quota).enumerate() {
        if *used > quota {
            let what = format!("{used} Cuban units go to zone {}, the chart allots it {quota}", zone + 1);
            faults.push(Fault::new(&at.key("place"), what, "move the surplus to other zones").by(Clause("5.2a")));
        }
    }
    if faults.is_empty() {
        setup.place = now.place_cubans(&setup.place);
    }
    faults
}

struct Checker<'g> {
    /// The position if everything comes out as hoped.
    trial: Trial<'g>,
    /// The position if no counter is a battery and no attack succeeds.
    dark: Trial<'g>,
    side: Side,
    faults: Vec<Fault>,
}

impl Checker<'_> {
    fn refuse(&mut self, at: &DocPath, bar: Bar, remedy: impl Into<String>) {
        self.faults.push(refuse(at, bar, remedy));
    }

    fn refuse_all(&mut self, at: &DocPath, bars: Vec<Bar>, remedy: &str) {
        for bar in bars {
            let remedy = match bar.clause {
                "12.10a" => "stay within the off-road supply length of a road or source free of enemy zones of control",
                "10.3d" => "stop earlier or take a road",
                _ => remedy,
            };
            self.refuse(at, bar, remedy);
        }
    }

    /// A Spanish unit named by its designation becomes the counter it lies under.
    fn resolve(&mut self, piece: &mut Piece, at: &DocPath) {
        if self.side != SPAIN || piece.token().is_some() {
            return;
        }
        let now = self.trial.now();
        let found = self.trial.state.counters.keys().copied().find(|token| now.identity(*token) == Some(piece.unit()));
        match found {
            Some(token) => *piece = Piece::from(token),
            None => {
                let what = format!("{piece} is not among your counters on the table");
                self.faults.push(Fault::new(at, what, "name a counter (`sp-07`) or one of your units in play"));
            }
        }
    }

    fn turn(&mut self, orders: &mut TurnOrders, at: &DocPath) {
        let stage = self.trial.state.stage;
        let combat_only = matches!(stage, Stage::UsCombat | Stage::SpanishCombat);
        let moves_only = self.trial.game.options.phases_apart && !combat_only;
        if self.side == US && !combat_only {
            self.landing(orders, at);
        } else if !orders.split.is_empty() || !orders.landings.is_empty() {
            let bar = Bar::new("3.2b", "landings belong to the US Disembarkation Phase");
            self.refuse(&at.key("landings"), bar, "leave `split` and `landings` out");
        }
        self.release(orders, at);
        if combat_only && !orders.moves.is_empty() {
            self.refuse(&at.key("moves"), Bar::new("3.1b", "movement is over"), "leave `moves` out");
        }
        if moves_only && !orders.attacks.is_empty() {
            self.refuse(
                &at.key("attacks"),
                Bar::new("3.1b", "attacks are ordered after movement"),
                "leave `attacks` out",
            );
        }
        self.moves(&mut orders.moves, at);
        self.attacks(&mut orders.attacks, at);
    }

    fn release(&mut self, orders: &mut TurnOrders, at: &DocPath) {
        // Signed already: what is sealed is checked when it is opened.
        let Some(Concealed::Open(release)) = &mut orders.release else { return };
        for (count, token) in release.iter_mut().enumerate() {
            let at = at.key("release").index(count);
            if self.side != SPAIN {
                self.faults.push(
                    Fault::new(&at, "only the Spanish player releases units", "leave `release` out")
                        .by(Clause("23.1c")),
                );
                return;
            }
            let mut piece = Piece::from(*token);
            self.resolve(&mut piece, &at);
            if let Some(found) = piece.token() {
                *token = found;
                let held = self
                    .trial
                    .state
                    .counters
                    .get(&found)
                    .is_some_and(|c| c.at == Post::In(super::terms::HoldingBox::Guantanamo));
                if !held {
                    self.refuse(
                        &at,
                        Bar::new("23.1c", format!("{found} is not in the Guantanamo box")),
                        "name counters in that box",
                    );
                }
            }
        }
    }

    fn landing(&mut self, orders: &TurnOrders, at: &DocPath) {
        let now = self.trial.now();
        let (sites, due, pool) = (now.sites(), now.landings_due(), now.pool());
        let mut found = Vec::new();
        if self.trial.state.turn == 1 && !orders.split.is_empty() {
            let bar = Bar::new(
                "6.3c",
                "in Game Turn 1 ten units land at the first site and the table says where the rest go",
            );
            found.push(refuse(&at.key("split"), bar, "leave `split` out"));
        } else if !orders.split.is_empty() {
            let total: u32 = orders.split.iter().map(|share| share.units).sum();
            for (count, share) in orders.split.iter().enumerate() {
                if !sites.contains(&share.site) {
                    let why = format!("{} is no open landing site", now.data().say(share.site));
                    let names: Vec<String> = sites.iter().map(Hex::to_string).collect();
                    let remedy = format!("units can land at {}", names.join(", "));
                    found.push(refuse(&at.key("split").index(count).key("site"), Bar::new("6.5a", why), remedy));
                }
            }
            if total > now.data().tables.landing_sites.per_turn {
                let why = format!("{} {} to land", count_of(total, "unit"), verb(total, "is", "are"));
                found.push(refuse(&at.key("split"), Bar::new("6.6e", why), "never more than 15 land in a turn"));
            } else if total != due {
                let why = format!("{} {} to land, {due} must", count_of(total, "unit"), verb(total, "is", "are"));
                found.push(refuse(
                    &at.key("split"),
                    Bar::new("6.5b", why),
                    format!("make the numbers add up to {due}"),
                ));
            }
        }
        for (site, list) in &orders.landings {
            let here = at.key("landings").key(&site.to_string());
            if !now.data().is_beach(*site) {
                let why = format!("{site} is no landing beach");
                found.push(refuse(&here, Bar::new("5.4a", why), "name one of the five beaches"));
            }
            for (count, order) in list.iter().enumerate() {
                let here = here.index(count);
                if order.to.is_none() && order.path.is_empty() {
                    found.push(Fault::new(&here, "the instruction says where to nobody", "add `to:` or `path:`"));
                }
                if let Some(id) = order.unit.filter(|id| !pool.contains(id)) {
                    let bar = Bar::new("6.2a", format!("{id} is not in the draw pool"));
                    found.push(refuse(&here.key("unit"), bar, "name a unit that is still at sea"));
                }
                let end = order.path.last().copied().or(order.to);
                let mover = Mover {
                    piece: Piece::of("landing"),
                    nation: Nation::Us,
                    arm: None,
                    light: false,
                    purse: Mp::whole(3),
                    lost: false,
                    landing: true,
                    beach: None,
                };
                let path: Vec<Hex> = std::iter::once(*site).chain(order.path.iter().copied()).collect();
                if let Some(pair) = path
                    .windows(2)
                    .find(|pair| now.price(&mover, pair[0], pair[1]).is_err() || !now.data().adjacent(pair[0], pair[1]))
                {
                    let why = format!("no unit can go from {} to {}", pair[0], pair[1]);
                    found.push(refuse(
                        &here.key("path"),
                        Bar::new("6.2l", why),
                        "give hexes that touch, one after another",
                    ));
                } else if let Some(end) = end.filter(|end| !now.data().is_open(*end)) {
                    let why = format!("{end} is {}", now.data().land(end));
                    found.push(refuse(&here, Bar::new("6.2l", why), "choose a hex of dry land"));
                }
            }
        }
        self.faults.extend(found);
    }

    fn moves(&mut self, moves: &mut [Concealed<MoveOrder>], at: &DocPath) {
        let mut moved: BTreeSet<Piece> = BTreeSet::new();
        let mut last: BTreeMap<Hex, DocPath> = BTreeMap::new();
        for (count, entry) in moves.iter_mut().enumerate() {
            let Concealed::Open(order) = entry else { continue };
            let at = at.key("moves").index(count);
            let before = self.faults.len();
            self.resolve(&mut order.unit, &at.key("unit"));
            if self.faults.len() > before {
                continue;
            }
            if (self.side == US) != order.unit.token().is_none() {
                self.refuse(
                    &at.key("unit"),
                    Bar::new("1.1a", format!("{} is not yours to move", order.unit)),
                    "move your own units",
                );
                continue;
            }
            if !moved.insert(order.unit) {
                self.refuse(&at, Bar::new("10.1b", format!("{} moves twice", order.unit)), "one move a unit");
                continue;
            }
            self.one_move(order, &at);
            if let Some(hex) = order.path.last() {
                last.insert(*hex, at);
            }
        }
        // §9.4c: US and Cuban units may pass each other, not stay together, unless the Spanish player found them so and let
        // it be: then nobody need move.
        if self.side != US {
            return;
        }
        let now = self.trial.now();
        let shared: Vec<Hex> = (self.trial.state.units.values())
            .filter_map(|unit| unit.at.hex())
            .collect::<BTreeSet<Hex>>()
            .into_iter()
            .filter(|hex| !now.americans_in(*hex).is_empty() && !now.cubans_in(*hex).is_empty())
            .filter(|hex| !now.state.spared.contains(hex))
            .collect();
        for hex in shared {
            let at = last.get(&hex).cloned().unwrap_or_else(|| at.key("moves"));
            let bar = Bar::new("9.4c", format!("US and Cuban units end the phase together in {hex}"));
            self.refuse(&at, bar, "let one of them stop elsewhere");
        }
    }

    fn one_move(&mut self, order: &mut MoveOrder, at: &DocPath) {
        let maps = self.trial.maps(self.side);
        let piece = order.unit;
        let is_balloon = self.trial.now().arm(piece.unit()) == Some(Arm::Balloon) && piece.token().is_none();
        if order.balloon.is_some() && !is_balloon {
            self.refuse(&at.key("balloon"), Bar::new("17.2a", format!("{piece} is no balloon")), "leave `balloon` out");
            return;
        }
        let moving = !order.path.is_empty() || order.to.is_some();
        let up = self.trial.state.balloon_up;
        if is_balloon {
            // Flipping is no move, so a balloon that landed this turn may go up (§17.2e).
            let unit = self.trial.state.unit(piece.unit());
            match (order.balloon, up) {
                (Some(Balloon::Up), true) | (Some(Balloon::Down), false) => {
                    self.refuse(at, Bar::new("17.2a", "the balloon is in that mode already"), "leave `balloon` out");
                    return;
                }
                (Some(Balloon::Up), false) if moving => {
                    self.refuse(
                        at,
                        Bar::new("17.2c", "a balloon that goes up does not move in that phase"),
                        "leave the path out",
                    );
                    return;
                }
                (None, true) if moving => {
                    self.refuse(
                        at,
                        Bar::new("17.2d", "the balloon is up and cannot move"),
                        "bring it down first: `balloon: down`",
                    );
                    return;
                }
                _ => {}
            }
            if unit.at == Place::OffMap && order.balloon == Some(Balloon::Up) && !moving {
                return;
            }
            if unit.fever {
                self.refuse(at, Bar::new("13.2c", "the balloon is infected with fever"), "leave it alone");
                return;
            }
        }
        if !moving {
            if let Some(mode) = order.balloon {
                self.trial.state.balloon_up = mode == Balloon::Up;
                self.dark.state.balloon_up = mode == Balloon::Up;
            } else {
                self.refuse(
                    at,
                    Bar::new("10.3b", format!("the move of {piece} leads nowhere")),
                    "give `to:` or `path:`",
                );
            }
            return;
        }
        let (mut mover, from) = match self.trial.now().mover(piece, &maps) {
            Ok(found) => found,
            Err(bars) => {
                self.refuse_all(&at.key("unit"), bars, "choose a unit that may move");
                return;
            }
        };
        mover.beach = self.trial.now().beach_opened(order);
        if order.balloon == Some(Balloon::Down) {
            self.trial.state.balloon_up = false;
            self.dark.state.balloon_up = false;
        }
        if order.path.is_empty()
            && let Some(to) = order.to
        {
            match self.trial.ways(mover.clone(), from, &maps).into_iter().find(|(hex, _, _)| *hex == to) {
                Some((_, path, _)) => order.path = path,
                None => {
                    let bars = self.why_not(&mover, from, to, &maps);
                    self.refuse_all(&at.key("to"), bars, "`garcia reach` lists where it can go");
                    return;
                }
            }
        }
        order.to = None;
        self.doubt(&mover, from, &order.path, at);
        // Without luck it stops short of a counter that may be no battery.
        let held = |hex: &Hex| self.trial.state.tokens_in(*hex).next().is_some();
        let short: Vec<Hex> = order.path.iter().copied().take_while(|hex| self.side == SPAIN || !held(hex)).collect();
        let _ = self.dark.walk(&mover, from, &short, order.open);
        if let Err((count, bars)) = self.trial.walk(&mover, from, &order.path, order.open) {
            self.refuse_all(&at.key("path").index(count), bars, "`garcia reach` lists where it can go");
        }
    }

    /// Warns where a face-down counter may cut the move short.
    fn doubt(&mut self, mover: &Mover, from: Option<Hex>, path: &[Hex], at: &DocPath) {
        if mover.nation != Nation::Us {
            return;
        }
        let now = self.trial.now();
        let passed = path.iter().copied().take(path.len().saturating_sub(1));
        let start = from.into_iter().filter(|_| path.first().is_some_and(|hex| now.spanish_zone(*hex) != Trit::No));
        if let Some(hex) = start.chain(passed).find(|hex| now.spanish_zone(*hex) == Trit::Maybe) {
            let what =
                format!("a single Spanish counter next to {hex} ends the move there unless it is a lone battery");
            self.faults.push(Fault::new(at, what, "nothing need be changed").as_warning());
        }
    }

    /// Why a hex cannot be reached: what bars the straight way there, or simply too far.
    fn why_not(&self, mover: &Mover, from: Option<Hex>, to: Hex, maps: &SupplyMaps) -> Vec<Bar> {
        let now = self.trial.now();
        let Some(from) = from else { return vec![Bar::new("10.3d", format!("{to} is out of reach"))] };
        let free = Mover { purse: Mp::MAX, ..mover.clone() };
        let far = now.reach(&free, from, maps);
        if far.contains(to) {
            let cost = far.cost(to).unwrap_or(Mp::MAX);
            let why = format!("{to} costs {cost} MP and {} has {}", mover.piece, mover.purse);
            return vec![Bar::new("10.3d", why)];
        }
        let home = now.way_home(mover, maps);
        let barred = (now.data().around(to)).filter(|next| far.contains(*next) || *next == from).find_map(|next| {
            let (first, home) = (next == from, home.as_ref());
            let leg = Leg { at: next, first, halted: false, spent: Mp::ZERO, home, opens: true };
            now.pace(&free, leg, to, maps).err()
        });
        barred.unwrap_or_else(|| vec![Bar::new("10.3b", format!("no legal path leads to {to}"))])
    }

    fn attacks(&mut self, attacks: &mut [Concealed<AttackOrder>], at: &DocPath) {
        let before_combat = self.trial.copy();
        let mut used: BTreeSet<Piece> = BTreeSet::new();
        for (count, entry) in attacks.iter_mut().enumerate() {
            let Concealed::Open(order) = entry else { continue };
            let at = at.key("attacks").index(count);
            let before = self.faults.len();
            for (place, piece) in order.attackers.iter_mut().enumerate() {
                self.resolve(piece, &at.key("attackers").index(place));
            }
            for piece in order.losses.iter_mut().chain(&mut order.advance) {
                self.resolve(piece, &at);
            }
            if self.faults.len() > before {
                continue;
            }
            let conditional = order.after.is_some() || order.if_vacant.is_some();
            let fought = BTreeSet::new();
            let mut at_sea = false;
            for (place, piece) in order.attackers.iter().enumerate() {
                let here = at.key("attackers").index(place);
                if piece.token().is_none() && self.trial.state.unit(piece.unit()).at == Place::OffMap {
                    at_sea = true;
                    let what = format!("{piece} is still at sea and attacks only if it lands next to {}", order.target);
                    self.faults.push(Fault::new(&here, what, "nothing need be changed").as_warning());
                    continue;
                }
                let bars = self
                    .barred_all_ways(&before_combat, |now| now.attacker_bars(self.side, *piece, order.target, &fought));
                if !bars.is_empty() {
                    self.refuse_all(&here, bars, "leave it out of this attack");
                } else if !used.insert(*piece) && !conditional {
                    self.refuse(
                        &here,
                        Bar::new("11.2a", format!("{piece} attacks twice")),
                        "each unit attacks once in a phase",
                    );
                }
            }
            let refused = self.faults.iter().skip(before).any(|fault| !fault.warning);
            if at_sea || refused {
                continue;
            }
            let mut bars = self.barred_all_ways(&before_combat, |now| now.attack_bars(self.side, order, &fought));
            // An earlier attack of the list may bring an enemy there.
            bars.retain(|bar| !(bar.clause == "11.2c" && conditional));
            if bars.is_empty() {
                self.trial.succeed(self.side, order);
            }
            self.refuse_all(&at, bars, "choose another target or other attackers");
        }
    }

    /// What is barred if everything before comes out as hoped, if nothing does, and if only the moves do.
    fn barred_all_ways(&self, before_combat: &Trial<'_>, bars: impl Fn(&Position<'_>) -> Vec<Bar>) -> Vec<Bar> {
        let dark = bars(&self.dark.now());
        let free = |trial: &Trial<'_>| bars(&trial.now()).is_empty();
        if dark.is_empty() || free(&self.trial) || free(before_combat) { Vec::new() } else { dark }
    }
}
