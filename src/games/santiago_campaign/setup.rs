//! Chapter 5: set-up. The Spanish army goes face-down onto the table; the Cubans and the Marines follow.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex, Roster};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Cast, Concealed, Halt, Ruling, Slot, count_of, list};

use super::SPAIN;
use super::bars::bar;
use super::data::{Counter, Data};
use super::events::{Event, MarkerEvent, PhaseName, SiteRoll};
use super::orders::{Marines, SpanishSetup, UsSetup};
use super::play::{Play, Position};
use super::stacking::Room;
use super::state::{Face, Place, Post, TokenState};
use super::tell::verb;
use super::terms::{Arm, Flag, Group, HoldingBox, Land, Nation, Token, UnitId};

/// The set-up file with everything in it, as a list of counters in order of hex and place (§5.1).
pub struct Layout {
    /// Counters on the map and in the boxes.
    pub posts: Vec<(Post, Concealed<UnitId>)>,
}

/// Why a Spanish unit may not be set up in a hex, whichever it is (§5.1e, §5.1f, §5.1h).
pub fn bars_set_up(data: &Data, hex: Hex) -> Option<Bar> {
    if !data.land(hex).is_land() {
        return Some(bar("5.1h", format!("{hex} is {}", data.land(hex))));
    }
    if data.land(hex) == Land::Swamp {
        return Some(bar("5.1e", format!("{hex} is swamp")));
    }
    let least = data.tables.limits.set_up_distance;
    let near = data.beaches.iter().find(|beach| data.grid().distance(hex, **beach) < least);
    near.map(|beach| bar("5.1f", format!("{hex} is closer than {least} hexes to the beach {}", data.say(*beach))))
}

impl SpanishSetup {
    /// All counters in the order that names them.
    pub fn layout(&self) -> Layout {
        let mut posts = Vec::new();
        for (hex, units) in &self.deploy {
            posts.extend(units.iter().map(|unit| (Post::At(*hex), unit.clone())));
        }
        for (which, units) in [(HoldingBox::Manzanillo, &self.manzanillo), (HoldingBox::Guantanamo, &self.guantanamo)] {
            posts.extend(units.iter().map(|unit| (Post::In(which), unit.clone())));
        }
        Layout { posts }
    }

    /// The set-up of a player who says nothing.
    pub fn by_default(data: &Data) -> SpanishSetup {
        let mut setup = SpanishSetup::default();
        setup.complete(data);
        setup
    }

    /// Units that stand in the file openly.
    pub fn named(&self) -> BTreeSet<UnitId> {
        let all = self.deploy.values().flatten().chain(&self.manzanillo).chain(&self.guantanamo);
        all.filter_map(Concealed::as_open).copied().collect()
    }

    /// Adds every unit that was left out: garrisons to their fortress, others to their default hex or the nearest with
    /// room, boxes filled up (§5.1a, §5.1b, §5.1h). Returns the units so placed.
    pub fn complete(&mut self, data: &Data) -> Vec<UnitId> {
        let named = self.named();
        let missing =
            |counter: &&super::data::Counter| counter.nation == Nation::Spanish && !named.contains(&counter.id());
        let mut placed = Vec::new();
        for counter in data.counters.values().filter(missing) {
            let unit = Concealed::Open(counter.id());
            match counter.group {
                Group::Manzanillo => self.manzanillo.push(unit),
                Group::Guantanamo => self.guantanamo.push(unit),
                _ => {
                    let Some(hex) = self.default_hex(data, counter) else { continue };
                    self.deploy.entry(hex).or_default().push(unit);
                }
            }
            placed.push(counter.id());
        }
        placed
    }

    fn default_hex(&self, data: &Data, counter: &super::data::Counter) -> Option<Hex> {
        let wish = counter.default_hex?;
        if counter.kind == Arm::Garrison {
            return Some(wish); // §2.12d, whoever else is there
        }
        let fits = |hex: Hex| {
            let present = self.deploy.get(&hex).into_iter().flatten();
            let arms: Vec<Arm> = present
                .filter_map(|unit| match unit {
                    Concealed::Open(unit) => data.arm(*unit),
                    Concealed::Sealed(_) => None,
                })
                .chain([counter.kind])
                .collect();
            Room::of(data.land(hex)).holds(&arms)
        };
        let mut hexes: Vec<Hex> = data.grid().cells().filter(|hex| bars_set_up(data, *hex).is_none()).collect();
        hexes.sort_by_key(|hex| (data.grid().distance(wish, *hex), *hex));
        hexes.into_iter().find(|hex| fits(*hex))
    }
}

/// Everything wrong with a complete Spanish set-up, as the owner of all its values sees it.
pub fn set_up_bars(data: &Data, posts: &[(Post, UnitId)]) -> Vec<(Post, UnitId, Bar)> {
    let mut bars = Vec::new();
    let mut seen: BTreeMap<UnitId, u32> = BTreeMap::new();
    let mut stacks: BTreeMap<Hex, Vec<&Counter>> = BTreeMap::new();
    for (post, unit) in posts {
        *seen.entry(*unit).or_default() += 1;
        let Some(counter) = data.counter(*unit).filter(|counter| counter.nation == Nation::Spanish) else {
            bars.push((*post, *unit, bar("1.1a", format!("{unit} is no Spanish unit"))));
            continue;
        };
        match (post, counter.group) {
            (Post::In(HoldingBox::Manzanillo), Group::Manzanillo)
            | (Post::In(HoldingBox::Guantanamo), Group::Guantanamo) => {}
            (_, Group::Manzanillo) => {
                bars.push((*post, *unit, bar("5.1a", format!("{unit} starts in the Manzanillo box"))))
            }
            (_, Group::Guantanamo) => {
                bars.push((*post, *unit, bar("5.1b", format!("{unit} starts in the Guantanamo box"))))
            }
            (Post::In(_), _) => bars.push((*post, *unit, bar("5.1d", format!("{unit} is deployed on the map")))),
            (Post::At(hex), group) => {
                if group == Group::Fortress && counter.default_hex != Some(*hex) {
                    let home = counter.default_hex.map(|hex| hex.to_string()).unwrap_or_default();
                    bars.push((*post, *unit, bar("2.12d", format!("{unit} is the garrison of {home}"))));
                }
                if let Some(bar) = bars_set_up(data, *hex).filter(|_| group != Group::Fortress) {
                    bars.push((*post, *unit, bar));
                }
                stacks.entry(*hex).or_default().push(counter);
            }
        }
    }
    for (hex, mut stack) in stacks {
        // The garrison is there in any case; of the others the first without room is one too many.
        stack.sort_by_key(|counter| counter.kind != Arm::Garrison);
        let mut arms = Vec::new();
        let over = stack.iter().find(|counter| {
            arms.push(counter.kind);
            !Room::of(data.land(hex)).holds(&arms)
        });
        if let Some(counter) = over {
            let second = arms.iter().filter(|arm| **arm == Arm::Artillery).count() > 1;
            let clause = match (data.land(hex), second) {
                (Land::Jungle, _) => "9.2b",
                (_, true) => "9.2e",
                (_, false) => "9.2a",
            };
            let garrison = stack.iter().any(|counter| counter.kind == Arm::Garrison);
            let with = if garrison { "with its garrison " } else { "" };
            let bar = bar(clause, format!("{with}{} do not fit into {hex}", count_of(stack.len(), "unit")));
            bars.push((Post::At(hex), counter.id(), bar));
        }
    }
    for (unit, times) in seen.iter().filter(|(_, times)| **times > 1) {
        let post =
            posts.iter().find(|(_, other)| other == unit).map_or(Post::In(HoldingBox::Manzanillo), |(post, _)| *post);
        bars.push((post, *unit, bar("2.2a", format!("{unit} is placed {times} times"))));
    }
    bars
}

impl SpanishSetup {
    /// Everything wrong with the set-up, each at the hex or unit it blames; nothing of what is sealed.
    fn bars(&self, data: &Data) -> Vec<Bar> {
        let open = |(post, unit): (Post, Concealed<UnitId>)| match unit {
            Concealed::Open(unit) => Some((post, unit)),
            Concealed::Sealed(_) => None,
        };
        let posts: Vec<(Post, UnitId)> = self.layout().posts.into_iter().filter_map(open).collect();
        let root = DocPath::root();
        let place = |(post, unit, bar): (Post, UnitId, Bar)| {
            let (list, at) = match post {
                Post::At(hex) => (self.deploy.get(&hex), root.key("deploy").key(&hex.to_string())),
                Post::In(HoldingBox::Manzanillo) => (Some(&self.manzanillo), root.key("manzanillo")),
                Post::In(HoldingBox::Guantanamo) => (Some(&self.guantanamo), root.key("guantanamo")),
            };
            // The hex where nobody may stand; otherwise the unit in it that is one too many or not to be there.
            let ground = matches!(bar.clause.0, "5.1e" | "5.1f" | "5.1h");
            let named = |other: &Concealed<UnitId>| matches!(other, Concealed::Open(id) if *id == unit);
            let index = list.and_then(|list| list.iter().position(named)).filter(|_| !ground);
            bar.at(index.map_or_else(|| at.clone(), |index| at.index(index))).firm()
        };
        set_up_bars(data, &posts).into_iter().map(place).collect()
    }

    /// Who goes to a place the opponent can look up, garrisons apart.
    fn looked_up(&mut self, data: &Data) -> Option<Bar> {
        let garrison = |id: &UnitId| data.arm(*id) == Some(Arm::Garrison);
        let units: Vec<UnitId> = self.complete(data).into_iter().filter(|id| !garrison(id)).collect();
        let (go, place) = (verb(units.len(), "goes", "go"), verb(units.len(), "a place", "places"));
        let (units, names) = (count_of(units.len(), "unit"), list(&units));
        let why = format!("{units} {go} to {place} your opponent can look up: {names}");
        let remedy = "give every unit a hex, and the boxes an order, of your own";
        (!names.is_empty()).then(|| Bar::new("5.1d", why, remedy))
    }
}

impl Position<'_> {
    /// May a Cuban unit be deployed in this hex? (§5.2b, §5.2d, §23.1m)
    pub fn bars_cuban_set_up(&self, hex: Hex) -> Option<Bar> {
        let data = self.data();
        if data.land(hex) != Land::Jungle {
            return Some(bar("5.2b", format!("{hex} is no jungle hex")));
        }
        if self.state.tokens_in(hex).next().is_some() {
            return Some(bar("5.2d", format!("a Spanish unit is in {hex}")));
        }
        if self.is_closed(hex) {
            return Some(bar("23.1m", format!("{hex} is closed until all Spanish reinforcements have entered there")));
        }
        if !self.cubans_in(hex).is_empty() {
            return Some(bar("5.2c", format!("another Cuban unit is in {hex}")));
        }
        None
    }

    /// The zone of a hex.
    pub fn zone(&self, hex: Hex) -> u8 {
        self.data().map.ground(hex).map_or(0, |ground| ground.zone)
    }

    /// Places for Cuban units left out of the file, by the rule for silent players (§5.2, A51).
    pub fn place_cubans(&self, wished: &BTreeMap<UnitId, Hex>) -> (BTreeMap<UnitId, Hex>, Vec<Bar>) {
        let data = self.data();
        let grid = data.grid();
        let mut quota = self.state.cuban_zones.unwrap_or([0; 4]);
        let mut places: BTreeMap<UnitId, Hex> = BTreeMap::new();
        let mut bars = Vec::new();
        for (id, hex) in wished {
            let zone = self.zone(*hex);
            let left = usize::from(zone).checked_sub(1).and_then(|zone| quota.get_mut(zone));
            let barred = if self.nation(*id) != Some(Nation::Cuban) {
                Some(bar("5.2a", format!("{id} is no Cuban unit")))
            } else if let Some(bar) = self.bars_cuban_set_up(*hex) {
                Some(bar)
            } else if places.values().any(|other| other == hex) {
                Some(bar("5.2c", format!("another Cuban unit goes to {hex}")))
            } else if let Some(left) = left.filter(|left| **left > 0) {
                *left -= 1;
                places.insert(*id, *hex);
                None
            } else {
                let allotted = self.state.cuban_zones.unwrap_or([0; 4]).get(usize::from(zone).wrapping_sub(1)).copied();
                let why =
                    format!("{id} is one too many for zone {zone}, the chart allots it {}", allotted.unwrap_or(0));
                Some(bar("5.2a", why))
            };
            bars.extend(barred.map(|bar| bar.at(DocPath::root().key("place").key(id.as_str())).firm()));
        }
        let santiago = data.city.iter().copied().min_by_key(|hex| (*hex != Hex::printed(2314), *hex));
        let spanish: BTreeSet<Hex> = self.stacks().into_keys().collect();
        let units: Vec<UnitId> = data.group(Group::Zones).map(super::data::Counter::id).collect();
        let mut waiting = units.into_iter().filter(|id| !places.contains_key(id)).collect::<Vec<_>>().into_iter();
        let zones: Vec<usize> =
            quota.iter().enumerate().flat_map(|(zone, left)| std::iter::repeat_n(zone + 1, *left as usize)).collect();
        let open: Vec<Hex> = grid.cells().filter(|hex| self.bars_cuban_set_up(*hex).is_none()).collect();
        for zone in zones {
            let Some(id) = waiting.next() else { break };
            let taken: BTreeSet<Hex> = places.values().copied().collect();
            let beside = |hex: Hex| data.around(hex).any(|next| spanish.contains(&next) || taken.contains(&next));
            let free = |hex: &Hex| !taken.contains(hex);
            let off = |hex: Hex| usize::from(self.zone(hex)).abs_diff(zone);
            let distance = |hex: Hex| santiago.map_or(0, |city| grid.distance(city, hex));
            let best =
                open.iter().copied().filter(free).min_by_key(|hex| (off(*hex), beside(*hex), distance(*hex), *hex));
            if let Some(hex) = best {
                places.insert(id, hex);
            }
        }
        (places, bars)
    }
}

impl Play<'_, '_> {
    /// S1 and S2: the Spanish army takes its places (§5.1).
    pub fn spanish_setup(&mut self, orders: &mut SpanishSetup) -> Ruling<()> {
        self.begin_phase("spain", "setup", PhaseName::SpanishSetup);
        let data = self.data();
        let sealed = |(_, unit): &(Post, Concealed<UnitId>)| matches!(unit, Concealed::Sealed(_));
        if !orders.layout().posts.iter().any(sealed) {
            orders.deploy.retain(|_, units| !units.is_empty());
            // The set-up is one deed: with any fault the whole lapses, and everybody goes to his default place.
            self.entry(DocPath::root(), |play| {
                if let Some(bar) = orders.looked_up(data) {
                    play.umpire.mind(bar);
                }
                let bars = orders.bars(data);
                if !bars.is_empty() && !play.umpire.foresees() {
                    *orders = SpanishSetup::by_default(data);
                }
                play.lapse("the Spanish set-up", bars, &[]);
            });
            self.umpire.decided()?;
        }
        let layout = orders.layout();
        let mut counters = Roster::default();
        for (number, (post, unit)) in (1..).zip(&layout.posts) {
            let token = Token::numbered(number);
            let slot = Slot::parse(token.as_str()).map_err(|error| Halt::Bug(error.to_string()))?;
            let sealed = self.umpire.keep(SPAIN, slot, unit)?;
            counters.insert(token, TokenState { at: *post, face: Face::Down(sealed) });
        }
        self.state.counters = counters;
        // The public part: number of counters, hexes and room; the rest is vouched for.
        let mut hexes: BTreeMap<Hex, u32> = BTreeMap::new();
        for hex in self.state.counters.values().filter_map(|counter| counter.at.hex()) {
            *hexes.entry(hex).or_default() += 1;
        }
        let everyone: Vec<Token> = self.state.counters.keys().copied().collect();
        let posts: BTreeMap<Token, Post> = self.state.counters.iter().map(|(token, c)| (*token, c.at)).collect();
        let roster = data.counters.values().filter(|counter| counter.nation == Nation::Spanish).count();
        self.attest(&everyone, "5.1d", |units| {
            let placed: Vec<(Post, UnitId)> =
                units.iter().filter_map(|(token, unit)| Some((*posts.get(token)?, *unit))).collect();
            placed.len() == roster && set_up_bars(data, &placed).is_empty()
        })?;
        let held = |which| u32::try_from(self.state.tokens_held(which).count()).unwrap_or(u32::MAX);
        let (manzanillo, guantanamo) = (held(HoldingBox::Manzanillo), held(HoldingBox::Guantanamo));
        self.umpire.note(Event::SpanishDeployed { hexes, manzanillo, guantanamo });
        for which in &orders.face_up {
            let tokens: Vec<Token> = self.state.tokens_held(*which).collect();
            let units = self.show(&tokens)?;
            self.umpire.note(Event::BoxShown { which: *which, units });
        }
        if self.game.options.face_up {
            let units = self.show(&everyone)?;
            self.umpire.note(Event::AllShown { units });
        }
        Ok(())
    }

    /// Turns counters face-up for good.
    fn show(&mut self, tokens: &[Token]) -> Ruling<BTreeMap<Token, UnitId>> {
        let units = self.reveal(tokens)?;
        for (token, unit) in &units {
            if let Some(counter) = self.state.counters.get_mut(token) {
                counter.face = Face::Up(*unit);
            }
        }
        Ok(units)
    }

    /// S3: the roll on the Cuban chart (§5.2a).
    pub fn cuban_roll(&mut self) -> Ruling<()> {
        let die = self.d6("cubans", "deployment")?;
        let zones = self.data().tables.cuban_deployment.rows.at(die.into()).copied().unwrap_or([0; 4]);
        self.state.cuban_zones = Some(zones);
        self.umpire.note(Event::CubanRoll { die, zones });
        Ok(())
    }

    /// S4 to S6: Cubans, Marines, the pool, the first landing site (§5.2 to §5.4).
    pub fn us_setup(&mut self, orders: &mut UsSetup) -> Ruling<()> {
        self.begin_phase("us", "setup", PhaseName::UsSetup);
        let (places, bars) = self.now().place_cubans(&orders.place);
        self.entry(DocPath::root(), |play| {
            for bar in bars {
                play.lapse("a Cuban unit's place", vec![bar], &[]);
            }
        });
        orders.place = places.clone();
        self.umpire.decided()?;
        for (id, hex) in &places {
            if let Some(unit) = self.state.units.get_mut(id) {
                unit.at = Place::At(*hex);
            }
            self.state.us_passed.insert(*hex);
        }
        self.state.cuban_zones = None;
        self.umpire.note(Event::CubansDeployed { places });
        let sent = orders.marines != Some(Marines::Pool);
        self.state.marines_sent = sent;
        let marines: Vec<UnitId> =
            self.data().counters.values().filter(|c| c.has(Flag::Marine)).map(super::data::Counter::id).collect();
        for id in marines.into_iter().filter(|_| sent) {
            if let Some(unit) = self.state.units.get_mut(&id) {
                unit.at = Place::Guantanamo;
            }
        }
        self.umpire.note(Event::Marines { sent });
        let die = self.d6("site", "first-landing")?;
        let site = self.data().tables.landing_sites.first.get(&die).copied();
        self.umpire.note(Event::SiteRolled { die: Cast::of(&[die]), modified: die, roll: SiteRoll::First, site });
        if let Some(hex) = site {
            self.place_source(hex, 1, MarkerEvent::FirstLanding);
        }
        Ok(())
    }
}
