//! Foreseeing: a packet is checked by carrying it out before an umpire who hopes.
//!
//! Dice come up well, what only the opponent knows is as the orders would have it, nobody is asked. What the rules find
//! wrong on the way are the faults of the packet; what they note is its outlook. Where something is barred, the packet
//! is walked a second time without luck: only what is barred in both walks is a fault, since otherwise it rests on a
//! die. A bar about something that a refused order or a die has thrown into doubt (a [`Cloud`]) is no fault of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::cast::{Cast, Thrown, Touch, Way};
use super::dice::Die;
use super::doc::{DocPath, Fault};
use super::loose::Ways;
use super::umpire::Umpire;
use super::{
    Bar, Clause, Dice, Fact, Halt, Hidden, Holdings, Json, Kind, Noted, Questions, Rules, Ruling, Said, Sealed, Seen,
    Segment, Settled, Side, Stop, Subject, Tickets, Versions, to_json,
};

/// More ways than this are not counted one by one; a roll of so many dice is read die by die.
const COUNTED: u32 = 10_000;
/// From this throw of one kind on, the other extreme comes up: a fight until somebody hits must end.
const PATIENCE: u32 = 3;

/// How the dice fall in a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Luck {
    Good,
    Bad,
    /// Dice are let loose. `fear`: what is hidden is as strong as it can be; `whole`: nothing ends with the last order.
    Loose {
        fear: bool,
        whole: bool,
    },
}

/// Why something may be otherwise than foreseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cloud {
    /// An order that was refused.
    Refused(DocPath),
    /// A die.
    Die(String),
    /// A choice somebody else makes.
    Choice(Kind),
    /// Something only the opponent knows.
    Secret(String),
}

impl fmt::Display for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cloud::Refused(at) => write!(f, "{at} is refused"),
            Cloud::Die(purpose) => write!(f, "the {purpose} roll"),
            Cloud::Choice(kind) => write!(f, "the choice `{kind}`"),
            Cloud::Secret(what) => write!(f, "{what}, which is hidden"),
        }
    }
}

/// An order that was not carried out, and what that rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lapsed {
    /// The entry of the packet.
    pub order: DocPath,
    /// Why.
    pub bar: Bar,
    /// What its author could not know. Without it the check of the packet should have found the bar.
    pub cloud: Option<Cloud>,
}

/// A question that will come up, as far as can be foreseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Who decides.
    pub who: Side,
    /// The kind.
    pub kind: Kind,
    /// The clause that gives the choice.
    pub clause: Clause,
    /// The question in words.
    pub text: String,
    /// What the outlook reckons with.
    pub reckoned: Json,
    /// Whether the match stops there: nothing was laid down for it.
    pub stops: bool,
}

/// What was laid down before the orders are read: the author's policies in force, this file's first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Foresaid<'a> {
    /// Policies and standing orders of the author by kind.
    pub policies: Option<&'a BTreeMap<String, Json>>,
    /// How open questions are treated in this match.
    pub questions: Questions,
    /// Whether every order found legal is looked up in the list of what is legal: slow, for trying the rules out.
    pub drill: bool,
    /// Policies that somebody else is supposed to have.
    pub supposed: Option<&'a BTreeMap<(Side, String), Json>>,
}

impl Foresaid<'_> {
    /// What counts as said in a check of this side's orders.
    pub(super) fn spoken(&self, author: Side) -> Said {
        let mut spoken = Said::default();
        for (kind, policy) in self.policies.into_iter().flatten() {
            spoken.policies.insert((author, kind.clone()), policy.clone());
        }
        for (whose, policy) in self.supposed.into_iter().flatten() {
            spoken.policies.insert(whose.clone(), policy.clone());
        }
        spoken
    }
}

/// What a drill came to: orders found legal, and those of them that are not listed as legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drill {
    /// How many orders were looked up.
    pub looked_up: u64,
    /// Those that do not stand in the list.
    pub unlisted: Vec<DocPath>,
}

/// What foreseeing a packet came to.
#[derive(Clone, Debug)]
pub struct Foreseen<G: Rules> {
    /// Everything wrong, and warnings.
    pub faults: Vec<Fault>,
    /// What will happen if all goes well.
    pub outlook: Vec<Noted<G::Event>>,
    /// Questions that will or may come up.
    pub pending: Vec<Pending>,
    /// The position hoped for.
    pub state: G::State,
    /// What a drill found.
    pub drill: Drill,
}

/// The hopes of an umpire, and what he found.
#[derive(Clone, Debug)]
pub(super) struct Hopes {
    author: Side,
    luck: Luck,
    found: Vec<Found>,
    pub(super) came_up: BTreeSet<DocPath>,
    /// Entries this walk does not come to, because the fight for them ends before.
    spared: BTreeSet<DocPath>,
    /// Those of them that are left out for good, because the list of orders ends before.
    left_out: BTreeSet<DocPath>,
    pending: Vec<Pending>,
    throws: BTreeMap<String, u32>,
    drill: Option<Drill>,
    /// A die or secret the rules do not hope about ended the walk before everything was decided.
    pub(super) cut_short: bool,
    /// The author's last order is carried out.
    pub(super) decided: bool,
    /// Something hidden was hoped or feared about.
    pub(super) guessed: bool,
    /// Everything held can be read, whoever's it is: luck is reckoned afterwards.
    pub(super) all_open: bool,
    /// Deeds are tried out one after another on a table kept open: none of them is ordered yet.
    tries_out: bool,
}

#[derive(Clone, Debug)]
struct Found {
    order: DocPath,
    bar: Bar,
    cloud: Option<Cloud>,
    /// Legal, but hardly meant.
    minded: bool,
}

impl Found {
    fn is_of(&self, other: &Found) -> bool {
        self.order == other.order && self.bar.clause == other.bar.clause && self.bar.part == other.bar.part
    }

    /// Is everything it says it rests on the same however the dice fall?
    fn is_sure(&self) -> bool {
        self.cloud.is_none() && !self.bar.about.is_empty()
    }

    /// Does it bar the same part of the same order, or a part of that part?
    fn is_beside(&self, other: &Found) -> bool {
        let (part, whole) = (&self.bar.part, &other.bar.part);
        self.order == other.order && (below(part, whole) || below(whole, part))
    }
}

impl Hopes {
    pub(super) fn new(author: Side, luck: Luck, drill: bool) -> Hopes {
        Hopes {
            author,
            luck,
            found: Vec::new(),
            came_up: BTreeSet::new(),
            spared: BTreeSet::new(),
            left_out: BTreeSet::new(),
            pending: Vec::new(),
            throws: BTreeMap::new(),
            drill: drill.then(Drill::default),
            cut_short: false,
            decided: false,
            guessed: false,
            all_open: false,
            tries_out: false,
        }
    }

    /// Notes a question and what is reckoned with.
    pub(super) fn pend(&mut self, pending: Pending) {
        if !self.pending.contains(&pending) {
            self.pending.push(pending);
        }
    }

    /// Whose orders are foreseen.
    pub(super) fn author(&self) -> Side {
        self.author
    }
}

impl<G: Rules> Umpire<'_, G> {
    /// From here on what is found wrong is the fault of this entry of the packet (seen from `orders:`). Returns the entry
    /// that was in hand before, to be given back with [`Umpire::put_down`]: wrap the two around a closure.
    pub fn take_in_hand(&mut self, entry: DocPath) -> Option<DocPath> {
        self.heard.insert(entry.clone());
        self.in_hand.replace(entry)
    }

    /// The same for what is said of an entry before its turn comes: by that it has not come up yet.
    pub fn blame(&mut self, entry: DocPath) -> Option<DocPath> {
        self.in_hand.replace(entry)
    }

    /// Ends what [`Umpire::take_in_hand`] or [`Umpire::blame`] began.
    pub fn put_down(&mut self, before: Option<DocPath>) {
        self.in_hand = before;
    }

    /// An entry that is not come to, because the game or the list of orders ends before it. It is no fault for that, at
    /// most a warning (`minded`), and otherwise only for what is firm. Where a hoped-for end of the game is the reason it
    /// may come up all the same: then for whatever hangs on no cloud as well.
    pub fn spare(&mut self, entry: DocPath, minded: Option<Bar>, bars: Vec<Bar>) {
        let Some(hopes) = &mut self.hopes else { return };
        hopes.spared.insert(entry.clone());
        if minded.is_some() {
            hopes.left_out.insert(entry.clone());
        }
        let before = self.in_hand.replace(entry);
        let sure = |bar: &Bar| minded.is_none() && !bar.about.iter().any(|subject| self.clouds.contains_key(subject));
        let bars = bars.into_iter().filter(|bar| bar.firm || sure(bar)).collect();
        self.object(bars);
        if let Some(bar) = minded {
            self.mind(bar);
        }
        self.in_hand = before;
    }

    /// Whether something that ends a list of orders does so. A check goes on where that hangs on a cloud, since what
    /// follows may come up all the same.
    pub fn ends(&self, holds: bool, on: &[Subject]) -> bool {
        holds && (self.hopes.is_none() || on.iter().all(|subject| !self.clouds.contains_key(subject)))
    }

    /// Whether nothing at all is in doubt: a hoped-for end of the game ends a check only then, since what follows may come
    /// up all the same. It never ends what is only tried out.
    pub fn is_sure(&self) -> bool {
        self.hopes.as_ref().is_none_or(|hopes| !hopes.tries_out && !self.is_in_doubt())
    }

    /// The order in hand was found legal: in a drill, does it stand in the list of what is legal?
    pub fn listed(&mut self, stands: impl FnOnce() -> bool) {
        let order = self.in_hand.clone().unwrap_or_else(DocPath::root);
        let Some(hopes) = &mut self.hopes else { return };
        // What is refused is not legal after all, and what is accepted with a warning need not be proposed to anybody.
        if hopes.found.iter().any(|found| below(&order, &found.order)) {
            return;
        }
        if let Some(drill) = &mut hopes.drill {
            drill.looked_up += 1;
            if !stands() {
                drill.unlisted.push(order);
            }
        }
    }

    /// Whether orders found legal are looked up, for a list that has to be made before the order is carried out.
    pub fn drills(&self) -> bool {
        self.hopes.as_ref().is_some_and(|hopes| hopes.drill.is_some())
    }

    /// Whether this is a check beforehand. For telling only; no rule may depend on it.
    pub fn foresees(&self) -> bool {
        self.hopes.is_some() && self.loose.is_none()
    }

    /// An order, or the part of it these bars concern, is not carried out. In a check every bar is a fault.
    /// Whatever the bars are about is in doubt from then on.
    pub fn lapse(&mut self, bars: Vec<Bar>, event: impl FnOnce(&[Bar]) -> G::Event) {
        let about = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        self.forgo(bars, about, event);
    }

    /// The same for parts of one order at once, each told for itself: what one of them rests on is no excuse for another.
    pub fn lapse_parts<T>(&mut self, parts: Vec<(T, Vec<Bar>)>, event: impl Fn(T, &[Bar]) -> G::Event) {
        let mut doubtful: Vec<(Vec<Subject>, Cloud)> = Vec::new();
        for (part, bars) in parts {
            let about = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
            doubtful.extend(self.left_undone(bars, |bars| event(part, bars)).map(|cause| (about, cause)));
        }
        for (about, cause) in doubtful {
            self.cloud(about, &cause);
        }
    }

    /// The same for an order that would have changed just these, whatever else its bars are about.
    pub fn forgo(&mut self, bars: Vec<Bar>, changed: Vec<Subject>, event: impl FnOnce(&[Bar]) -> G::Event) {
        if let Some(cause) = self.left_undone(bars, event) {
            self.cloud(changed, &cause);
        }
    }

    /// Keeps in mind and tells what was not done; why whatever it would have changed is in doubt, if it is.
    fn left_undone(&mut self, bars: Vec<Bar>, event: impl FnOnce(&[Bar]) -> G::Event) -> Option<Cloud> {
        if bars.is_empty() {
            return None;
        }
        let order = self.in_hand.clone().unwrap_or_else(DocPath::root);
        let own = Cloud::Refused(order.clone());
        let cloud = |bar: &Bar| bar.about.iter().find_map(|subject| self.clouds.get(subject)).cloned();
        // What an order that came to nothing would have changed is as doubtful as what it came to nothing for; in a real run
        // too, what hangs on a mistake hangs on something.
        let cause = bars.iter().find_map(cloud).unwrap_or_else(|| own.clone());
        if self.hopes.is_some() {
            self.object(bars);
            return Some(cause);
        }
        // A fault of an order is no excuse for its other faults.
        let known = |bar: &Bar| cloud(bar).filter(|cloud| *cloud != own);
        let lapsed = |bar: &Bar| Lapsed { order: order.clone(), bar: bar.clone(), cloud: known(bar) };
        let lapsed: Vec<Lapsed> = bars.iter().map(lapsed).collect();
        self.lapsed.extend(lapsed);
        let event = event(&bars);
        self.note(event);
        Some(cause)
    }

    /// What would bar an order that is not come to in this walk: faults in a check, nothing otherwise.
    pub fn object(&mut self, bars: Vec<Bar>) {
        let order = self.in_hand.clone().unwrap_or_else(DocPath::root);
        let Some(hopes) = &mut self.hopes else { return };
        // A fault of an order is no excuse for its other faults.
        let own = Cloud::Refused(order.clone());
        for bar in bars {
            let mut clouds = bar.about.iter().filter_map(|subject| self.clouds.get(subject));
            let cloud = clouds.find(|cloud| **cloud != own).cloned();
            let found = Found { order: order.clone(), bar, cloud, minded: false };
            // Units of one order that share a fault are named once.
            if !hopes.found.iter().any(|other| other.is_of(&found) && other.bar.why == found.bar.why) {
                hopes.found.push(found);
            }
        }
    }

    /// A sealed entry stays sealed for these reasons, which only its owner can tell: kept in mind, and no event.
    pub fn withheld(&mut self, bars: Vec<Bar>) {
        let order = self.in_hand.clone().unwrap_or_else(DocPath::root);
        for bar in bars.into_iter().filter(|_| self.hopes.is_none()) {
            let cloud = bar.about.iter().find_map(|subject| self.clouds.get(subject)).cloned();
            self.lapsed.push(Lapsed { order: order.clone(), bar, cloud });
        }
    }

    /// Legal, but hardly meant: a warning in a check, nothing otherwise.
    pub fn mind(&mut self, bar: Bar) {
        let order = self.in_hand.clone();
        if let (Some(hopes), Some(order)) = (&mut self.hopes, order) {
            hopes.found.push(Found { order, bar, cloud: None, minded: true });
        }
    }

    /// The author's last order is carried out: a check ends here.
    pub fn decided(&mut self) -> Ruling<()> {
        match &mut self.hopes {
            None => Ok(()),
            Some(hopes) => {
                hopes.decided = true;
                if matches!(hopes.luck, Luck::Loose { whole: true, .. }) { Ok(()) } else { Err(Halt::Foreseen) }
            }
        }
    }

    /// These may be otherwise than foreseen from now on. Where chances are counted nothing may: every die has fallen.
    pub fn cloud(&mut self, on: impl IntoIterator<Item = Subject>, cause: &Cloud) {
        for subject in on.into_iter().filter(|_| self.loose.is_none()) {
            let cloud = self.clouds.entry(subject).or_insert_with(|| cause.clone());
            // What came of it nobody could know, whatever was wrong with the orders before.
            if self.hopes.is_none() && matches!(cloud, Cloud::Refused(_)) {
                *cloud = cause.clone();
            }
        }
    }

    /// Something done on the strength of `on` changes `touched`: a cloud on the one is a cloud on the other.
    pub fn rests(&mut self, on: &[Subject], touched: impl IntoIterator<Item = Subject>) {
        if let Some(cause) = on.iter().find_map(|subject| self.clouds.get(subject)).cloned() {
            self.cloud(touched, &cause);
        }
    }

    /// Whether a cloud lies on anything.
    pub fn is_in_doubt(&self) -> bool {
        !self.clouds.is_empty()
    }

    /// The cloud on a unit or hex.
    pub fn cloud_on(&self, subject: &Subject) -> Option<&Cloud> {
        self.clouds.get(subject)
    }

    /// A labelled roll and how it is read. The greatest result is best for `good_for`.
    pub fn throw<R: Ord + Clone + fmt::Display>(
        &mut self,
        good_for: Side,
        about: &Subject,
        purpose: &str,
        dice: &[Die],
        read: impl Fn(&[u16]) -> R,
        on: Touch,
    ) -> Ruling<Thrown<R>> {
        if self.loose.is_some() {
            let label = self.key(about, purpose)?;
            let faces = self.loose_faces(&label, dice, || results(dice, &read)).unwrap_or_default();
            return Ok(Thrown { result: read(&faces), cast: Cast::of(&faces) });
        }
        let cause = Cloud::Die(purpose.to_owned());
        let Some(hopes) = &mut self.hopes else {
            let faces = self.roll(about, purpose, dice)?;
            self.cloud(on.on, &cause);
            return Ok(Thrown { result: read(&faces), cast: Cast::of(&faces) });
        };
        let count = hopes.throws.entry(format!("{}/{about}/{purpose}", self.phase)).or_insert(0);
        *count += 1;
        let mut best = hopes.author == good_for;
        best ^= hopes.luck == Luck::Bad && !on.counted_on;
        best ^= *count >= PATIENCE && !on.counted_on;
        let (faces, chances) = enumerate(dice, best, &read);
        self.cloud(on.on, &cause);
        Ok(Thrown { result: read(&faces), cast: Cast::foreseen(faces, chances) })
    }

    /// What the author of a check can read of hidden values: his own, and what lies open.
    fn glimpse<T: Hidden>(&self, of: &[&Sealed<T>]) -> Ruling<Option<Vec<T>>> {
        if self.hopes.as_ref().is_some_and(|hopes| hopes.all_open) {
            return self.peek(of);
        }
        let author = self.hopes.as_ref().map(Hopes::author);
        let his = |sealed: &&Sealed<T>| author == Some(sealed.owner()) || self.is_open(sealed);
        if of.iter().all(his) { self.peek(of) } else { Ok(None) }
    }

    /// What the author of a check knows of a hidden value. In a real run everybody is blind.
    pub fn eyes<T: Hidden>(&self, sealed: &Sealed<T>) -> Option<T> {
        self.hopes.as_ref()?;
        self.glimpse(&[sealed]).ok().flatten().and_then(|mut values| values.pop())
    }

    /// What a check reckons with where nobody can know: the one in the walk with luck, the other in the walk without.
    pub fn hope_or_fear<T>(&self, hope: T, fear: T) -> T {
        let fearful = |hopes: &Hopes| matches!(hopes.luck, Luck::Bad | Luck::Loose { fear: true, .. });
        if self.hopes.as_ref().is_some_and(fearful) { fear } else { hope }
    }

    /// The same where only chances are counted from the weakest to the strongest; a check hopes in both its walks.
    pub fn weakest_or_strongest<T>(&self, weakest: T, strongest: T) -> T {
        let fearful = |hopes: &Hopes| matches!(hopes.luck, Luck::Loose { fear: true, .. });
        if self.hopes.as_ref().is_some_and(fearful) { strongest } else { weakest }
    }

    /// Whether dice are let loose to count chances: nothing that is noted is told to anybody.
    pub fn counts_chances(&self) -> bool {
        self.loose.is_some()
    }

    fn guessed(&mut self) {
        if let Some(hopes) = &mut self.hopes {
            hopes.guessed = true;
        }
    }

    /// Everybody sees the hidden value now. A check that cannot read it reckons with `hope`.
    pub fn open_or<T: Hidden>(&mut self, sealed: &Sealed<T>, about: &[Subject], hope: T) -> Ruling<T> {
        let cause = Cloud::Secret(sealed.slot().to_string());
        if self.hopes.is_none() {
            self.cloud(about.iter().cloned(), &cause);
            return self.open(sealed);
        }
        if let Some(value) = self.glimpse(&[sealed])?.and_then(|mut values| values.pop()) {
            return Ok(value);
        }
        self.guessed();
        self.cloud(about.iter().cloned(), &cause);
        Ok(hope)
    }

    /// Everybody learns one fact about hidden values of one owner. A check that cannot read them reckons with `hope`.
    pub fn fact_or<T: Hidden, F: Fact>(
        &mut self,
        of: &[&Sealed<T>],
        about: &Subject,
        what: &str,
        f: impl Fn(&[T]) -> F,
        hope: F,
    ) -> Ruling<F> {
        let cause = Cloud::Secret(what.to_owned());
        if self.hopes.is_none() {
            self.cloud([about.clone()], &cause);
            return self.fact(of, about, what, f);
        }
        // Played already: what was stated then, where the same is asked again.
        if self.loose.is_some()
            && let Some(stated) = self.stated(about, what)?
        {
            return Ok(stated);
        }
        if let Some(values) = self.glimpse(of)? {
            return Ok(f(&values));
        }
        self.guessed();
        self.cloud([about.clone()], &cause);
        Ok(hope)
    }

    /// A condition on hidden values that a signature vouches for; a fault where the author can see that it fails, and
    /// whatever the bar is about is in doubt from then on.
    pub fn vouch<T: Hidden>(&mut self, all: &[&Sealed<T>], bar: Bar, holds: impl Fn(&[T]) -> bool) -> Ruling<()> {
        if self.hopes.is_none() {
            return self.attest(all, bar.clause, holds);
        }
        if self.glimpse(all)?.is_some_and(|values| !holds(&values)) {
            let order = self.in_hand.clone().unwrap_or_else(DocPath::root);
            self.cloud(bar.about.iter().cloned(), &Cloud::Refused(order.clone()));
            if let Some(hopes) = &mut self.hopes {
                hopes.found.push(Found { order, bar: bar.firm(), cloud: None, minded: false });
            }
        }
        Ok(())
    }
}

/// Every face of every die, each for itself; nothing if they are too many.
pub(super) fn every_face(dice: &[Die]) -> Option<Ways> {
    let of =
        dice.iter().try_fold(1u32, |all, die| all.checked_mul(u32::from(die.sides())).filter(|n| *n <= COUNTED))?;
    Some((0..of).map(|number| (numbered(dice, number), 1)).collect())
}

/// The faces with this number among all of some dice.
fn numbered(dice: &[Die], number: u32) -> Vec<u16> {
    let mut rest = number;
    let face = |die: &Die| {
        let sides = u32::from(die.sides());
        let face = rest % sides;
        rest /= sides;
        u16::try_from(face + 1).unwrap_or(1)
    };
    dice.iter().map(face).collect()
}

/// The results of a roll, each with the first faces that come to it and the number of ways.
fn results<R: Ord>(dice: &[Die], read: &impl Fn(&[u16]) -> R) -> Option<Ways> {
    let mut ways: BTreeMap<R, (Vec<u16>, u32)> = BTreeMap::new();
    for (faces, count) in every_face(dice)? {
        ways.entry(read(&faces)).or_insert((faces, 0)).1 += count;
    }
    Some(ways.into_values().collect())
}

/// The faces of the best (or worst) result, and every result with the number of ways it comes up, best first.
fn enumerate<R: Ord + Clone + fmt::Display>(
    dice: &[Die],
    best: bool,
    read: &impl Fn(&[u16]) -> R,
) -> (Vec<u16>, Vec<Way>) {
    let of = dice.iter().try_fold(1u32, |all, die| all.checked_mul(u32::from(die.sides())).filter(|n| *n <= COUNTED));
    let extremes = [vec![1u16; dice.len()], dice.iter().map(|die| die.sides()).collect()];
    let Some(of) = of else {
        // Too many to count: high faces or low ones, whichever reads better.
        let [low, high] = extremes;
        let high_is_better = read(&high) >= read(&low);
        return (if high_is_better == best { high } else { low }, Vec::new());
    };
    let mut ways: BTreeMap<R, (u32, Vec<u16>)> = BTreeMap::new();
    for number in 0..of {
        let faces = numbered(dice, number);
        ways.entry(read(&faces)).or_insert((0, faces)).0 += 1;
    }
    let chosen = if best { ways.last_key_value() } else { ways.first_key_value() };
    let faces = chosen.map_or_else(Vec::new, |(_, (_, faces))| faces.clone());
    let way = |(result, (ways, _)): (&R, &(u32, Vec<u16>))| Way { result: result.to_string(), ways: *ways, of };
    (faces, ways.iter().rev().map(way).collect())
}

struct Walked<G: Rules> {
    state: G::State,
    orders: G::Orders,
    journal: Vec<Noted<G::Event>>,
    hopes: Hopes,
    /// The hoped-for course ends the game: nothing is said of what comes after.
    over: bool,
    /// The game contradicted itself.
    bug: Option<String>,
}

fn walk<G: Rules>(
    game: &G,
    seen: &Seen<'_, G::State>,
    author: Side,
    said: &Said,
    foresaid: &Foresaid<'_>,
    orders: &G::Orders,
    luck: Luck,
) -> Walked<G> {
    let (public, versions, mut orders) = (Holdings::default(), Versions::new(), orders.clone());
    let mut state = seen.state.clone();
    let closer = [author];
    let mut umpire = Umpire::new(game, hopeful(seen, said, &public, &versions, &closer, foresaid.questions));
    umpire.hopes = Some(Hopes::new(author, luck, foresaid.drill));
    let halt = game.resolve(&mut state, &mut orders, &mut umpire).err();
    let bug = match &halt {
        Some(Halt::Bug(bug)) => Some(bug.clone()),
        Some(Halt::WrongDie { called, .. }) => Some(format!("a die for {called} in a check")),
        _ => None,
    };
    let (journal, hopes) = umpire.end_foreseeing();
    let mut hopes = hopes.unwrap_or_else(|| Hopes::new(author, luck, false));
    hopes.cut_short |= matches!(halt, Some(Halt::NoDice(_) | Halt::Breach(_)) | Some(Halt::Stop(Stop::Facts { .. })));
    let over = matches!(halt, Some(Halt::Stop(Stop::End)));
    Walked { state, orders, journal, hopes, over, bug }
}

pub(super) fn hopeful<'a, S>(
    seen: &Seen<'a, S>,
    said: &'a Said,
    public: &'a Holdings,
    versions: &'a Versions,
    closer: &'a [Side],
    questions: Questions,
) -> Segment<'a> {
    Segment {
        dice: Dice::None,
        settled: Settled::default(),
        said,
        public,
        holdings: seen.holdings,
        versions,
        tickets: Tickets::NONE,
        closer_holds: closer,
        questions,
    }
}

/// Checks a packet by carrying it out as its author hopes; writes it out in full.
pub fn foresee<G: Rules>(
    game: &G,
    seen: &Seen<'_, G::State>,
    stop: &Stop,
    said: &Foresaid<'_>,
    orders: &mut G::Orders,
    at: &DocPath,
) -> Foreseen<G> {
    let Some(author) = stop.who() else {
        return Foreseen {
            faults: Vec::new(),
            outlook: Vec::new(),
            pending: Vec::new(),
            state: seen.state.clone(),
            drill: Drill::default(),
        };
    };
    let spoken = said.spoken(author);
    let lucky = walk(game, seen, author, &spoken, said, orders, Luck::Good);
    let entries = game.entries(orders);
    let doubtful = lucky.hopes.found.iter().any(|found| !found.minded && !found.bar.firm);
    let unlucky = (doubtful || entries.iter().any(|entry| !lucky.hopes.heard(entry)))
        .then(|| walk(game, seen, author, &spoken, said, orders, Luck::Bad));
    let mut faults = Vec::new();
    if let Some(bug) = &lucky.bug {
        let what = format!("these orders make the rules contradict themselves: {bug}");
        faults.push(Fault::new(at, what, "this is a fault of garcia, not of the file: please report it"));
    }
    faults.extend(lucky.hopes.told(unlucky.as_ref().map(|walked| &walked.hopes), at));
    if !lucky.hopes.cut_short && !lucky.over && lucky.bug.is_none() {
        let walks = [Some(&lucky), unlucky.as_ref()];
        let heard = |entry: &DocPath| walks.iter().flatten().any(|walked| walked.hopes.knows(entry));
        let silent: Vec<&DocPath> = entries.iter().filter(|entry| !heard(entry)).collect();
        faults.extend(unheard(&silent, &faults, at));
    }
    let mut drill = lucky.hopes.drill.unwrap_or_default();
    if let Some(other) = unlucky.and_then(|walked| walked.hopes.drill) {
        drill.looked_up += other.looked_up;
        drill.unlisted.extend(other.unlisted);
    }
    *orders = lucky.orders;
    Foreseen { faults, outlook: lucky.journal, pending: lucky.hopes.pending, state: lucky.state, drill }
}

/// Whether one place lies in another.
fn below(one: &DocPath, other: &DocPath) -> bool {
    one.segments().starts_with(other.segments())
}

impl Hopes {
    /// Did an entry, or a part of it, come up?
    fn heard(&self, entry: &DocPath) -> bool {
        self.came_up.iter().any(|heard| below(heard, entry) || below(entry, heard))
    }

    /// Was it taken in hand? What is wrong with the packet as a whole belongs to no entry.
    fn took(&self, order: &DocPath) -> bool {
        order.segments().is_empty() || self.came_up.contains(order)
    }

    /// Did it come up, or is it known why it did not?
    fn knows(&self, entry: &DocPath) -> bool {
        self.heard(entry) || self.spared.iter().any(|spared| below(entry, spared))
    }

    /// Everything a check has to say about what was found in its walks.
    fn told(&self, unlucky: Option<&Hopes>, at: &DocPath) -> Vec<Fault> {
        let mut both = self.barred(unlucky);
        let (sure, either): (Vec<&Found>, Vec<&Found>) =
            self.torn(&both, unlucky).into_iter().partition(|found| found.is_sure());
        let either = either.into_iter().filter(|found| !sure.iter().any(|known| known.is_beside(found)));
        let either: Vec<Fault> = either.map(|found| found.either_way(at)).collect();
        both.extend(sure);
        both.into_iter().map(|found| found.fault(at)).chain(either).collect()
    }

    /// What bars an order with luck for one reason and without it for another: on dice in between it may be legal, unless
    /// no die changes one of the reasons.
    fn torn<'f>(&'f self, both: &[&Found], unlucky: Option<&'f Hopes>) -> Vec<&'f Found> {
        let Some(other) = unlucky else { return Vec::new() };
        let barred = |found: &Found| both.iter().any(|known| !known.minded && known.order == found.order);
        // Of one that no die changes it does not matter what part of the order the other reason bars.
        let meets = |one: &Found, others: &[Found]| {
            let with = |other: &Found| other.is_beside(one) || (one.is_sure() && other.order == one.order);
            others.iter().any(|other| !other.minded && with(other))
        };
        let of = |found: &'f [Found], others: &'f [Found]| {
            found.iter().filter(move |one| !one.minded && !barred(one) && meets(one, others))
        };
        of(&self.found, &other.found).chain(of(&other.found, &self.found)).collect()
    }

    /// What is barred in every walk it comes up in, and whatever is firm. Without a second walk, everything.
    fn barred<'f>(&'f self, unlucky: Option<&'f Hopes>) -> Vec<&'f Found> {
        let Some(other) = unlucky else { return self.found.iter().collect() };
        // What comes up in one walk only is judged by that. What would bar an entry that does not come up there either, if
        // it did, is nothing against it where the other leaves it out.
        let alone = |found: &Found, of: &Hopes, other: &Hopes| {
            !other.took(&found.order)
                && (found.minded || of.took(&found.order) || !other.left_out.contains(&found.order))
        };
        let also = |found: &Found| {
            other.cut_short || alone(found, self, other) || other.found.iter().any(|known| known.is_of(found))
        };
        let mut all: Vec<&Found> =
            self.found.iter().filter(|found| found.minded || found.bar.firm || also(found)).collect();
        for found in &other.found {
            let counts = alone(found, other, self) || (found.bar.firm && !found.minded);
            if counts && !all.iter().any(|known| known.is_of(found)) {
                all.push(found);
            }
        }
        all
    }
}

impl Found {
    fn fault(&self, at: &DocPath) -> Fault {
        let fault = self.bar.fault(&at.join(&self.order));
        match &self.cloud {
            _ if self.minded => fault.as_warning(),
            Some(cloud) if !self.bar.firm => {
                let remedy = format!("it hangs on something else ({cloud}); {}", fault.remedy);
                Fault { remedy, ..fault }.as_warning()
            }
            _ => fault,
        }
    }

    /// The same of what bars an order in one walk, where something else does in the other.
    fn either_way(&self, at: &DocPath) -> Fault {
        let fault = self.bar.fault(&at.join(&self.order));
        let remedy = format!("some dice may let it pass, neither the best nor the worst do; {}", fault.remedy);
        Fault { remedy, ..fault }.as_warning()
    }
}

/// Entries of the packet that never came up: silence about an order is a fault too.
fn unheard(silent: &[&DocPath], named: &[Fault], at: &DocPath) -> Vec<Fault> {
    let silent = silent.iter().filter(|entry| {
        let place = at.join(entry);
        !named.iter().any(|fault| below(&fault.at, &place))
    });
    let what = |entry: &DocPath| format!("nothing would come of `{entry}`: it is never carried out");
    silent.map(|entry| Fault::new(&at.join(entry), what(entry), "leave it out, or see `garcia template`")).collect()
}

/// The entries of a packet as it is written: the items of every list and map at its top, and single values.
pub fn entries_of(orders: &impl serde::Serialize) -> Vec<DocPath> {
    let Ok(Json::Map(members)) = to_json(orders) else { return Vec::new() };
    let mut entries = Vec::new();
    for (key, value) in &members {
        let at = DocPath::root().key(key);
        match value {
            Json::List(items) => entries.extend((0..items.len()).map(|index| at.index(index))),
            Json::Map(members) => entries.extend(members.keys().map(|key| at.key(key))),
            Json::Bool(false) => {}
            _ => entries.push(at),
        }
    }
    entries
}

/// Keeps a table open on which everything goes well: template and random player carry out deed after deed on it with
/// resolution's own methods.
pub fn hoping<G: Rules, T>(
    game: &G,
    seen: &Seen<'_, G::State>,
    who: Side,
    f: impl FnOnce(&mut G::State, &mut Umpire<'_, G>) -> T,
) -> T {
    let (public, versions, said) = (Holdings::default(), Versions::new(), Said::default());
    let closer = [who];
    let mut state = seen.state.clone();
    let mut umpire = Umpire::new(game, hopeful(seen, &said, &public, &versions, &closer, Questions::default()));
    umpire.hopes = Some(Hopes { tries_out: true, ..Hopes::new(who, Luck::Good, false) });
    f(&mut state, &mut umpire)
}

#[cfg(test)]
mod tests;
