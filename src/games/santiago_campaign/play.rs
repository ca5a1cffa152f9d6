//! The table while a packet is carried out, and the position as somebody sees it.
//!
//! A [`Position`] answers everything that can be asked of the public state and of what one player knows besides; it
//! serves the check, the template and the random player. [`Play`] carries orders out and asks the umpire for what the
//! public state does not say.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::board::{Grid, Hex};
use crate::engine::dice::Die;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{
    Bar, Cast, Cloud, Halt, Holdings, Json, Phase, Ruling, Sealed, Seen, Side, Stop, Subject, Touch, Umpire, hoping,
    list,
};

use super::bars::bar;
use super::data::{Counter, Data};
use super::events::{Cause, Event, PhaseName};
use super::stacking::Room;
use super::state::{Ending, Face, Place, Post, Stage, State};
use super::supply::SupplyMaps;
use super::terms::{Arm, CombatResult, Group, HoldingBox, Nation, Piece, Token, UnitId};
use super::{SPAIN, SantiagoCampaign, US};

/// Whether a single face-down counter can be a battery: what that decides rests on this.
pub const BATTERIES: &str = "batteries";

/// What somebody knows of the face-down counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(pub BTreeMap<Token, UnitId>);

impl Known {
    /// What the holder of these values knows.
    pub fn of(game: &SantiagoCampaign, state: &State, holdings: &Holdings) -> Known {
        let mut known = BTreeMap::new();
        for (token, counter) in state.counters.iter() {
            let Face::Down(sealed) = &counter.face else { continue };
            let Some(Json::Str(name)) = holdings.get(sealed.owner(), sealed.slot()) else { continue };
            // Ids are signed as they stand in the counter list; any other spelling goes through the lexicon.
            let unit = game.data.unit(name).or_else(|| {
                let mut reader = Reader::new(game);
                UnitId::read(&Node::text(name.as_str()), &DocPath::root(), &mut reader)
            });
            if let Some(unit) = unit {
                known.insert(*token, unit);
            }
        }
        Known(known)
    }
}

/// Yes, no, or only the Spanish player knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trit {
    /// No.
    No,
    /// Hidden.
    Maybe,
    /// Yes.
    Yes,
}

/// A position somebody looks at.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    /// The table.
    pub game: &'p SantiagoCampaign,
    /// The public state.
    pub state: &'p State,
    /// What the viewer knows besides.
    pub known: &'p Known,
}

impl<'p> Position<'p> {
    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// A unit's counter.
    pub fn counter(&self, id: UnitId) -> Option<&'p Counter> {
        self.data().counter(id)
    }

    /// What a unit is.
    pub fn arm(&self, id: UnitId) -> Option<Arm> {
        self.data().arm(id)
    }

    /// A unit's nationality.
    pub fn nation(&self, id: UnitId) -> Option<Nation> {
        self.counter(id).map(|counter| counter.nation)
    }

    /// The factor a unit shows now.
    pub fn factor(&self, id: UnitId) -> u32 {
        let steps = self.state.units.get(&id).map_or(1, |unit| unit.steps);
        self.counter(id).map_or(0, |counter| counter.factor_at(steps))
    }

    /// Which unit a Spanish counter is, if the viewer knows.
    pub fn identity(&self, token: Token) -> Option<UnitId> {
        match &self.state.counters.get(&token)?.face {
            Face::Up(unit) => Some(*unit),
            Face::Down(_) => self.known.0.get(&token).copied(),
        }
    }

    /// A piece as orders name it: a Spanish unit by its counter, if the viewer knows where it lies.
    pub fn named(&self, piece: Piece) -> Piece {
        let lies = |token: &&Token| self.identity(**token) == Some(piece.unit());
        let token = if piece.token().is_none() { self.state.counters.keys().find(lies) } else { None };
        token.map_or(piece, |token| Piece::from(*token))
    }

    /// What a Spanish counter is, if the viewer knows.
    pub fn token_arm(&self, token: Token) -> Option<Arm> {
        self.identity(token).and_then(|unit| self.arm(unit))
    }

    /// What a piece is, if the viewer knows.
    pub fn piece_arm(&self, piece: Piece) -> Option<Arm> {
        match piece.token() {
            Some(token) => self.token_arm(token),
            None => self.arm(piece.unit()),
        }
    }

    /// May a marker be placed in this hex? (§6.6a, §12.11)
    pub fn may_open(&self, hex: Hex) -> bool {
        self.data().is_beach(hex)
            && !self.state.sources.contains_key(&hex)
            && self.state.markers_used < self.data().tables.limits.supply_markers
    }

    /// American units in a hex.
    pub fn americans_in(&self, hex: Hex) -> Vec<UnitId> {
        self.state.units_in(hex).filter(|id| self.nation(*id) == Some(Nation::Us)).collect()
    }

    /// Cuban units in a hex.
    pub fn cubans_in(&self, hex: Hex) -> Vec<UnitId> {
        self.state.units_in(hex).filter(|id| self.nation(*id) == Some(Nation::Cuban)).collect()
    }

    /// The balloon, if it is on the map.
    pub fn balloon(&self) -> Option<(UnitId, Hex)> {
        let id = self.data().balloon?;
        self.state.hex_of(id).map(|hex| (id, hex))
    }

    /// Can a Spanish battery still be among the face-down counters?
    fn batteries_left(&self) -> bool {
        self.data().batteries.iter().any(|id| !self.state.dead.contains(id))
    }

    /// Is the garrison of this fortress alive? It never leaves it, so it is there (§2.12c).
    fn garrison_holds(&self, hex: Hex) -> bool {
        self.data().garrisons.iter().any(|(at, id)| *at == hex && !self.state.dead.contains(id))
    }

    /// Does the Spanish stack in a hex exert a zone of control? (§7.1a, §7.3a)
    ///
    /// Two counters or more always do, since a hex holds at most one battery (§9.2e); so does a held fortress (§22.4a).
    pub fn exerts(&self, hex: Hex) -> Trit {
        self.exerts_of(hex, &self.state.tokens_in(hex).collect::<Vec<_>>())
    }

    /// The same, with the counters of the hex at hand.
    pub fn exerts_of(&self, hex: Hex, tokens: &[Token]) -> Trit {
        match tokens {
            [] => Trit::No,
            [token] => match self.token_arm(*token) {
                Some(arm) if arm.exerts_zone() => Trit::Yes,
                Some(_) => Trit::No,
                None if self.data().is_fortress(hex) && self.garrison_holds(hex) => Trit::Yes,
                None if !self.batteries_left() => Trit::Yes,
                None => Trit::Maybe,
            },
            _ => Trit::Yes,
        }
    }

    /// Spanish stacks by hex.
    pub fn stacks(&self) -> BTreeMap<Hex, Vec<Token>> {
        let mut stacks: BTreeMap<Hex, Vec<Token>> = BTreeMap::new();
        for (token, counter) in self.state.counters.iter() {
            if let Post::At(hex) = counter.at {
                stacks.entry(hex).or_default().push(*token);
            }
        }
        stacks
    }

    /// Is the hex in a Spanish zone of control?
    pub fn spanish_zone(&self, hex: Hex) -> Trit {
        // Most hexes have no counter beside them: one look at all counters finds the few that matter.
        let grid = self.data().grid();
        let near: Vec<(Hex, Token)> = (self.state.counters.iter())
            .filter_map(|(token, counter)| Some((counter.at.hex()?, *token)))
            .filter(|(at, _)| grid.distance(hex, *at) == 1)
            .collect();
        let stack =
            |at: Hex| near.iter().filter(|(other, _)| *other == at).map(|(_, token)| *token).collect::<Vec<_>>();
        near.iter().map(|(at, _)| self.exerts_of(*at, &stack(*at))).max().unwrap_or(Trit::No)
    }

    /// Is the hex in a US zone of control? Cubans exert none (§7.2a).
    pub fn us_zone(&self, hex: Hex) -> bool {
        let exerts = |id: UnitId| self.arm(id).is_some_and(Arm::exerts_zone);
        self.data().around(hex).any(|next| self.state.units_in(next).any(exerts))
    }

    /// An entry hex still closed to US and Cuban units (§23.1f, §23.1m, §23.2c).
    pub fn is_closed(&self, hex: Hex) -> bool {
        let held = |which| self.state.tokens_held(which).next().is_some();
        (hex == self.data().guantanamo && held(HoldingBox::Guantanamo))
            || (hex == self.data().manzanillo && held(HoldingBox::Manzanillo))
    }

    /// §23.1f, §23.2c: why a US or Cuban unit may neither enter nor attack an entry hex.
    pub fn closed_bar(&self, hex: Hex) -> Option<Bar> {
        let clause = if hex == self.data().guantanamo { "23.1f" } else { "23.2c" };
        let why = || format!("{hex} is closed until all Spanish reinforcements have entered there");
        self.is_closed(hex).then(|| bar(clause, why()))
    }

    /// Room in a hex for an American unit, beside the others that are there (§9.2, §9.3).
    pub fn us_room(&self, hex: Hex, unit: UnitId) -> Room {
        let mut room = Room::of(self.data().land(hex));
        let others = self.americans_in(hex).into_iter().filter(|id| *id != unit);
        for arm in others.filter_map(|id| self.arm(id)) {
            room.take(arm);
        }
        room
    }

    /// Do the Spanish counters in a hex, as far as the viewer knows them, break the stacking limit?
    pub fn spanish_overstacked(&self, hex: Hex, tokens: &[Token]) -> bool {
        let room = Room::of(self.data().land(hex));
        let arms: Vec<Arm> = tokens.iter().filter_map(|token| self.token_arm(*token)).collect();
        u32::try_from(tokens.len()).unwrap_or(u32::MAX) > room.most() || !room.holds(&arms)
    }

    /// Is the hex last passed by the US side, and not held by the Spanish?
    pub fn us_holds_or_passed(&self, hex: Hex) -> bool {
        self.state.us_passed.contains(&hex) && self.state.tokens_in(hex).next().is_none()
    }

    /// A piece as a player would call it.
    pub fn say(&self, piece: Piece) -> String {
        match piece.token() {
            Some(token) => match self.identity(token) {
                Some(unit) => format!("{token} ({unit})"),
                None => token.to_string(),
            },
            None => piece.to_string(),
        }
    }

    /// The hex of a piece.
    pub fn hex_of(&self, piece: Piece) -> Option<Hex> {
        match piece.token() {
            Some(token) => self.state.post_of(token),
            None => self.state.hex_of(piece.unit()),
        }
    }

    /// The pieces a side has: units on the map, and Spanish counters there or in their boxes.
    pub fn pieces_of(&self, side: Side) -> Vec<Piece> {
        if side == US {
            let landed = self.state.units.iter().filter(|(_, unit)| unit.at.hex().is_some());
            landed.map(|(id, _)| Piece::from(*id)).collect()
        } else {
            self.state.counters.keys().copied().map(Piece::from).collect()
        }
    }

    /// The enemies of a side in a hex.
    pub fn enemies_in(&self, side: Side, hex: Hex) -> Vec<Piece> {
        if side == US {
            self.state.tokens_in(hex).map(Piece::from).collect()
        } else {
            self.state.units_in(hex).map(Piece::from).collect()
        }
    }

    /// The hexes in which a side has enemies.
    pub fn targets(&self, side: Side) -> BTreeSet<Hex> {
        self.pieces_of(opponent(side)).into_iter().filter_map(|piece| self.hex_of(piece)).collect()
    }

    /// Draw pool, by id (§5.3e).
    pub fn pool(&self) -> Vec<UnitId> {
        let waiting = |counter: &&Counter| self.state.unit(counter.id()).at == Place::OffMap;
        self.data().group(Group::Pool).filter(waiting).map(Counter::id).collect()
    }
}

/// What a die comes to, the better the higher, in words for the outlook.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prospect {
    /// How good it is.
    pub worth: u32,
    /// In words.
    pub says: String,
}

impl std::fmt::Display for Prospect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.says)
    }
}

/// The event of an order that lapsed.
pub fn lapsed(what: String, bar: &Bar) -> Event {
    Event::OrderLapsed { what, why: bar.why.clone(), clause: bar.clause }
}

/// Keeps a table open on which everything goes as a side hopes, by what it knows: template, random player and queries
/// carry out deed after deed on it.
pub fn at_table<T>(
    game: &SantiagoCampaign,
    seen: &Seen<'_, State>,
    side: Side,
    f: impl FnOnce(&mut Play<'_, '_>) -> T,
) -> T {
    hoping(game, seen, side, |state, umpire| f(&mut Play::new(game, state, umpire)))
}

/// What one side may judge its own orders by: its own hidden values, nothing of the other side's.
pub fn own_knowledge(game: &SantiagoCampaign, seen: &Seen<'_, State>, side: Side) -> Known {
    let may = seen.side.is_none() || seen.side == Some(side);
    if side == SPAIN && may { Known::of(game, seen.state, seen.holdings) } else { Known::default() }
}

/// A packet being carried out.
pub struct Play<'p, 'u> {
    /// The table.
    pub game: &'p SantiagoCampaign,
    /// The position, changing.
    pub state: &'p mut State,
    /// The umpire.
    pub umpire: &'p mut Umpire<'u, SantiagoCampaign>,
    /// What is known beforehand: in a check what its author holds, else nothing. The rest goes through the umpire.
    pub known: Known,
    /// Supply as far as can be told; dropped whenever a Spanish counter or a source changes.
    pub supply: Option<Rc<SupplyMaps>>,
    /// The same when the US Movement Phase began.
    pub at_first: Option<Rc<SupplyMaps>>,
    /// Whose march may be cut short in a hex that it is to pass.
    pub passing: BTreeMap<Hex, BTreeSet<Piece>>,
    /// Who has been in a battle this phase (§11.2a).
    pub fought: BTreeSet<Piece>,
    /// Who was ordered to attack in this phase without a condition.
    pub pledged: BTreeSet<Piece>,
    /// Who and where would be otherwise, had sealed attacks not waited in vain, as far as they can be read here.
    pub passed_over: BTreeSet<Subject>,
    /// What the attacks of this phase came to, by target (§11.1c).
    pub results: BTreeMap<Hex, CombatResult>,
}

impl<'p, 'u> Play<'p, 'u> {
    /// Sits down at the table.
    pub fn new(game: &'p SantiagoCampaign, state: &'p mut State, umpire: &'p mut Umpire<'u, SantiagoCampaign>) -> Self {
        let known = (state.counters.iter())
            .filter_map(|(token, counter)| match &counter.face {
                Face::Down(sealed) => Some((*token, umpire.eyes(sealed)?)),
                Face::Up(_) => None,
            })
            .collect();
        Play {
            game,
            state,
            umpire,
            known: Known(known),
            supply: None,
            at_first: None,
            passing: BTreeMap::new(),
            fought: BTreeSet::new(),
            pledged: BTreeSet::new(),
            passed_over: BTreeSet::new(),
            results: BTreeMap::new(),
        }
    }

    /// The position as it is now.
    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: self.state, known: &self.known }
    }

    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// Begins a phase.
    pub fn begin_phase(&mut self, side: &'static str, key: &'static str, name: PhaseName) {
        self.umpire.phase(Phase { turn: self.state.turn, side, name: key });
        self.umpire.note(Event::Phase { turn: self.state.turn, phase: name });
    }

    /// One die (§2.1) that a check hopes about: the outlook tells what it can come to.
    pub fn throw(
        &mut self,
        good_for: Side,
        about: impl std::fmt::Display,
        purpose: &str,
        read: impl Fn(u16) -> Prospect,
        on: impl IntoIterator<Item = Subject>,
    ) -> Ruling<Cast> {
        let read = |faces: &[u16]| read(faces.first().copied().unwrap_or(0));
        let thrown = self.umpire.throw(good_for, &Subject::of(about), purpose, &[Die::D6], read, Touch::on(on))?;
        Ok(thrown.cast)
    }

    /// One die after the last order of a packet.
    pub fn d6(&mut self, about: impl std::fmt::Display, purpose: &str) -> Ruling<u16> {
        self.umpire.roll_one(&Subject::of(about), purpose, Die::D6)
    }

    /// Carries out one entry of the packet: what is found wrong meanwhile is its fault.
    pub fn entry<T>(&mut self, place: DocPath, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.umpire.take_in_hand(place);
        let done = f(self);
        self.umpire.put_down(before);
        done
    }

    /// The order in hand lapses, with everything that bars it; what it would have touched is as uncertain as its bars.
    pub fn lapse(&mut self, what: impl Into<String>, bars: Vec<Bar>, touched: &[Subject]) {
        let what = what.into();
        let others: Vec<Event> = bars.iter().skip(1).map(|bar| lapsed(what.clone(), bar)).collect();
        self.forgo(bars, touched, |bars| lapsed(what, &bars[0]));
        if !self.umpire.foresees() {
            others.into_iter().for_each(|event| self.umpire.note(event));
        }
    }

    /// The same, told by another event.
    pub fn forgo(&mut self, bars: Vec<Bar>, touched: &[Subject], event: impl FnOnce(&[Bar]) -> Event) {
        self.umpire.forgo(bars, touched.to_vec(), event);
    }

    /// Pieces that change their place or strength by chance, and the hexes concerned, are uncertain from now on.
    pub fn unsettle(&mut self, pieces: &[Piece], hexes: &[Hex], why: &str) {
        let on = pieces.iter().map(Subject::of).chain(hexes.iter().map(Subject::of));
        self.umpire.cloud(on, &Cloud::Die(why.to_owned()));
    }

    /// Ends the game here and now (§3.3d).
    pub fn end_game<T>(&mut self, ending: Ending) -> Ruling<T> {
        self.state.ending = Some(ending);
        self.state.stage = Stage::Over;
        self.state.spared.clear();
        self.umpire.note(Event::GameOver { ending });
        Err(Halt::Stop(Stop::End))
    }

    /// The face-down counters among these, with their seals.
    pub fn seals(&self, tokens: &[Token]) -> Vec<Sealed<UnitId>> {
        let seal = |token: &Token| match &self.state.counters.get(token)?.face {
            Face::Down(sealed) => Some(sealed.clone()),
            Face::Up(_) => None,
        };
        tokens.iter().filter_map(seal).collect()
    }

    /// Everybody learns one fact about face-down counters.
    pub fn fact<F: crate::engine::Fact>(
        &mut self,
        tokens: &[Token],
        about: impl std::fmt::Display,
        what: &str,
        f: impl Fn(&BTreeMap<Token, UnitId>) -> F,
        hope: F,
    ) -> Ruling<F> {
        let seals = self.seals(tokens);
        let sealed: Vec<&Sealed<UnitId>> = seals.iter().collect();
        let hidden: Vec<Token> = seals.iter().map(|seal| Token::of(seal.slot().as_str())).collect();
        let open: BTreeMap<Token, UnitId> =
            tokens.iter().filter_map(|token| Some((*token, self.now().identity(*token)?))).collect();
        let read = |values: &[UnitId]| {
            let mut units = open.clone();
            units.extend(hidden.iter().copied().zip(values.iter().copied()));
            f(&units)
        };
        self.umpire.fact_or(&sealed, &Subject::of(about), what, read, hope)
    }

    /// A condition the Spanish player vouches for.
    pub fn attest(
        &mut self,
        tokens: &[Token],
        clause: &'static str,
        holds: impl Fn(&BTreeMap<Token, UnitId>) -> bool,
    ) -> Ruling<()> {
        let seals = self.seals(tokens);
        let open: BTreeMap<Token, UnitId> =
            tokens.iter().filter_map(|token| Some((*token, self.now().identity(*token)?))).collect();
        if seals.is_empty() {
            if holds(&open) {
                return Ok(());
            }
            return Err(Halt::Bug(format!("§{clause} does not hold of open counters")));
        }
        let sealed: Vec<&Sealed<UnitId>> = seals.iter().collect();
        let hidden: Vec<Token> = seals.iter().map(|seal| Token::of(seal.slot().as_str())).collect();
        let why = format!("the counters {} do not allow it", list(tokens));
        self.umpire.vouch(&sealed, bar(clause, why), |values: &[UnitId]| {
            let mut units = open.clone();
            units.extend(hidden.iter().copied().zip(values.iter().copied()));
            holds(&units)
        })
    }

    /// Turns counters over: everybody sees which units they are.
    pub fn reveal(&mut self, tokens: &[Token]) -> Ruling<BTreeMap<Token, UnitId>> {
        let mut units = BTreeMap::new();
        for token in tokens {
            let Some(face) = self.state.counters.get(token).map(|counter| counter.face.clone()) else { continue };
            let unit = match face {
                Face::Up(unit) => unit,
                Face::Down(sealed) => {
                    let hope = self.guess(*token, &units);
                    let hex = self.state.post_of(*token).map(Subject::of);
                    let about: Vec<Subject> = [Subject::of(token)].into_iter().chain(hex).collect();
                    match hope {
                        Some(hope) => self.umpire.open_or(&sealed, &about, hope)?,
                        None => self.umpire.open(&sealed)?,
                    }
                }
            };
            if self.now().nation(unit) != Some(Nation::Spanish) {
                let about = format!("{token} is opened as {unit}");
                let code = "E50-REVEAL";
                return Err(Halt::Breach(crate::engine::Breach { code, fault: Some(SPAIN), about }));
            }
            units.insert(*token, unit);
        }
        Ok(units)
    }

    /// What a check takes a face-down counter for: the weakest unit it can be, or the strongest.
    fn guess(&self, token: Token, others: &BTreeMap<Token, UnitId>) -> Option<UnitId> {
        let hex = self.state.post_of(token)?;
        let able = self.now().could_lie(hex);
        let free = |counter: &&Counter| !others.values().any(|unit| *unit == counter.id());
        let able: Vec<&Counter> =
            able.into_iter().filter(|counter| free(counter) && counter.kind != Arm::Artillery).collect();
        let (strongest, weakest) = (able.first()?.id(), able.last()?.id());
        Some(self.umpire.hope_or_fear(weakest, strongest))
    }

    /// Does a check have to guess at one of these counters? What it tells of them is not told.
    pub fn guesses(&self, tokens: &[Token]) -> bool {
        self.umpire.foresees() && tokens.iter().any(|token| self.now().identity(*token).is_none())
    }

    /// Is the hex in a Spanish zone of control? The umpire says so where nobody can see it.
    pub fn spanish_zone(&mut self, hex: Hex) -> Ruling<bool> {
        self.spanish_zone_or(hex, false)
    }

    /// The same, where a check hopes otherwise.
    pub fn spanish_zone_or(&mut self, hex: Hex, hope: bool) -> Ruling<bool> {
        match self.now().spanish_zone(hex) {
            Trit::Yes => Ok(true),
            Trit::No => Ok(false),
            Trit::Maybe => {
                let now = self.now();
                let doubtful = |next: &Hex| now.exerts(*next) == Trit::Maybe;
                let tokens: Vec<Token> =
                    now.data().around(hex).filter(doubtful).flat_map(|next| now.state.tokens_in(next)).collect();
                let data = self.data();
                let exerts = |unit: &UnitId| data.arm(*unit).is_some_and(Arm::exerts_zone);
                self.fact(&tokens, hex, "zone", |units| units.values().any(exerts), hope)
            }
        }
    }

    /// Does the hex hold Spanish artillery and nothing else? (§10.8a)
    pub fn lone_battery(&mut self, hex: Hex) -> Ruling<bool> {
        match self.now().exerts(hex) {
            Trit::Yes => Ok(false),
            Trit::No => Ok(self.state.tokens_in(hex).next().is_some()),
            Trit::Maybe => {
                let tokens: Vec<Token> = self.state.tokens_in(hex).collect();
                let data = self.data();
                let battery = |unit: &UnitId| data.arm(*unit) == Some(Arm::Artillery);
                self.fact(&tokens, hex, "battery", |units| units.values().all(battery), true)
            }
        }
    }

    /// Takes a Spanish counter, already turned over, out of play (§8.1d).
    pub fn bury(&mut self, token: Token, unit: UnitId, hex: Hex, cause: Cause) {
        let guessed = self.guesses(&[token]);
        self.unsettle(&[Piece::from(token)], &[hex], "combat");
        let hidden = self.state.counters.get(&token).is_some_and(|counter| matches!(counter.face, Face::Down(_)));
        self.state.counters.remove(&token);
        self.supply = None;
        if !guessed {
            let left = self.now().batteries_left();
            self.state.dead.insert(unit);
            if left && hidden && !self.now().batteries_left() {
                // Whoever was hoped to be a battery as well turns out to be none.
                let cause = Cloud::Secret(format!("the counter in {hex}"));
                self.umpire.cloud([Subject::of(BATTERIES), Subject::of("supply")], &cause);
            }
            self.umpire.note(Event::SpanishLost { counter: token, unit, hex, cause });
        }
    }

    /// Takes a step of an American or Cuban unit, counts it and eliminates the unit with its last (§2.13, §5.3f).
    pub fn lose_step(&mut self, id: UnitId, cause: Cause) {
        let now = self.now();
        let (Some(hex), Some(nation)) = (now.state.hex_of(id), now.nation(id)) else { return };
        let two_step = now.counter(id).is_some_and(|counter| counter.steps() == 2);
        let balloon = now.arm(id) == Some(Arm::Balloon);
        let Some(unit) = self.state.units.get_mut(&id) else { return };
        unit.steps = unit.steps.saturating_sub(1);
        let left = unit.steps;
        if left == 0 {
            unit.at = Place::Lost;
            unit.fever = false;
            unit.landed = false;
        }
        if nation == Nation::Us {
            self.state.steps_lost += 1; // §5.3g: American steps only
            if left == 0 && two_step {
                self.state.two_steppers_lost += 1;
            }
            if left == 0 && balloon {
                self.state.balloon_up = false;
            }
        }
        self.unsettle(&[Piece::from(id)], &[hex], cause.die());
        self.umpire.note(Event::StepLost { unit: id, nation, hex, left, cause });
    }

    /// Eliminates an American or Cuban unit with all its steps.
    pub fn lose_unit(&mut self, id: UnitId, cause: Cause) {
        for _ in 0..self.state.unit(id).steps {
            self.lose_step(id, cause);
        }
    }

    /// A unit or counter of a side is now in a hex: control (§4.5), markers (§6.4), victory.
    pub fn entered(&mut self, piece: Piece, hex: Hex, how: &str) -> Ruling<()> {
        let us = piece.token().is_none();
        let changed = if us { self.state.us_passed.insert(hex) } else { self.state.us_passed.remove(&hex) };
        if changed && (self.data().is_city(hex) || self.data().is_fortress(hex)) {
            self.umpire.note(Event::Passed { hex, us });
        }
        if !us {
            self.supply = None;
            if self.state.sources.remove(&hex).is_some() {
                self.umpire.note(Event::SourceLost { hex, by: piece, how: how.to_owned() });
            }
        }
        self.check_victory()
    }
}

/// The other player.
pub fn opponent(side: Side) -> Side {
    if side == US { SPAIN } else { US }
}

/// All hexes of a grid within a distance.
pub fn within(data: &Data, centre: Hex, range: u32) -> impl Iterator<Item = Hex> + '_ {
    data.grid().cells().filter(move |hex| data.grid().distance(centre, *hex) <= range)
}
