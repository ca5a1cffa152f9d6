//! Games without their types: what the ledger, the reports and the command line work with.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::dice::Chance;
use super::doc::{DocPath, Fault, Lexicon, Node, Reader};
use super::game::{self, About, Arranged, Charter, DataFinding, Failure, Game, Query, Reply, Seen, Verdict};
use super::{
    AsPlayed, Chances, Clause, Diary, Drill, Effort, Event, Foresaid, Holdings, Json, Kind, KindInfo, Lapse, Lapsed,
    Mark, Minutes, NotCanonical, Noted, Pending, Policy, Segment, Settled, Side, Slot, Stop, Upshot, foresee, to_json,
};
use crate::scene::{Incident, Scene};

/// A state of some game.
#[derive(Clone)]
pub struct AnyState(Arc<dyn Any + Send + Sync>);

impl fmt::Debug for AnyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyState")
    }
}

/// A packet of orders of some game, checked or not.
#[derive(Clone)]
pub struct AnyOrders(Arc<dyn Any + Send + Sync>);

impl fmt::Debug for AnyOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyOrders")
    }
}

/// A journal of some game.
#[derive(Clone)]
pub struct AnyJournal {
    events: Arc<dyn Any + Send + Sync>,
    len: usize,
    /// Whether some of it is for one side only.
    whispers: bool,
}

impl AnyJournal {
    fn of<E: Send + Sync + 'static>(events: Vec<Noted<E>>) -> AnyJournal {
        let whispers = events.iter().any(|noted| noted.only.is_some());
        AnyJournal { len: events.len(), whispers, events: Arc::new(events) }
    }

    /// Whether there is something in it that one side alone may read: otherwise everybody reads the same.
    pub fn has_whispers(&self) -> bool {
        self.whispers
    }

    /// How many events it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for AnyJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyJournal({})", self.len)
    }
}

/// What came out of a segment of some game.
#[derive(Clone, Debug)]
pub struct AnyOutcome {
    /// The state where resolution ended.
    pub state: AnyState,
    /// Who must speak next.
    pub stop: Stop,
    /// What happened since the start of the span.
    pub journal: AnyJournal,
    /// Choices replaced by their default.
    pub lapses: Vec<Lapse>,
    /// What is new in this segment.
    pub minutes: Minutes,
    /// Everything fixed so far in the span.
    pub settled: Settled,
    /// Values put face down in this span.
    pub kept: Holdings,
    /// Fixed dice that were not called for.
    pub dice_left: usize,
    /// Orders that were not carried out.
    pub lapsed: Vec<Lapsed>,
    /// Entries of the packet that came up.
    pub heard: BTreeSet<DocPath>,
}

/// What foreseeing a packet of some game came to.
#[derive(Clone, Debug)]
pub struct AnyForeseen {
    /// The packet written out in full.
    pub orders: AnyOrders,
    /// Everything wrong, and warnings.
    pub faults: Vec<Fault>,
    /// What will happen if all goes well.
    pub outlook: AnyJournal,
    /// Questions that will or may come up.
    pub pending: Vec<Pending>,
    /// What a drill found.
    pub drill: Drill,
}

/// The position a conformance case of some game starts from.
pub struct AnyArranged {
    /// The table, laid as the case asks.
    pub table: Box<dyn Match>,
    /// The state.
    pub state: AnyState,
    /// Whose packet is due.
    pub stop: Stop,
    /// What lies face down in the position.
    pub holdings: Holdings,
}

/// A state somebody looks at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The public state.
    pub state: &'a AnyState,
    /// The hidden values the viewer holds.
    pub holdings: &'a Holdings,
    /// Whose view it is; everything is open if none.
    pub side: Option<Side>,
}

/// A rule set in the registry.
pub trait Ruleset: Sync + Send {
    /// The name on the command line.
    fn id(&self) -> &'static str;
    /// The version of the rules code.
    fn version(&self) -> u32;
    /// What `garcia games` tells.
    fn about(&self) -> &'static About;
    /// The sides.
    fn sides(&self) -> &'static [Side];
    /// Whether packets are checked by carrying them out beforehand.
    fn foreseen(&self) -> bool;
    /// Every kind of question the game can put.
    fn kinds(&self) -> &'static [KindInfo];
    /// Values of a policy of one kind, as these sides would type them.
    fn forms(&self, info: &KindInfo, sides: &[Side]) -> Vec<&'static str>;
    /// Lays the table for a match.
    fn open(&self, charter: &Charter) -> Result<Box<dyn Match>, Vec<Fault>>;
    /// Checks a player's own data files.
    fn check_data(&self, files: &BTreeMap<String, String>) -> Vec<DataFinding>;
    /// Lays out the position of a conformance case.
    fn arrange(&self, start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<AnyArranged>;
    /// Is no question ever put to the player whose orders of this packet are carried out?
    fn unquestioned(&self, packet: &str) -> bool;
    /// JSON Schemas of the files a person writes.
    fn schemas(&self) -> Vec<(String, serde_json::Value)>;

    /// `<ruleset> <n>`, as the genesis record names it.
    fn engine(&self) -> String {
        format!("{} {}", self.id(), self.version())
    }

    /// The side with this name.
    fn side(&self, name: &str) -> Option<Side> {
        self.sides().iter().copied().find(|side| side.as_str() == name)
    }
}

/// A table laid for one match of some game.
pub trait Match: Send + Sync {
    /// The rule set it is of.
    fn ruleset(&self) -> &'static dyn Ruleset;
    /// Data and scenario as loaded, for the digest in the genesis record.
    fn rules_data(&self) -> Json;
    /// Do scenario and options rule out that a question of this kind is ever put?
    fn rules_out(&self, kind: Kind) -> bool;
    /// Names a player may type.
    fn lexicon(&self) -> &dyn Lexicon;
    /// The first state and the first packet due.
    fn begin(&self) -> (AnyState, Stop);
    /// The game turn.
    fn turn(&self, state: &AnyState) -> u32;
    /// Whose packet a position waits for; the end if it waits for none.
    fn packet_due(&self, state: &AnyState) -> Stop;
    /// Everything that lies face down in a position, by owner and slot, as often as it is named.
    fn slots(&self, state: &AnyState) -> Vec<(Side, Slot)>;
    /// The state as it is hashed and written.
    fn state_json(&self, state: &AnyState) -> Result<Json, NotCanonical>;
    /// Reads a written state back, checking it whole.
    fn read_state(&self, written: &Json) -> Result<AnyState, Vec<String>>;
    /// Every invariant that does not hold.
    fn flaws(&self, state: &AnyState) -> Vec<String>;
    /// Reads a packet; pushes every fault of form.
    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<AnyOrders>;
    /// Checks a packet by carrying it out as its author hopes, and writes it out in full.
    fn foresee(&self, view: View<'_>, stop: &Stop, said: &Foresaid<'_>, orders: AnyOrders, at: &DocPath)
    -> AnyForeseen;
    /// What a packet that was checked can come to over all dice, as its author can know it.
    fn chances(
        &self,
        view: View<'_>,
        stop: &Stop,
        said: &Foresaid<'_>,
        orders: &AnyOrders,
        effort: &Effort<'_>,
    ) -> Chances;
    /// What a packet could have come to when it was carried out, everything but the dice kept as it was.
    fn chances_as_played(
        &self,
        view: View<'_>,
        author: Side,
        played: &AsPlayed<'_>,
        orders: &AnyOrders,
        effort: &Effort<'_>,
    ) -> Chances;
    /// Checks a packet and writes it out in full.
    fn check(&self, view: View<'_>, stop: &Stop, orders: AnyOrders, at: &DocPath) -> (AnyOrders, Vec<Fault>) {
        let foreseen = self.foresee(view, stop, &Foresaid::default(), orders, at);
        (foreseen.orders, foreseen.faults)
    }
    /// The orders of a silent player.
    fn no_orders(&self, state: &AnyState, stop: &Stop) -> AnyOrders;
    /// Moves values that must stay hidden into slots; where the packet is the plan with this number in the ledger, its
    /// entries as well, into `plan/<number>/1`, `plan/<number>/2` and so on.
    fn seal(
        &self,
        state: &AnyState,
        orders: AnyOrders,
        plan: Option<u32>,
        hide: &mut dyn FnMut(Slot, Json),
    ) -> AnyOrders;
    /// Whether an entry of a plan may be declined when its turn comes.
    fn is_conditional(&self, entry: &Json) -> bool;
    /// A packet as it is signed.
    fn orders_json(&self, orders: &AnyOrders) -> Result<Json, NotCanonical>;
    /// Resolves one segment.
    fn resolve(&self, base: &AnyState, orders: &AnyOrders, segment: Segment<'_>) -> Result<AnyOutcome, Failure>;
    /// What stands below `orders:` in an order file for this moment.
    fn template(&self, view: View<'_>, stop: &Stop) -> String;
    /// Legal orders by chance.
    fn random_orders(&self, view: View<'_>, stop: &Stop, chance: &mut Chance) -> AnyOrders;
    /// Orders of a plain sensible player, in a game that has one.
    fn sensible_orders(&self, view: View<'_>, stop: &Stop) -> Option<AnyOrders>;
    /// A policy by chance.
    fn random_policy(&self, state: &AnyState, side: Side, kind: &str, chance: &mut Chance) -> Json;
    /// Tells a journal from an event on, as one side may read it (`None`: all of it).
    fn tell(&self, journal: &AnyJournal, from: usize, reader: Option<Side>, diary: &mut Diary);
    /// Tells what came of one entry of the packet, as one side may read it.
    fn tell_entry(&self, journal: &AnyJournal, entry: &DocPath, reader: Option<Side>, diary: &mut Diary);
    /// What each entry of the packet came to.
    fn upshots(&self, journal: &AnyJournal) -> BTreeMap<DocPath, Upshot>;
    /// Steps lost by unit.
    fn losses(&self, journal: &AnyJournal) -> BTreeMap<(Side, String), u32>;
    /// What each side lost and gained, as one side may read it.
    fn sum_up(&self, journal: &AnyJournal, reader: Option<Side>, diary: &mut Diary);
    /// The events as data, as one side may read them.
    fn events(&self, journal: &AnyJournal, reader: Option<Side>) -> Result<Vec<Json>, NotCanonical>;
    /// Every clause the journal applied.
    fn clauses(&self, journal: &AnyJournal) -> Vec<Clause>;
    /// Where the campaign stands.
    fn tell_state(&self, view: View<'_>, diary: &mut Diary);
    /// One line for the head of a report.
    fn headline(&self, state: &AnyState) -> String;
    /// The position as a scene.
    fn scene(&self, view: View<'_>) -> Scene;
    /// Where the events of a journal happened, as one side may know it.
    fn depict(&self, journal: &AnyJournal, reader: Option<Side>) -> Vec<Incident>;
    /// Tells a journal as [`Match::tell`] does, and says of every entry of the diary which event began it.
    fn tell_each(&self, journal: &AnyJournal, reader: Option<Side>, diary: &mut Diary) -> Vec<usize>;
    /// Answers a query.
    fn query(&self, view: View<'_>, query: &Query) -> Result<Reply, Vec<Fault>>;
    /// How the game ended.
    fn verdict(&self, state: &AnyState) -> Option<Verdict>;
    /// Reads a policy of one kind, pushing every fault; `default` and `ask` are the caller's.
    fn check_policy(&self, side: Side, kind: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Json>;
    /// How many secret rolls the rules can ever ask of a side.
    fn tickets(&self, side: Side) -> u32;
    /// The hidden things of a side that lie together and may be mixed.
    fn masks(&self, state: &AnyState, side: Side) -> Vec<Vec<Slot>>;
    /// After the audit: whether new versions of hidden values were allowed.
    fn resealed(&self, before: View<'_>, after: View<'_>) -> Result<(), Clause>;
}

/// The registry's entry for a game.
pub struct RulesOf<G>(PhantomData<fn() -> G>);

impl<G: Game> RulesOf<G> {
    /// The entry.
    pub const fn new() -> RulesOf<G> {
        RulesOf(PhantomData)
    }

    /// The one entry of this game.
    fn shared() -> &'static dyn Ruleset {
        const { &RulesOf::<G>(PhantomData) }
    }
}

impl<G: Game> Default for RulesOf<G> {
    fn default() -> Self {
        RulesOf::new()
    }
}

impl<G: Game> Ruleset for RulesOf<G> {
    fn id(&self) -> &'static str {
        G::ID
    }
    fn version(&self) -> u32 {
        G::VERSION
    }
    fn about(&self) -> &'static About {
        &G::ABOUT
    }
    fn sides(&self) -> &'static [Side] {
        G::SIDES
    }
    fn foreseen(&self) -> bool {
        G::FORESEEN
    }
    fn kinds(&self) -> &'static [KindInfo] {
        G::Policy::KINDS
    }
    fn forms(&self, info: &KindInfo, sides: &[Side]) -> Vec<&'static str> {
        G::Policy::forms(info, sides)
    }
    fn open(&self, charter: &Charter) -> Result<Box<dyn Match>, Vec<Fault>> {
        G::open(charter).map(|game| Box::new(Table(game)) as Box<dyn Match>)
    }
    fn check_data(&self, files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        G::check_data(files)
    }
    fn arrange(&self, start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<AnyArranged> {
        let Arranged { game, state, stop, holdings } = G::arrange(start, at, faults)?;
        Some(AnyArranged { table: Box::new(Table(game)), state: AnyState(Arc::new(state)), stop, holdings })
    }
    fn unquestioned(&self, packet: &str) -> bool {
        G::unquestioned(packet)
    }
    fn schemas(&self) -> Vec<(String, serde_json::Value)> {
        G::schemas()
    }
}

/// A game behind the erased interface.
struct Table<G: Game>(G);

/// What lies behind an erased value. One of another game is a slip of the program: it stops here, before a position that
/// nobody played can be shown or signed.
#[track_caller]
fn known<'a, G: Game, T: 'static>(any: &'a Arc<dyn Any + Send + Sync>, what: &str) -> &'a T {
    match any.downcast_ref() {
        Some(known) => known,
        None => panic!("{what} of another game at a table of {}; this is a bug in garcia", G::ID),
    }
}

impl<G: Game> Table<G> {
    #[track_caller]
    fn state<'s>(&self, state: &'s AnyState) -> &'s G::State {
        known::<G, _>(&state.0, "a position")
    }

    #[track_caller]
    fn seen<'v>(&self, view: View<'v>) -> Seen<'v, G::State> {
        Seen { state: self.state(view.state), holdings: view.holdings, side: view.side }
    }

    #[track_caller]
    fn orders<'o>(&self, orders: &'o AnyOrders) -> &'o G::Orders {
        known::<G, _>(&orders.0, "orders")
    }

    #[track_caller]
    fn events<'j>(&self, journal: &'j AnyJournal) -> &'j [Noted<G::Event>] {
        known::<G, Vec<_>>(&journal.events, "a journal")
    }
}

/// Whether a reader may see an event.
fn readable<E>(noted: &Noted<E>, reader: Option<Side>, open: bool) -> bool {
    noted.only.is_none() || open || noted.only == reader
}

impl<G: Game> Match for Table<G> {
    fn ruleset(&self) -> &'static dyn Ruleset {
        RulesOf::<G>::shared()
    }
    fn rules_data(&self) -> Json {
        self.0.rules_data()
    }
    fn rules_out(&self, kind: Kind) -> bool {
        self.0.rules_out(kind)
    }
    fn lexicon(&self) -> &dyn Lexicon {
        self.0.lexicon()
    }
    fn begin(&self) -> (AnyState, Stop) {
        let (state, stop) = self.0.begin();
        (AnyState(Arc::new(state)), stop)
    }
    fn turn(&self, state: &AnyState) -> u32 {
        self.0.turn(self.state(state))
    }
    fn packet_due(&self, state: &AnyState) -> Stop {
        self.0.packet_due(self.state(state))
    }
    fn slots(&self, state: &AnyState) -> Vec<(Side, Slot)> {
        super::sealed::slots_in(self.state(state))
    }
    fn state_json(&self, state: &AnyState) -> Result<Json, NotCanonical> {
        to_json(self.state(state))
    }
    fn read_state(&self, written: &Json) -> Result<AnyState, Vec<String>> {
        let state = self.0.read_state(written)?;
        let flaws = self.0.flaws(&state);
        if flaws.is_empty() { Ok(AnyState(Arc::new(state))) } else { Err(flaws) }
    }
    fn flaws(&self, state: &AnyState) -> Vec<String> {
        self.0.flaws(self.state(state))
    }
    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<AnyOrders> {
        self.0.read_orders(packet, node, at, reader).map(|orders| AnyOrders(Arc::new(orders)))
    }
    fn foresee(
        &self,
        view: View<'_>,
        stop: &Stop,
        said: &Foresaid<'_>,
        orders: AnyOrders,
        at: &DocPath,
    ) -> AnyForeseen {
        let mut packet = self.orders(&orders).clone();
        let seen = self.seen(view);
        let (faults, outlook, pending, drill) = if G::FORESEEN {
            let foreseen = foresee(&self.0, &seen, stop, said, &mut packet, at);
            (foreseen.faults, foreseen.outlook, foreseen.pending, foreseen.drill)
        } else {
            (self.0.check(&seen, stop, &mut packet, at), Vec::new(), Vec::new(), Drill::default())
        };
        let outlook = AnyJournal::of(outlook);
        AnyForeseen { orders: AnyOrders(Arc::new(packet)), faults, outlook, pending, drill }
    }
    fn chances(
        &self,
        view: View<'_>,
        stop: &Stop,
        said: &Foresaid<'_>,
        orders: &AnyOrders,
        effort: &Effort<'_>,
    ) -> Chances {
        super::chances(&self.0, &self.seen(view), stop, said, self.orders(orders), effort)
    }
    fn chances_as_played(
        &self,
        view: View<'_>,
        author: Side,
        played: &AsPlayed<'_>,
        orders: &AnyOrders,
        effort: &Effort<'_>,
    ) -> Chances {
        super::chances_as_played(&self.0, &self.seen(view), author, played, self.orders(orders), effort)
    }
    fn no_orders(&self, state: &AnyState, stop: &Stop) -> AnyOrders {
        AnyOrders(Arc::new(self.0.no_orders(self.state(state), stop)))
    }
    fn seal(
        &self,
        state: &AnyState,
        orders: AnyOrders,
        plan: Option<u32>,
        hide: &mut dyn FnMut(Slot, Json),
    ) -> AnyOrders {
        let (state, mut packet) = (self.state(state), self.orders(&orders).clone());
        self.0.seal(state, &mut packet, hide);
        if let Some(number) = plan {
            let mut entries = 0;
            self.0.seal_plan(state, &mut packet, &mut |entry| {
                entries += 1;
                let slot = Slot::plan(number, entries);
                hide(slot.clone(), entry);
                slot
            });
        }
        AnyOrders(Arc::new(packet))
    }
    fn is_conditional(&self, entry: &Json) -> bool {
        self.0.is_conditional(entry)
    }
    fn orders_json(&self, orders: &AnyOrders) -> Result<Json, NotCanonical> {
        to_json(self.orders(orders))
    }
    fn resolve(&self, base: &AnyState, orders: &AnyOrders, segment: Segment<'_>) -> Result<AnyOutcome, Failure> {
        let outcome = game::run(&self.0, self.state(base), self.orders(orders), segment)?;
        Ok(AnyOutcome {
            state: AnyState(Arc::new(outcome.state)),
            stop: outcome.stop,
            journal: AnyJournal::of(outcome.journal),
            lapses: outcome.lapses,
            minutes: outcome.minutes,
            settled: outcome.settled,
            kept: outcome.kept,
            dice_left: outcome.dice_left,
            lapsed: outcome.lapsed,
            heard: outcome.heard,
        })
    }
    fn template(&self, view: View<'_>, stop: &Stop) -> String {
        self.0.template(&self.seen(view), stop)
    }
    fn random_orders(&self, view: View<'_>, stop: &Stop, chance: &mut Chance) -> AnyOrders {
        AnyOrders(Arc::new(self.0.random_orders(&self.seen(view), stop, chance)))
    }
    fn sensible_orders(&self, view: View<'_>, stop: &Stop) -> Option<AnyOrders> {
        self.0.sensible_orders(&self.seen(view), stop).map(|orders| AnyOrders(Arc::new(orders)))
    }
    fn random_policy(&self, state: &AnyState, side: Side, kind: &str, chance: &mut Chance) -> Json {
        let policy = self.0.random_policy(self.state(state), side, kind, chance);
        // Whoever it may not name is left out of its lists.
        let enemies = G::Policy::kind(kind).is_some_and(|info| G::Policy::about_the_enemy(info.kind));
        fitting(policy, &|word| self.0.whose(word).is_none_or(|owner| (owner == side) != enemies))
    }
    fn tell(&self, journal: &AnyJournal, from: usize, reader: Option<Side>, diary: &mut Diary) {
        for noted in self.events(journal).iter().skip(from).filter(|noted| readable(noted, reader, reader.is_none())) {
            self.0.tell(&noted.event, diary);
        }
    }
    fn tell_entry(&self, journal: &AnyJournal, entry: &DocPath, reader: Option<Side>, diary: &mut Diary) {
        let of = |noted: &&Noted<G::Event>| noted.of.as_ref() == Some(entry);
        let events = Table::events(self, journal).iter().filter(of);
        for noted in events.filter(|noted| readable(noted, reader, reader.is_none())) {
            self.0.tell(&noted.event, diary);
        }
    }
    fn upshots(&self, journal: &AnyJournal) -> BTreeMap<DocPath, Upshot> {
        let mut upshots: BTreeMap<DocPath, Upshot> = BTreeMap::new();
        for noted in Table::events(self, journal).iter().filter(|noted| noted.only.is_none()) {
            let (Some(entry), marks) = (&noted.of, self.0.marks(&noted.event)) else { continue };
            if !marks.is_empty() {
                let upshot = upshots.entry(entry.clone()).or_default();
                marks.into_iter().for_each(|mark| upshot.mark(mark));
            }
        }
        upshots
    }
    fn losses(&self, journal: &AnyJournal) -> BTreeMap<(Side, String), u32> {
        let mut losses = BTreeMap::new();
        for noted in Table::events(self, journal).iter().filter(|noted| noted.only.is_none()) {
            for mark in self.0.marks(&noted.event) {
                if let Mark::Lost { side, unit, steps } = mark {
                    *losses.entry((side, unit)).or_insert(0) += steps;
                }
            }
        }
        losses
    }
    fn sum_up(&self, journal: &AnyJournal, reader: Option<Side>, diary: &mut Diary) {
        let readable = Table::events(self, journal).iter().filter(|noted| readable(noted, reader, reader.is_none()));
        let events: Vec<&G::Event> = readable.map(|noted| &noted.event).collect();
        self.0.sum_up(&events, diary);
    }
    fn events(&self, journal: &AnyJournal, reader: Option<Side>) -> Result<Vec<Json>, NotCanonical> {
        let events = Table::events(self, journal).iter().filter(|noted| readable(noted, reader, reader.is_none()));
        events.map(|noted| to_json(&noted.event)).collect()
    }
    fn clauses(&self, journal: &AnyJournal) -> Vec<Clause> {
        Table::events(self, journal).iter().flat_map(|noted| noted.event.clauses()).collect()
    }
    fn tell_state(&self, view: View<'_>, diary: &mut Diary) {
        self.0.tell_state(&self.seen(view), diary);
    }
    fn headline(&self, state: &AnyState) -> String {
        self.0.headline(self.state(state))
    }
    fn scene(&self, view: View<'_>) -> Scene {
        let scene = self.0.scene(&self.seen(view));
        let (title, moment) = (G::ABOUT.title.to_owned(), self.headline(view.state));
        Scene { title, moment, turn: self.turn(view.state), view: view.side, ..scene }
    }
    fn depict(&self, journal: &AnyJournal, reader: Option<Side>) -> Vec<Incident> {
        let events = Table::events(self, journal).iter().enumerate();
        let readable = events.filter(|(_, noted)| readable(noted, reader, reader.is_none()));
        let of = |(event, noted): (usize, &Noted<G::Event>)| {
            let incidents = self.0.depict(&noted.event).into_iter();
            incidents.map(move |incident| Incident { event, ..incident })
        };
        readable.flat_map(of).collect()
    }
    fn tell_each(&self, journal: &AnyJournal, reader: Option<Side>, diary: &mut Diary) -> Vec<usize> {
        let mut began = Vec::new();
        for (event, noted) in Table::events(self, journal).iter().enumerate() {
            if readable(noted, reader, reader.is_none()) {
                self.0.tell(&noted.event, diary);
                began.resize(diary.entries().len(), event);
            }
        }
        began
    }
    fn query(&self, view: View<'_>, query: &Query) -> Result<Reply, Vec<Fault>> {
        self.0.query(&self.seen(view), query)
    }
    fn verdict(&self, state: &AnyState) -> Option<Verdict> {
        self.0.verdict(self.state(state))
    }
    fn check_policy(&self, side: Side, kind: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Json> {
        let info = G::Policy::kind(kind)?;
        let policy = G::Policy::read(info.kind, node, at, reader)?;
        let policy = to_json(&policy).ok()?;
        let enemies = G::Policy::about_the_enemy(info.kind);
        let mut strange = Vec::new();
        each_word(&policy, at, &mut |word, at| {
            if self.0.whose(word).is_some_and(|owner| (owner == side) == enemies) {
                strange.push((word.to_owned(), reader.in_file(at)));
            }
        });
        for (word, at) in strange {
            let (what, remedy) = match enemies {
                false => (format!("{word} is not on your side"), "name your own, or leave it out"),
                true => (format!("{word} is your own"), "name the enemy's, or leave it out"),
            };
            reader.fault_by(&at, G::Policy::bounds(info), what, remedy);
        }
        Some(policy)
    }
    fn tickets(&self, side: Side) -> u32 {
        self.0.tickets(side)
    }
    fn masks(&self, state: &AnyState, side: Side) -> Vec<Vec<Slot>> {
        self.0.masks(self.state(state), side)
    }
    fn resealed(&self, before: View<'_>, after: View<'_>) -> Result<(), Clause> {
        self.0.resealed(&self.seen(before), &self.seen(after))
    }
}

/// A value without the items and keys that do not fit.
fn fitting(value: Json, fits: &dyn Fn(&str) -> bool) -> Json {
    match value {
        Json::List(items) => {
            let kept = items.into_iter().filter(|item| item.as_str().is_none_or(fits));
            Json::List(kept.map(|item| fitting(item, fits)).collect())
        }
        Json::Map(entries) => {
            let kept = entries.into_iter().filter(|(key, _)| fits(key));
            Json::Map(kept.map(|(key, value)| (key, fitting(value, fits))).collect())
        }
        word => word,
    }
}

/// Looks at every word of a value and at every key, each with its place.
fn each_word(value: &Json, at: &DocPath, look: &mut dyn FnMut(&str, &DocPath)) {
    match value {
        Json::Bool(_) | Json::Int(_) => {}
        Json::Str(word) => look(word, at),
        Json::List(items) => items.iter().enumerate().for_each(|(index, item)| each_word(item, &at.index(index), look)),
        Json::Map(entries) => {
            for (key, value) in entries {
                look(key, &at.name(key));
                each_word(value, &at.key(key), look);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::bridge::Bridge;
    use super::*;

    fn foreign() -> Arc<dyn Any + Send + Sync> {
        Arc::new("a thing of another game")
    }

    #[test]
    fn what_belongs_to_another_game_stops_the_program() {
        let (table, holdings) = (Table(Bridge), Holdings::default());
        let (own, stop) = table.begin();
        let packet = table.no_orders(&own, &stop);
        let (state, orders) = (AnyState(foreign()), AnyOrders(foreign()));
        let journal = AnyJournal { events: foreign(), len: 1, whispers: false };
        let at = DocPath::root();
        let seen = |state| View { state, holdings: &holdings, side: None };
        let slips: [(&str, &dyn Fn()); 13] = [
            ("a position", &|| drop(table.headline(&state))),
            ("a position", &|| drop(table.state_json(&state))),
            ("a position", &|| drop(table.flaws(&state))),
            ("a position", &|| drop(table.no_orders(&state, &stop))),
            ("a position", &|| drop(table.check(seen(&state), &stop, packet.clone(), &at))),
            ("a position", &|| drop(table.seal(&state, packet.clone(), None, &mut |_, _| {}))),
            ("a position", &|| drop(table.template(seen(&state), &stop))),
            ("a position", &|| drop(table.verdict(&state))),
            ("orders", &|| drop(table.check(seen(&own), &stop, orders.clone(), &at))),
            ("orders", &|| drop(table.seal(&own, orders.clone(), None, &mut |_, _| {}))),
            ("orders", &|| drop(table.orders_json(&orders))),
            ("a journal", &|| drop(Match::events(&table, &journal, None))),
            ("a journal", &|| drop(table.clauses(&journal))),
        ];
        for (at, (what, slip)) in slips.into_iter().enumerate() {
            let panic = catch_unwind(AssertUnwindSafe(slip)).expect_err("a stop");
            let said = panic.downcast_ref::<String>().expect("words");
            assert_eq!(*said, format!("{what} of another game at a table of bridge; this is a bug in garcia"), "{at}");
        }
    }
}
