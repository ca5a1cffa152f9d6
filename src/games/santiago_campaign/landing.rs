//! Chapter 6: disembarkation. Units are drawn blindly one at a time, and each finishes its move before the next draw.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Halt, Question, Ruling, Subject, count_of, list};

use super::US;
use super::bars::bar;
use super::data::Mp;
use super::events::{Event, MarkerEvent, PhaseName, SiteRoll};
use super::movement::Mover;
use super::orders::{Class, LandingOrder, TurnOrders};
use super::play::{Play, Position, Prospect, Trit};
use super::policy::LANDING;
use super::state::Place;
use super::supply::{Lay, SupplyMaps, Suppose};
use super::tell::verb;
use super::terms::{Arm, Nation, Piece, UnitId};
use super::walk::Walked;

/// What landing costs (§6.2d).
const PUT_ASHORE: Mp = Mp::whole(1);

impl Class {
    /// Is a unit of this arm meant?
    fn fits(self, arm: Arm) -> bool {
        match self {
            Class::Any => true,
            Class::Infantry => arm == Arm::Infantry,
            Class::Cavalry => arm == Arm::Cavalry,
            Class::Artillery => arm == Arm::Artillery,
            Class::Engineer => arm == Arm::Engineer,
            Class::Gatling => arm == Arm::Gatling,
            Class::Balloon => arm == Arm::Balloon,
        }
    }
}

impl Position<'_> {
    /// Beaches where units may land this turn, in the order they were opened (§6.6c, A22).
    pub fn sites(&self) -> Vec<Hex> {
        let mut open: Vec<(u32, Hex)> = (self.state.sources.iter())
            .filter(|(_, source)| source.landing_from <= self.state.turn)
            .map(|(hex, source)| (source.number, *hex))
            .collect();
        open.sort_unstable();
        open.into_iter().map(|(_, hex)| hex).collect()
    }

    /// A unit coming ashore: halved movement factor, one point spent on the beach (§6.2d, §6.5f).
    pub fn lander(&self, id: UnitId) -> Mover {
        let full = self.data().movement_factor(Nation::Us);
        let purse = full.half().unwrap_or(full) - PUT_ASHORE;
        Mover { landing: true, ..Mover::new(Piece::from(id), Nation::Us, self.arm(id), purse) }
    }

    /// Places in which a drawn unit may end its landing at a site and the cheapest way to each, as far as the US player
    /// can tell; none if it cannot be put ashore there at all. `more` says that more units are due at the site (§6.5j).
    pub fn landing_choices(
        &self,
        id: UnitId,
        site: Hex,
        more: bool,
        maps: &SupplyMaps,
        lay: &Lay,
    ) -> Vec<(Hex, Vec<Hex>)> {
        let mover = self.lander(id);
        let Some(arm) = mover.arm else { return Vec::new() };
        let room = self.us_room(site, id).left(arm);
        if room == 0 || self.is_closed(site) {
            return Vec::new();
        }
        // §6.2k: who is put ashore in an enemy zone of control stops there.
        let routes = match lay.zone(self.data().grid(), site) {
            Trit::Yes => vec![(site, Vec::new(), Mp::ZERO)],
            _ => self.routes(&mover, site, maps, lay),
        };
        let stays = routes.into_iter().filter(|(hex, _, _)| self.may_stay(&mover, *hex));
        let mut choices: Vec<(Hex, Vec<Hex>)> = stays.map(|(hex, path, _)| (hex, path)).collect();
        // §6.5j: the last place of its class on the beach stays free while more units are due and it can go elsewhere.
        let elsewhere = choices.iter().any(|(hex, _)| *hex != site && self.state.tokens_in(*hex).next().is_none());
        if more && room == 1 && elsewhere {
            choices.retain(|(hex, _)| *hex != site);
        }
        choices
    }

    /// Everything that bars a path ashore, as far as the US player can tell (§6.2l): the first hex that cannot be
    /// entered, and why.
    fn path_ashore(&self, mover: &Mover, site: Hex, path: &[Hex]) -> Result<(), (usize, Vec<Bar>)> {
        if self.spanish_zone(site) == Trit::Yes && !path.is_empty() {
            return Err((0, vec![bar("6.2k", format!("{site} is in an enemy zone of control"))]));
        }
        self.passes(mover, site, path)
    }

    /// Whoever is drawn, in nobody's way: what an instruction is judged by before the draw.
    fn somebody(&self) -> Mover {
        Mover { arm: None, ..self.lander(UnitId::of("a unit")) }
    }

    /// Where a unit that lands at a site could go, before anybody has landed.
    pub fn ashore(&self, site: Hex) -> Vec<Hex> {
        let lay = self.lay(Nation::Us);
        if lay.zone(self.data().grid(), site) == Trit::Yes {
            return vec![site];
        }
        let maps = self.supply_maps(Suppose { vacated: None, opened: Some(site) });
        self.routes(&self.somebody(), site, &maps, &lay).into_iter().map(|(hex, ..)| hex).collect()
    }

    /// Beaches where units can land in this turn, those that the table may still give included (§6.2j, §6.5a).
    pub fn possible_sites(&self) -> Vec<Hex> {
        let mut sites = self.sites();
        if self.state.turn == 1 {
            let table = self.data().tables.landing_sites.second.values();
            sites.extend(table.filter_map(|entry| entry.parse::<Hex>().ok()));
        }
        sites
    }

    /// What is wrong with an instruction, whoever is drawn (§6.2).
    fn instruction_bars(&self, site: Hex, order: &LandingOrder, pool: &[UnitId]) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        if !data.is_beach(site) {
            bars.push(bar("5.4a", format!("{site} is no landing beach")));
        } else if !self.possible_sites().contains(&site) {
            bars.push(bar("6.5a", format!("{} is no open landing site", data.say(site))));
        }
        if order.to.is_none() && order.path.is_empty() {
            bars.push(Bar::new("6.2b", "the instruction says where to nobody", "add `to:` or `path:`"));
        }
        if let Some(to) = order.to.filter(|to| order.path.last().is_some_and(|last| last != to)) {
            let why = format!("the path does not lead to {to}");
            bars.push(Bar::new("6.2b", why, "write `path` or `to`, not both").part("to"));
        }
        if let Some(id) = order.unit.filter(|id| !pool.contains(id)) {
            bars.push(bar("6.2a", format!("{id} is not in the draw pool")).part("unit"));
        } else if !pool.iter().any(|id| self.is_for(order, *id)) {
            bars.push(bar("6.2a", "no unit in the draw pool is such a unit").part("class"));
        }
        let path: Vec<Hex> = std::iter::once(site).chain(order.path.iter().copied()).collect();
        let broken =
            |pair: &&[Hex]| !data.adjacent(pair[0], pair[1]) || self.price(&self.somebody(), pair[0], pair[1]).is_err();
        if let Some(pair) = path.windows(2).find(broken) {
            bars.push(bar("6.2l", format!("no unit can go from {} to {}", pair[0], pair[1])).part("path"));
        } else if let Some(end) = order.path.last().copied().or(order.to).filter(|end| !data.is_open(*end)) {
            bars.push(bar("6.2l", format!("{end} is {}", data.land(end))));
        }
        bars.into_iter().map(Bar::firm).collect()
    }

    /// Why nobody could follow an instruction as things stand before the draw, when a unit can get to these hexes.
    fn out_of_reach(&self, site: Hex, order: &LandingOrder, ashore: &[Hex]) -> Option<Bar> {
        if !order.path.is_empty() {
            let bars = self.path_ashore(&self.somebody(), site, &order.path).err().map(|(_, bars)| bars);
            return bars.and_then(|bars| bars.into_iter().next()).map(|bar| bar.part("path"));
        }
        let to = order.to?;
        let why = || format!("as things stand no unit that lands at {site} gets to {to}");
        (!ashore.contains(&to)).then(|| bar("6.2d", why()).part("to"))
    }

    /// Is the instruction for this unit?
    pub fn is_for(&self, order: &LandingOrder, unit: UnitId) -> bool {
        let class = |class: Class| self.arm(unit).is_some_and(|arm| class.fits(arm));
        order.unit.is_none_or(|named| named == unit) && order.class.is_none_or(class)
    }

    /// What is wrong with the numbers for the sites (§6.3c, §6.5, §6.6e), each with the entry it blames.
    fn split_bars(&self, orders: &TurnOrders) -> Vec<(DocPath, Bar)> {
        let at = DocPath::root().key("split");
        if orders.split.is_empty() {
            return Vec::new();
        }
        if self.state.turn == 1 {
            let why = "in Game Turn 1 ten units land at the first site and the table says where the rest go";
            return vec![(at, bar("6.3c", why).firm())];
        }
        let (sites, due) = (self.sites(), self.landings_due());
        let mut bars = Vec::new();
        for (count, share) in orders.split.iter().enumerate().filter(|(_, share)| !sites.contains(&share.site)) {
            let why = format!("{} is no open landing site", self.data().say(share.site));
            let remedy = format!("units can land at {}", list(&sites));
            bars.push((at.index(count), Bar::new("6.5a", why, remedy).part("site").firm()));
        }
        let total: u32 = orders.split.iter().map(|share| share.units).sum();
        let (units, are) = (count_of(total, "unit"), verb(total, "is", "are"));
        if total > self.data().tables.landing_sites.per_turn {
            bars.push((at, bar("6.6e", format!("{units} {are} to land")).firm()));
        } else if total != due {
            bars.push((at, bar("6.5b", format!("{units} {are} to land, {due} must")).firm()));
        }
        bars
    }

    /// Where a unit goes if nobody says anything: outside doubtful or enemy zones first, farthest inland, lowest number.
    pub fn default_landing(&self, site: Hex, hexes: &[Hex], maps: &SupplyMaps, lay: &Lay) -> Option<Hex> {
        let grid = self.data().grid();
        let distance = |hex: Hex| grid.distance(site, hex);
        let safe = |hex: Hex| lay.zone(grid, hex) == Trit::No && maps.at(self, hex) == Trit::Yes;
        let free = |hex: &&Hex| self.state.tokens_in(**hex).next().is_none();
        let key = |hex: &&Hex| (!safe(**hex), std::cmp::Reverse(distance(**hex)), **hex);
        hexes.iter().filter(free).min_by_key(key).copied().or_else(|| hexes.first().copied())
    }

    /// How many units must land this turn (§6.5b, §6.6e).
    pub fn landings_due(&self) -> u32 {
        let pool = u32::try_from(self.pool().len()).unwrap_or(u32::MAX);
        pool.min(self.data().tables.landing_sites.per_turn)
    }
}

impl Play<'_, '_> {
    /// The US Disembarkation Phase (§6).
    pub fn disembark(&mut self, orders: &TurnOrders) -> Ruling<()> {
        let pool = self.now().pool();
        if !pool.is_empty() {
            self.begin_phase("us", "landing", PhaseName::Disembarkation);
        }
        let grounds = self.landing_grounds(&pool);
        self.judge_landings(orders, &pool, &grounds);
        if pool.is_empty() {
            return Ok(()); // §6.7b
        }
        // Who is drawn, and who stands where afterwards, nobody can tell beforehand.
        let pieces: Vec<Piece> = pool.into_iter().map(Piece::from).collect();
        let hexes: Vec<Hex> = grounds.into_values().flatten().collect();
        self.unsettle(&pieces, &hexes, "draw");
        if self.state.turn == 1 {
            self.first_landing(orders)?
        } else {
            self.later_landing(orders)?
        }
        // Units set aside are in the pool again; they were never marked otherwise.
        if self.now().pool().is_empty() {
            self.umpire.note(Event::PoolEmpty);
        }
        self.check_stacking()
    }

    /// Where units can get to from each site where they may land, before anybody has. Nobody asks where chances are
    /// counted: there nothing is doubtful, and everything is judged already.
    fn landing_grounds(&self, pool: &[UnitId]) -> BTreeMap<Hex, Vec<Hex>> {
        let now = self.now();
        let asked = !self.umpire.counts_chances() && !pool.is_empty();
        let sites = if asked { now.possible_sites() } else { Vec::new() };
        sites.into_iter().map(|site| (site, now.ashore(site))).collect()
    }

    /// What is wrong with numbers and instructions before the first draw.
    fn judge_landings(&mut self, orders: &TurnOrders, pool: &[UnitId], grounds: &BTreeMap<Hex, Vec<Hex>>) {
        let root = DocPath::root();
        (0..orders.split.len()).for_each(|count| self.entry(root.key("split").index(count), |_| ()));
        for (at, bar) in self.now().split_bars(orders) {
            self.entry(at, |play| play.lapse("the numbers to land", vec![bar], &[]));
        }
        for (site, list) in &orders.landings {
            let at = root.key("landings").key(&site.to_string());
            let ashore = grounds.get(site).map_or(&[][..], Vec::as_slice);
            self.entry(at.clone(), |_| ());
            for (count, order) in list.iter().enumerate() {
                self.entry(at.index(count), |play| {
                    let bars = play.now().instruction_bars(*site, order, pool);
                    if bars.is_empty()
                        && play.umpire.foresees()
                        && let Some(bar) = play.now().out_of_reach(*site, order, ashore)
                    {
                        play.umpire.mind(bar);
                    }
                    play.lapse(format!("an instruction for {site}"), bars, &[]);
                });
            }
        }
    }

    /// Game Turn 1: ten at the first site, a roll, five more (§6.2i, §6.3).
    fn first_landing(&mut self, orders: &TurnOrders) -> Ruling<()> {
        let Some(first) = self.now().sites().first().copied() else { return Ok(()) };
        let table = &self.data().tables.landing_sites;
        let (before, all) = (table.before_second, table.per_turn);
        let mut aside = Vec::new();
        let landed = self.land_units(orders, &[(first, before)], &mut aside, all)?;
        if landed < before {
            return Ok(()); // §6.2m
        }
        let site = self.second_site(first)?;
        let rest = all.saturating_sub(before);
        self.land_units(orders, &[(site.unwrap_or(first), rest)], &mut aside, rest)?;
        Ok(())
    }

    /// The second roll on the landing table (§6.2j, §6.3).
    fn second_site(&mut self, first: Hex) -> Ruling<Option<Hex>> {
        let table = &self.data().tables.landing_sites;
        let entry = |die: u16| table.second.get(&(die + table.second_modifier)).map_or("none-picked", String::as_str);
        let read = |die: u16| {
            let site = entry(die).parse::<Hex>().ok();
            let worth = u32::from(site.is_some_and(|hex| hex != first && !self.state.sources.contains_key(&hex)));
            Prospect { worth, says: site.map_or_else(|| entry(die).to_owned(), |hex| self.data().say(hex)) }
        };
        let (prospects, beaches): (Vec<Prospect>, _) = ((1..=6).map(read).collect(), self.data().beaches.clone());
        let read = |die: u16| prospects[usize::from(die).clamp(1, 6) - 1].clone();
        let on = beaches.iter().map(Subject::of).chain([Subject::of("supply")]);
        let die = self.throw(US, "site", "second-landing", read, on)?;
        self.state.second_site_rolled = true;
        let modified = die.face() + table.second_modifier;
        let entry = entry(die.face());
        let (roll, site) = match entry {
            "none-picked" => (SiteRoll::NonePicked, None),
            "cancelled" => (SiteRoll::Cancelled, None),
            number => match number.parse::<Hex>() {
                Ok(hex) if hex == first || self.state.sources.contains_key(&hex) => (SiteRoll::Repeated, Some(hex)),
                Ok(hex) => (SiteRoll::Second, Some(hex)),
                Err(_) => (SiteRoll::NonePicked, None),
            },
        };
        self.umpire.note(Event::SiteRolled { die, modified, roll, site });
        if roll != SiteRoll::Second {
            return Ok(None);
        }
        if let Some(hex) = site {
            let turn = self.state.turn;
            self.place_source(hex, turn, MarkerEvent::SecondLanding);
        }
        Ok(site)
    }

    /// Later turns: the declared numbers, site after site (§6.5).
    fn later_landing(&mut self, orders: &TurnOrders) -> Ruling<()> {
        let now = self.now();
        let (sites, due) = (now.sites(), now.landings_due());
        let Some(first) = sites.first().copied() else { return Ok(()) };
        let mut shares: Vec<(Hex, u32)> = Vec::new();
        let mut left = due;
        for share in orders.split.iter().filter(|share| sites.contains(&share.site)) {
            let units = share.units.min(left);
            left -= units;
            shares.push((share.site, units));
        }
        // §6.5b: whatever was not declared lands all the same.
        if left > 0 {
            match shares.iter_mut().find(|(site, _)| *site == first) {
                Some((_, units)) => *units += left,
                None => shares.push((first, left)),
            }
        }
        self.umpire.note(Event::Split { shares: shares.clone() });
        self.land_units(orders, &shares, &mut Vec::new(), due)?;
        Ok(())
    }

    /// Draws and lands units site after site until the numbers are met or nobody left in the pool can land.
    fn land_units(
        &mut self,
        orders: &TurnOrders,
        shares: &[(Hex, u32)],
        aside: &mut Vec<UnitId>,
        most: u32,
    ) -> Ruling<u32> {
        let mut landed = 0;
        for (site, quota) in shares {
            let mut here = 0;
            while here < *quota && landed < most {
                let pool: Vec<UnitId> = self.now().pool().into_iter().filter(|id| !aside.contains(id)).collect();
                let Some(unit) = self.draw(&pool)? else { return Ok(landed) };
                let more = here + 1 < *quota;
                if self.land(orders, unit, *site, more)? {
                    here += 1;
                    landed += 1;
                } else {
                    self.umpire.note(Event::SetAside { unit });
                    aside.push(unit);
                }
            }
        }
        Ok(landed)
    }

    /// One blind draw (§6.2a): the pool in order of ids, one die with as many faces.
    fn draw(&mut self, pool: &[UnitId]) -> Ruling<Option<UnitId>> {
        let of = u16::try_from(pool.len()).unwrap_or(u16::MAX);
        // Nobody can hope for a draw: a check passes it over, and nobody lands.
        let Some(die) = Die::new(of).filter(|_| !self.umpire.foresees()) else { return Ok(None) };
        let face = self.umpire.roll_one(&Subject::of("pool"), "draw", die)?;
        let unit = pool.get(usize::from(face).wrapping_sub(1)).copied();
        let unit = unit.ok_or_else(|| Halt::Bug(format!("a draw of {face} from {of} units")))?;
        self.umpire.note(Event::Drawn { unit, die: face, of: u32::from(of) });
        Ok(Some(unit))
    }

    /// Lands a drawn unit at its site, or at another open one if it cannot be put ashore there (§6.5h, §6.5i).
    fn land(&mut self, orders: &TurnOrders, unit: UnitId, site: Hex, more: bool) -> Ruling<bool> {
        let mut sites = vec![site];
        sites.extend(self.now().sites().into_iter().filter(|other| *other != site));
        for site in sites {
            let maps = self.supply_maps();
            let lay = self.now().lay(Nation::Us);
            let choices = self.now().landing_choices(unit, site, more, &maps, &lay);
            let hexes: Vec<Hex> = choices.iter().map(|(hex, _)| *hex).collect();
            let Some(default) = self.now().default_landing(site, &hexes, &maps, &lay) else { continue };
            let path = match self.instruction(orders, unit, site, &choices) {
                Some(path) => path,
                None => {
                    let to = self.ask_landing(unit, site, hexes, default)?;
                    choices.into_iter().find(|(hex, _)| *hex == to).map(|(_, path)| path).unwrap_or_default()
                }
            };
            self.go_ashore(unit, site, &path)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The way of the first instruction that fits the unit and is legal (§6.2).
    fn instruction(
        &self,
        orders: &TurnOrders,
        unit: UnitId,
        site: Hex,
        choices: &[(Hex, Vec<Hex>)],
    ) -> Option<Vec<Hex>> {
        let list = orders.landings.get(&site)?;
        let now = self.now();
        list.iter().filter(|order| now.is_for(order, unit)).find_map(|order| {
            let end = order.path.last().copied().or(order.to)?;
            let (_, cheapest) = choices.iter().find(|(hex, _)| *hex == end)?;
            if order.path.is_empty() {
                return Some(cheapest.clone());
            }
            let legal = now.path_ashore(&now.lander(unit), site, &order.path).is_ok();
            legal.then(|| order.path.clone())
        })
    }

    fn ask_landing(&mut self, unit: UnitId, site: Hex, hexes: Vec<Hex>, default: Hex) -> Ruling<Hex> {
        if hexes.len() == 1 {
            return Ok(default);
        }
        let listed = hexes.clone();
        let question = Question {
            who: US,
            kind: LANDING,
            about: Subject::of(unit),
            clause: Clause("6.2b"),
            text: format!("{unit} is drawn and lands at {}: where does it go?", self.data().say(site)),
            options: hexes,
            default,
            also: None,
        };
        self.umpire.ask(question, None, |policy| policy.prefer(&listed))
    }

    /// Puts a unit on the beach and moves it on (§6.2d, §6.2e).
    fn go_ashore(&mut self, unit: UnitId, site: Hex, path: &[Hex]) -> Ruling<()> {
        let piece = Piece::from(unit);
        let mover = self.now().lander(unit);
        if let Some(state) = self.state.units.get_mut(&unit) {
            state.at = Place::At(site);
            state.landed = true;
        }
        self.entered(piece, site, "landing")?;
        let halted = !path.is_empty() && self.spanish_zone(site)?;
        self.unsettle(&[piece], path, "draw");
        let walked = if halted {
            let before = path.first().copied().unwrap_or(site);
            let why = format!("{site} is in an enemy zone of control");
            let mut walked = Walked::none(Mp::ZERO);
            walked.stop(0, before, vec![bar("6.2k", why)]);
            walked
        } else {
            self.walk(&mover, site, path, Mp::ZERO, None)?
        };
        let spent = walked.spent + PUT_ASHORE;
        self.umpire.note(Event::Landed { unit, site, path: walked.path.clone(), spent, cut: walked.cut.clone() });
        self.follow(piece, &walked)
    }
}
