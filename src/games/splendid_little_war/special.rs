//! Special units (§15): the balloon, Engineers, and Cubans who fire and retire.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Deed, Ever, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::data::Water;
use super::events::{Event, FireKind};
use super::gunnery::{Gunnery, Volley};
use super::losses::frozen;
use super::orders::{Balloon, DefenceOrders, FireOrder, Spot};
use super::play::{Play, subjects};
use super::policy::{DEFENSIVE_FIRE, DefencePolicy, FIRE_AND_RETIRE, OCCUPY, Policy, VariableFire};
use super::position::{self, Position};
use super::state::Place;
use super::terms::{Arm, Cause, Chief, Crossing, Force, Piece, Terrain, d10};
use super::{SPAIN, US};

/// A result that is either good or bad for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Luck(bool, [&'static str; 2]);

impl fmt::Display for Luck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.1[usize::from(self.0)])
    }
}

impl Position<'_> {
    /// The hexes a Cuban counter may retire to (§15.6n, AMB-33), the one farthest from the Spaniards first (D9).
    pub fn retire_hexes(&self, piece: Piece) -> Vec<Hex> {
        let data = self.data();
        let Some(from) = self.state.hex_of(piece) else { return Vec::new() };
        let open = |hex: &Hex| {
            self.stack(*hex, SPAIN).is_empty()
                && !self.in_zone_of(*hex, SPAIN)
                && !self.mixed(*hex, &[piece])
                && (!self.is_combat(piece) || !self.too_full(*hex, US, &[piece]))
        };
        let all: Vec<Hex> = data.land_around(from).filter(open).collect();
        let crowd = self.crowd();
        let apart: Vec<Hex> = all.iter().copied().filter(|hex| self.may_stand_beside_us(&crowd, *hex)).collect();
        let mut hexes = if apart.is_empty() { all } else { apart };
        let foes: Vec<Hex> = self.on_map(SPAIN).filter(|(foe, _)| self.is_combat(*foe)).map(|(_, hex)| hex).collect();
        let far = |hex: Hex| foes.iter().map(|foe| data.distance(*foe, hex)).min().unwrap_or(u32::MAX);
        hexes.sort_by_key(|hex| (std::cmp::Reverse(far(*hex)), *hex));
        hexes
    }

    /// Cuban units that may try to fire and retire, and whether an assault threatens them (§15.6n).
    pub fn may_retire(&self) -> Vec<(Piece, bool)> {
        let cuban = |piece: &Piece| self.unit(*piece).is_some_and(|u| u.force == Force::Cuban && u.is_combat());
        if !self.on_map(US).any(|(piece, _)| cuban(&piece)) {
            return Vec::new();
        }
        let none = BTreeMap::new();
        let spanish = Gunnery::new(*self, SPAIN, FireKind::Offensive, &none);
        let engaged = self.state.units.keys().copied().filter(|piece| self.front_of(*piece).is_some());
        let foes: Vec<Piece> = self.on_map(SPAIN).map(|(piece, _)| piece).chain(engaged).collect();
        let near = |hex: Hex| foes.iter().any(|foe| spanish.reaches(*foe, hex));
        let assaulted: BTreeSet<Hex> = self.state.units.values().filter_map(|unit| unit.assaults).collect();
        self.on_map(US)
            .filter(|(piece, hex)| cuban(piece) && near(*hex))
            .map(|(piece, hex)| (piece, assaulted.contains(&hex)))
            .collect()
    }

    /// Why an Engineer cannot begin a bridge (§15.4a to §15.4c, §15.4j).
    pub fn bars_bridging(&self, unit: Piece, across: Hex) -> Vec<Bar> {
        let about = |bar: Bar| bar.about([Subject::of(unit)]);
        if self.side(unit) != Some(US) || self.arm(unit) != Some(Arm::Engineer) {
            return vec![Bar::new("15.4a", format!("{unit} is no Engineer"), "name an Engineer unit").firm()];
        }
        let state = self.now(unit);
        let Some(hex) = state.at.hex() else {
            return vec![about(Bar::new("15.4c", format!("{unit} is not on the map"), "wait until it is"))];
        };
        let mut bars = Vec::new();
        if state.bridged {
            bars.push(Bar::new("15.4b", format!("{unit} has built its bridge"), "each Engineer builds one").firm());
        }
        if state.broken {
            bars.push(about(Bar::new("15.4c", format!("{unit} is Broken"), "only Normal Engineers build")));
        }
        if self.must_leave(unit) {
            let why = format!("{unit} is Out of Command in an enemy zone of control, which it leaves");
            bars.push(about(Bar::new("11.0ah", why, "build out of the enemy's reach")));
        }
        if state.entered {
            let why = format!("{unit} did not begin the turn in {hex}");
            bars.push(about(Bar::new("15.4c", why, "build next turn")));
        }
        let data = self.data();
        let at = Crossing::new(hex, across);
        if !data.touch(hex, across) {
            let bar = Bar::new("15.4c", format!("{across} is not beside {hex}"), "name the hex across the river");
            bars.push(about(bar));
        } else if data.crossing(hex, across) == Water::Dry {
            let bar =
                Bar::new("15.4a", format!("no river runs between {hex} and {across}"), "name the hex across a river");
            bars.push(bar.firm());
        } else if !data.road_between(hex, across) {
            let why = format!("no road crosses the river between {hex} and {across}");
            bars.push(Bar::new("15.4a", why, "a pontoon bridge needs a road, not a trail").firm());
        } else if data.crossing(hex, across) == Water::Bridge || self.state.pontoons.contains(&at) {
            bars.push(Bar::new("15.4a", format!("{at} is bridged already"), "build elsewhere"));
        } else if self.state.units.iter().any(|(other, state)| *other != unit && state.bridging == Some(at)) {
            bars.push(Bar::new("15.4a", format!("{at} is being bridged already"), "build elsewhere").firm());
        }
        bars
    }

    /// Defensive Fire and Fire and Retire as they are if nobody says anything (D1, D9), written out.
    pub fn default_defence(&self, by: Side) -> DefenceOrders {
        let none = BTreeMap::new();
        let fire = Gunnery::new(*self, by, FireKind::Defensive, &none).standing_fire(&DefencePolicy::default());
        let mut retire = BTreeMap::new();
        if by == US {
            for (piece, threatened) in self.may_retire() {
                if let Some(hex) = self.retire_hexes(piece).first().filter(|_| threatened) {
                    retire.insert(piece, *hex);
                }
            }
            // Garcia with the first of his hex, or by himself.
            let garcia = self.data().chief(Chief::Garcia);
            let at = garcia.and_then(|garcia| self.state.hex_of(garcia));
            let first = retire.iter().find(|(piece, _)| at.is_some() && self.state.hex_of(**piece) == at);
            if let Some((garcia, to)) = garcia.zip(first.map(|(_, to)| *to)) {
                retire.insert(garcia, to);
            }
        }
        DefenceOrders { fire: Some(fire), retire: (by == US).then_some(retire) }
    }
}

impl Play<'_, '_> {
    /// Defensive Fire (§13.1g to §13.1i), then Cubans who retire (§15.6c). What a packet is silent about goes by the standing
    /// orders.
    pub fn defensive_fire(&mut self, by: Side, orders: &DefenceOrders) -> Ruling<()> {
        self.fired.clear();
        match &orders.fire {
            Some(fire) => {
                let at = DocPath::root().key("fire");
                for (index, order) in fire.iter().enumerate() {
                    self.entry(at.index(index), |play| play.carry_fire(by, FireKind::Defensive, order))?;
                }
            }
            None => {
                for order in self.defence_of(by)? {
                    self.carry_fire(by, FireKind::Defensive, &order)?;
                }
            }
        }
        match &orders.retire {
            retire if by == US => self.fire_and_retire(retire.as_ref()),
            Some(retire) => self.refuse_retire(retire),
            None => Ok(()),
        }
    }

    fn refuse_retire(&mut self, retire: &BTreeMap<Piece, Hex>) -> Ruling<()> {
        for piece in retire.keys() {
            self.entry(DocPath::root().key("retire").key(piece.as_str()), |play| {
                let bar = Bar::new("15.6i", "only Cubans fire and retire", "leave it out").firm();
                play.lapse(format!("retreat of {piece}"), vec![bar]);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// What the standing order, or D1, makes of Defensive Fire.
    fn defence_of(&mut self, by: Side) -> Ruling<Vec<FireOrder>> {
        let state = self.state.clone();
        let none = BTreeMap::new();
        let gunnery = Gunnery::new(frozen(self.game, &state), by, FireKind::Defensive, &none);
        let default = gunnery.standing_fire(&DefencePolicy::default());
        let always = DefencePolicy { variable: Some(VariableFire::Always), ..DefencePolicy::default() };
        // Nobody has anything to fire at: nothing to ask.
        if default.is_empty() && gunnery.shots().next().is_none() {
            return Ok(Vec::new());
        }
        let targets: Vec<Hex> = default.iter().map(|order| order.target).collect();
        let legal = |orders: &Vec<FireOrder>| {
            let mut named: BTreeSet<Piece> = BTreeSet::new();
            let once = orders.iter().flat_map(|order| &order.units).all(|piece| named.insert(*piece));
            once && orders.iter().all(|order| Volley::plan(&gunnery, order).is_ok())
        };
        let question = Question {
            who: by,
            kind: DEFENSIVE_FIRE,
            about: Subject::of(by.0),
            clause: Clause("13.1g"),
            text: "Defensive Fire: who fires at what?".to_owned(),
            options: vec![default.clone(), Vec::new()],
            default,
            also: Some(Box::new(legal)),
        };
        // Whoever could be fired at may be otherwise than the attacker foresaw, also if the fire is held.
        let hit = |hex: &Hex| gunnery.now.exposed(*hex, position::enemy(by)).into_iter().map(Subject::of);
        let doubtful: Vec<Subject> = targets.iter().flat_map(|hex| hit(hex).chain([Subject::of(hex)])).collect();
        let chosen = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Vec::new()),
            Policy::Ever(Ever::Always) => Say::Choose(gunnery.standing_fire(&always)),
            Policy::Defence(policy) => Say::Choose(gunnery.standing_fire(policy)),
            _ => Say::Default,
        })?;
        self.umpire.cloud(doubtful, &crate::engine::Cloud::Choice(DEFENSIVE_FIRE));
        Ok(chosen)
    }

    /// §15.6c to §15.6h: every Cuban unit that wants to tries, then those who may go do.
    fn fire_and_retire(&mut self, orders: Option<&BTreeMap<Piece, Hex>>) -> Ruling<()> {
        let able = self.now().may_retire();
        let mut tries: Vec<(Piece, Hex)> = Vec::new();
        match orders {
            Some(orders) => {
                for (piece, hex) in orders {
                    self.entry(DocPath::root().key("retire").key(piece.as_str()), |play| {
                        let mut bars = play.bars_retiring(*piece, *hex, &able);
                        bars.extend(play.bar_alone(*piece, &tries));
                        match bars.is_empty() {
                            true => tries.push((*piece, *hex)),
                            false => play.lapse(format!("retreat of {piece}"), bars),
                        }
                        Ok(())
                    })?;
                }
            }
            None => {
                for (piece, threatened) in &able {
                    if let Some(hex) = self.wants_to_retire(*piece, *threatened)? {
                        tries.push((*piece, hex));
                    }
                }
            }
        }
        let garcia = self.data().chief(Chief::Garcia).filter(|piece| self.state.hex_of(*piece).is_some());
        let leader = garcia.and_then(|garcia| Some((garcia, self.state.hex_of(garcia)?)));
        let units: Vec<(Piece, Hex)> =
            tries.iter().copied().filter(|(piece, _)| self.now().is_combat(*piece)).collect();
        let mut going: Vec<(Piece, Hex, Hex)> = Vec::new();
        let mut tried: BTreeSet<Hex> = BTreeSet::new();
        let mut failed: BTreeSet<Hex> = BTreeSet::new();
        for (piece, to) in units {
            let Some(from) = self.state.hex_of(piece) else { continue };
            tried.insert(from);
            match self.retire_roll(piece, from, leader.is_some_and(|(_, at)| at == from))? {
                true => going.push((piece, from, to)),
                false => {
                    failed.insert(from);
                }
            }
        }
        let mut left: BTreeSet<Hex> = BTreeSet::new();
        let mut went: Vec<(Hex, Hex)> = Vec::new();
        for (piece, from, to) in going {
            // Others who got away may have filled the hex it was to go to.
            let hexes = self.now().retire_hexes(piece);
            if orders.is_some() && !hexes.contains(&to) {
                let bar = Bar::new("15.6n", format!("{piece} finds no room in {to}"), "let fewer units go there");
                let bar = bar.about([Subject::of(piece), Subject::of(to)]);
                self.entry(DocPath::root().key("retire").key(piece.as_str()), |play| {
                    play.lapse(format!("retreat of {piece} to {to}"), vec![bar]);
                    Ok(())
                })?;
            }
            let Some(to) = Some(to).filter(|to| hexes.contains(to)).or(hexes.first().copied()) else { continue };
            self.leave(piece, to);
            self.umpire.note(Event::Retired { unit: piece, from, to });
            self.arrived(US, &[piece], to)?;
            left.insert(from);
            went.push((from, to));
        }
        if let Some((garcia, at)) = leader.filter(|(_, at)| tried.contains(at)) {
            let named = orders.map(|orders| orders.get(&garcia).copied());
            self.garcia_retires(garcia, at, &went, failed.contains(&at), named)?;
        }
        for hex in left {
            if !self.now().held_by(hex, US) {
                self.occupy(hex)?;
            }
        }
        Ok(())
    }

    /// §15.6f: Garcia slips away where a unit of his has tried to.
    fn bar_alone(&self, garcia: Piece, tries: &[(Piece, Hex)]) -> Option<Bar> {
        let now = self.now();
        let at = now.state.hex_of(garcia).filter(|_| now.is_leader(garcia))?;
        let units = now.fighters(at, US);
        let tried = tries.iter().any(|(piece, _)| units.contains(piece));
        let shot = self.fired.values().map(|aim| Subject::of(aim.at));
        let bar = || {
            let bar = Bar::new("15.6f", format!("no unit with {garcia} tries to retire"), "name a unit of his hex too");
            bar.about(subjects(&units).into_iter().chain(shot).chain([Subject::of(garcia)]))
        };
        (!tried).then(bar)
    }

    fn bars_retiring(&self, piece: Piece, hex: Hex, able: &[(Piece, bool)]) -> Vec<Bar> {
        let now = self.now();
        let cuban = now.unit(piece).is_some_and(|unit| unit.force == Force::Cuban);
        if !cuban {
            return vec![Bar::new("15.6i", format!("{piece} is no Cuban"), "only Cubans fire and retire").firm()];
        }
        // Whom it would have fled from may just have been shot.
        let shot = self.fired.values().map(|aim| Subject::of(aim.at));
        let doubtful: Vec<Subject> = shot.chain([Subject::of(piece)]).collect();
        let about = |bar: Bar| bar.about(doubtful.iter().cloned());
        let mut bars = Vec::new();
        let at = now.state.hex_of(piece);
        let beside = able.iter().any(|(other, _)| now.state.hex_of(*other) == at);
        if now.is_combat(piece) && !able.iter().any(|(other, _)| *other == piece) || at.is_none() || !beside {
            let why = format!("no Spanish unit is beside {piece} or could fire at it");
            bars.push(about(Bar::new("15.6n", why, "it stays where it is")));
        }
        if at.is_some() && !now.retire_hexes(piece).contains(&hex) {
            let hexes: Vec<String> = now.retire_hexes(piece).iter().map(Hex::to_string).collect();
            let remedy = match hexes.is_empty() {
                true => "there is no hex to retire to".to_owned(),
                false => format!("choose {}", hexes.join(" or ")),
            };
            bars.push(about(Bar::new("15.6n", format!("{piece} cannot retire to {hex}"), remedy)));
        }
        bars
    }

    /// D9: does a Cuban unit try, and where does it want to go?
    fn wants_to_retire(&mut self, piece: Piece, threatened: bool) -> Ruling<Option<Hex>> {
        let hexes = self.now().retire_hexes(piece);
        let Some(best) = hexes.first().copied() else { return Ok(None) };
        let at = self.state.hex_of(piece);
        let options: Vec<Spot> = [Spot(None)].into_iter().chain(hexes.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: US,
            kind: FIRE_AND_RETIRE,
            about: Subject::of(piece),
            clause: Clause("15.6c"),
            text: format!(
                "{piece}{}: does it try to retire, and where to?",
                at.map_or(String::new(), |hex| format!(" in {hex}"))
            ),
            options,
            default: Spot(threatened.then_some(best)),
            also: None,
        };
        let said = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Ever(Ever::Always) => Say::Choose(Spot(Some(best))),
            Policy::Retire(policy) => {
                let chosen = policy.units.is_empty() || policy.units.contains(&piece);
                let to = policy.to.iter().copied().find(|hex| hexes.contains(hex)).unwrap_or(best);
                Say::Choose(Spot((chosen && (threatened || policy.always)).then_some(to)))
            }
            _ => Say::Default,
        })?;
        Ok(said.0)
    }

    /// §15.6c to §15.6e.
    fn retire_roll(&mut self, unit: Piece, at: Hex, with_garcia: bool) -> Ruling<bool> {
        let table = self.data().tables.retire;
        let mut modifiers = Tally::new();
        if with_garcia {
            modifiers.add("with Garcia", table.garcia, Clause("15.6d"));
        }
        if self.data().is(at, Terrain::Jungle) {
            modifiers.add("in jungle", table.jungle, Clause("15.6e"));
        }
        let drm = modifiers.total();
        let read = |die: i32| Luck(die + drm <= table.goes[1], ["stays", "retires"]);
        let thrown = self.d10(US, unit, "retire", read, Touch::on([Subject::of(unit), Subject::of(at)]))?;
        let (modified, retires) = (d10(thrown.cast.face()) + drm, thrown.result.0);
        self.umpire.note(Event::RetireRoll { unit, at, die: thrown.cast, modifiers, modified, retires });
        Ok(retires)
    }

    /// §15.6f: Garcia goes with a unit that retires, or slips away by himself where one has failed or found no room. `named`:
    /// what a packet says of him.
    fn garcia_retires(
        &mut self,
        garcia: Piece,
        at: Hex,
        went: &[(Hex, Hex)],
        failed: bool,
        named: Option<Option<Hex>>,
    ) -> Ruling<()> {
        let with: Vec<Hex> = went.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to).collect();
        let mut hexes = self.now().retire_hexes(garcia);
        hexes.retain(|hex| !with.contains(hex) && (failed || with.is_empty()));
        let all: Vec<Hex> = with.iter().copied().chain(hexes).collect();
        let Some(first) = all.first().copied() else { return Ok(()) };
        let options: Vec<Spot> = [Spot(None)].into_iter().chain(all.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: US,
            kind: FIRE_AND_RETIRE,
            about: Subject::of(garcia),
            clause: Clause("15.6f"),
            text: format!("Garcia in {at}: does he go, and where to?"),
            options,
            default: Spot(Some(first)),
            also: None,
        };
        let elsewhere = named.flatten().filter(|hex| !all.contains(hex));
        if let Some(hex) = elsewhere {
            self.entry(DocPath::root().key("retire").key(garcia.as_str()), |play| {
                let why = format!("{garcia} does not go to {hex}: his men have gone elsewhere");
                let bar = Bar::new("15.6f", why, "he slips away by himself only where a unit fails");
                play.lapse(
                    format!("retreat of {garcia}"),
                    vec![
                        bar.about(subjects(play.now().fighters(at, US))).about([Subject::of(garcia), Subject::of(at)]),
                    ],
                );
                Ok(())
            })?;
        }
        let ordered = named.filter(|_| elsewhere.is_none()).map(Spot);
        let said = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Retire(policy) if !policy.units.is_empty() && !policy.units.contains(&garcia) => {
                Say::Choose(Spot(with.first().copied()))
            }
            Policy::Retire(policy) if with.is_empty() => {
                Say::Choose(Spot(policy.to.iter().copied().find(|hex| all.contains(hex)).or(Some(first))))
            }
            _ => Say::Default,
        })?;
        if let Some(to) = said.0 {
            self.lead_away(garcia, at, vec![to], FIRE_AND_RETIRE);
        }
        Ok(())
    }

    /// §15.6g, §15.6o, §9.0h: Spaniards move into a hex Cubans have left.
    fn occupy(&mut self, hex: Hex) -> Ruling<()> {
        let state = self.state.clone();
        let now = frozen(self.game, &state);
        let beside = |piece: Piece| match now.now(piece).at {
            Place::At(at) => Some(at).filter(|at| now.data().touch(*at, hex)),
            Place::Edge => now.edge_front(piece).filter(|entry| *entry == hex),
            _ => None,
        };
        let able = |piece: &Piece| {
            let unit = now.unit(*piece);
            unit.is_some_and(|unit| unit.force == Force::Spanish && unit.is_combat())
                && !now.now(*piece).broken
                && now.may_follow(*piece, hex)
        };
        let near: Vec<(Piece, Hex)> =
            state.units.keys().copied().filter(able).filter_map(|piece| Some((piece, beside(piece)?))).collect();
        let marked: Vec<Piece> =
            near.iter().map(|(piece, _)| *piece).filter(|piece| now.now(*piece).assaults == Some(hex)).collect();
        let worth = |piece: &Piece| now.unit(*piece).map_or(0, |unit| unit.worth());
        let fill = |wished: &[Piece]| {
            let mut order = wished.to_vec();
            order.sort_by_key(|piece| (std::cmp::Reverse(worth(piece)), *piece));
            let mut going: Vec<Piece> = Vec::new();
            for piece in order {
                let mut more = going.clone();
                more.push(piece);
                if !now.too_full(hex, SPAIN, &more) {
                    going = more;
                }
            }
            going.sort_unstable();
            going
        };
        let stacks: BTreeMap<Hex, Vec<Piece>> = near.iter().fold(BTreeMap::new(), |mut stacks, (piece, at)| {
            stacks.entry(*at).or_insert_with(Vec::new).push(*piece);
            stacks
        });
        let groups: Vec<Vec<Piece>> =
            if marked.is_empty() { stacks.into_values().collect() } else { vec![marked.clone()] };
        if groups.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let default = fill(&marked);
        let mut options = vec![default.clone(), Vec::new()];
        options.extend(groups.iter().map(|group| fill(group)));
        options.dedup();
        let legal = |going: &Vec<Piece>| {
            let distinct: BTreeSet<&Piece> = going.iter().collect();
            let one = groups.iter().any(|group| going.iter().all(|piece| group.contains(piece)));
            distinct.len() == going.len() && one && !now.too_full(hex, SPAIN, going)
        };
        let question = Question {
            who: SPAIN,
            kind: OCCUPY,
            about: Subject::of(hex),
            clause: Clause("15.6g"),
            text: format!("Cubans have left {hex}: who moves in?"),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        let going = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Vec::new()),
            Policy::Ever(Ever::Always) => Say::Choose(groups.first().map(|group| fill(group)).unwrap_or_default()),
            Policy::Pieces(named) => {
                let of = |group: &&Vec<Piece>| group.iter().any(|piece| named.contains(piece));
                let group = groups.iter().find(of).cloned().unwrap_or_default();
                Say::Choose(fill(&group.into_iter().filter(|piece| named.contains(piece)).collect::<Vec<_>>()))
            }
            _ => Say::Default,
        })?;
        if going.is_empty() {
            return Ok(());
        }
        let units = self.go_together(SPAIN, hex, &going, &[])?;
        self.umpire.cloud(super::play::subjects(&units), &crate::engine::Cloud::Choice(OCCUPY));
        self.umpire.note(Event::Occupied { units: units.clone(), into: hex });
        self.arrived(SPAIN, &units, hex)
    }

    /// The balloon in the US Movement Phase (§15.1c to §15.1g, §15.1r).
    pub fn balloon(&mut self, order: Option<Balloon>) -> Ruling<()> {
        let base = self.now().balloon();
        let poor = self.state.weather.is_poor();
        let mut fetched = false;
        if let Some((base, at)) = base.filter(|_| poor && self.state.balloon_up) {
            self.state.balloon_up = false;
            self.moved.insert(base);
            self.umpire.note(Event::BalloonSet { up: false, at, weather: true });
            fetched = true;
        }
        let Some(order) = order else { return Ok(()) };
        self.entry(DocPath::root().key("balloon"), |play| {
            let Some((base, at)) = base else {
                let bar = Bar::new("15.1a", "there is no balloon on the map", "leave `balloon` out").firm();
                play.lapse("balloon", vec![bar]);
                return Ok(());
            };
            let up = play.state.balloon_up;
            let bar = match order {
                Balloon::Up if poor => {
                    Some(Bar::new("15.1c", "the weather is Poor", "the balloon goes up in Good weather only").firm())
                }
                Balloon::Up if up => Some(Bar::new("15.1d", "the balloon is up already", "leave `balloon` out").firm()),
                Balloon::Down if !up && !fetched => {
                    Some(Bar::new("15.1f", "the balloon is not up", "leave `balloon` out").firm())
                }
                _ => None,
            };
            match bar {
                Some(bar) => play.lapse("balloon", vec![bar]),
                None if fetched => {}
                None => {
                    play.state.balloon_up = order == Balloon::Up;
                    play.moved.insert(base);
                    play.umpire.note(Event::BalloonSet { up: order == Balloon::Up, at, weather: false });
                }
            }
            Ok(())
        })
    }

    /// Engineers begin their bridges (§15.4c).
    pub fn begin_pontoons(&mut self, orders: &BTreeMap<Piece, Hex>) {
        for (unit, across) in orders {
            let before = self.umpire.take_in_hand(DocPath::root().key("pontoon").key(unit.as_str()));
            let mut bars = self.now().bars_bridging(*unit, *across);
            if self.moved.contains(unit) {
                bars.push(Bar::new("15.4j", format!("{unit} is busy this turn"), "build next turn").firm());
            }
            match self.state.hex_of(*unit).filter(|_| bars.is_empty()) {
                Some(hex) => {
                    let at = Crossing::new(hex, *across);
                    self.change(*unit, |unit| unit.bridging = Some(at));
                    self.moved.insert(*unit);
                    self.umpire.note(Event::PontoonBegun { unit: *unit, at });
                }
                None => self.lapse(format!("bridge of {unit}"), bars),
            }
            self.umpire.put_down(before);
        }
    }

    /// End Phase: bridges are finished (§15.4d).
    pub fn complete_pontoons(&mut self) {
        let building: Vec<(Piece, Crossing, bool)> = self
            .state
            .units
            .iter()
            .filter_map(|(id, unit)| Some((*id, unit.bridging?, unit.at.hex().is_some() && !unit.broken)))
            .collect();
        for (unit, at, built) in building {
            if built {
                self.state.pontoons.insert(at);
            }
            self.change(unit, |unit| {
                unit.bridging = None;
                unit.bridged |= built;
            });
            self.umpire.note(Event::PontoonDone { unit, at, built });
        }
    }

    /// End Phase: was the balloon shot down (§15.1m, §15.1n)? The hexes fired on are forgotten then.
    pub fn balloon_check(&mut self) -> Ruling<()> {
        let fired_on = std::mem::take(&mut self.state.fired_on);
        let Some((base, at)) = self.now().balloon() else { return Ok(()) };
        let hexes: Vec<Hex> = fired_on.into_iter().filter(|hex| self.data().distance(*hex, at) <= 1).collect();
        if hexes.is_empty() {
            return Ok(());
        }
        let drm = i32::try_from(hexes.len()).unwrap_or(7);
        let lost_from = self.data().tables.balloon.lost_from;
        let read = |die: i32| Luck(die + drm < lost_from, ["lost", "safe"]);
        let thrown = self.d10(US, base, "balloon", read, Touch::on([Subject::of(base)]))?;
        let (modified, lost) = (d10(thrown.cast.face()) + drm, !thrown.result.0);
        self.umpire.note(Event::BalloonRoll { at, hexes, die: thrown.cast, modified, lost });
        if lost {
            self.bury(base, Cause::Balloon);
            self.umpire.note(Event::BalloonLost { at, clause: Clause("15.1n") });
        }
        Ok(())
    }
}
