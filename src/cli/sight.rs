//! What one sees of a game: the ledger replayed, with the eyes of a player, a game master or an onlooker.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::engine::doc::{Fault, Source, read_document};
use crate::engine::json::to_json;
use crate::engine::submission::{Checked, Due, Joined, Outlook, Shut, Submission, Whence, join};
use crate::engine::{
    AnyOrders, Chances, Effort, Flow, Foresaid, Holdings, Json, Key, Match, Questions, Ruleset, Side, Stop, View,
};
use crate::games;
use crate::mail::plain_text;
use crate::report::{Message, Told, TurnReport};
use crate::scene::trace;
use crate::trust::Id;
use crate::trust::data::{Data, Mode, RollSaid};
use crate::trust::home::Home;
use crate::trust::ledger::Ledger;
use crate::trust::record::Record;
use crate::trust::remarks;
use crate::trust::replay::Vision;
use crate::trust::role::Role;
use crate::trust::seat::Awaited;
use crate::trust::store::{Readers, write_whole};

use super::folder::{FACE_DOWN, STATE, find, lay, records};
use super::{Trouble, World, opponent};

/// What was found in each file.
pub type FoundIn = Vec<(Source, Vec<Fault>)>;

/// What one sees of a game.
pub struct Sight {
    /// The folder it lies in.
    pub folder: PathBuf,
    /// What its records lead to.
    pub ledger: Ledger,
    /// What this view holds of hidden things.
    pub holdings: Holdings,
    /// The role whose secrets are at hand; none for a mere reader.
    pub role: Option<Role>,
    /// The public half of the key at hand, where a player sits down with one.
    pub key: Option<Id>,
    /// The side whose eyes it is seen with; none for a game master.
    pub seat: Option<Side>,
    /// The standing orders in force of the side that is due.
    standing: BTreeMap<String, Json>,
    game_id: String,
}

/// The rule set with this id, or its neighbours.
pub fn ruleset(id: &str) -> Result<&'static dyn Ruleset, Trouble> {
    let known: Vec<&str> = games::GAMES.iter().map(|game| game.id()).collect();
    games::GAMES.iter().copied().find(|game| game.id() == id).ok_or_else(|| {
        let meant = crate::engine::doc::nearest(id, known.iter().copied());
        let remedy = crate::engine::doc::did_you_mean(&meant)
            .unwrap_or_else(|| format!("the games are {}", crate::engine::doc::one_of(&known)));
        Trouble::usage(format!("there is no game `{id}`"), remedy)
    })
}

impl Sight {
    /// Opens the game folder in hand.
    pub fn open(world: &World) -> Result<Sight, Trouble> {
        let folder = find(world)?;
        let records = records(&folder)?;
        let eyes = records.first().and_then(|genesis| own_vision(world, &genesis.id()));
        let (signed, key) = eyes.as_ref().map_or((None, None), |eyes| (eyes.signed.clone(), eyes.key));
        let mut sight = Sight::seen(folder, records, eyes)?;
        sight.key = key;
        // Orders that a killed command signed, and that did not reach the ledger, are as final as any.
        if let Some(signed) = signed.filter(|signed| signed.body().prev == sight.ledger.protocol().head()) {
            // One that does not fit was signed with a key that the seat has lost since.
            if sight.ledger.append(signed).is_ok() {
                sight.refresh();
            }
        }
        Ok(sight)
    }

    /// The position some records lead to, with what its viewer knows besides.
    pub fn seen(folder: PathBuf, records: Vec<Record>, eyes: Option<Eyes>) -> Result<Sight, Trouble> {
        let Some(eyes) = eyes else { return Sight::replay(folder, records) };
        let ledger = Ledger::read(records, |genesis| lay(&folder, genesis), eyes.vision)?;
        Ok(Sight::of_role(folder, ledger, &eyes.role))
    }

    /// A sight whose ledger is at hand, with the eyes of the one who replayed it.
    pub fn of_role(folder: PathBuf, ledger: Ledger, role: &Role) -> Sight {
        let mut sight = Sight::of(folder, ledger);
        let game = sight.table().ruleset();
        sight.seat = match sight.ledger.protocol().mode() {
            Mode::Solo => opponent::own_side(&sight.folder, game),
            Mode::TwoPlayer | Mode::Gm => game.side(role.as_str()),
        };
        sight.role = Some(role.clone());
        sight.refresh();
        sight
    }

    /// The same with the eyes of a player, of whom nothing more is known than the ledger says.
    pub fn seen_as(mut self, reader: Side) -> Sight {
        self.seat = Some(reader);
        self.refresh();
        self
    }

    /// What a game master shows one side.
    pub fn shown_to(&self, side: Side) -> Sight {
        let mut shown = Sight::of(self.folder.clone(), self.ledger.clone());
        shown.holdings = self.ledger.holdings_of(side);
        shown.seat = Some(side);
        shown
    }

    /// The position some records lead to.
    pub fn replay(folder: PathBuf, records: Vec<Record>) -> Result<Sight, Trouble> {
        let ledger = Ledger::read(records, |genesis| lay(&folder, genesis), Vision::public())?;
        Ok(Sight::of(folder, ledger))
    }

    /// A sight whose ledger is at hand.
    pub fn of(folder: PathBuf, ledger: Ledger) -> Sight {
        let mut sight = Sight {
            folder,
            holdings: Holdings::default(),
            role: None,
            key: None,
            seat: None,
            standing: BTreeMap::new(),
            game_id: ledger.protocol().game().map(|id| id.to_string()).unwrap_or_default(),
            ledger,
        };
        sight.refresh();
        sight
    }

    /// Takes note of what the ledger says now.
    pub fn refresh(&mut self) {
        self.holdings = self.ledger.holdings();
        let who = self.stop().who();
        if let Some(seat) = self.seat {
            // Nothing is sealed in a solo game; against an opponent one looks at one's own side of it.
            if self.ledger.protocol().mode() == Mode::Solo {
                self.holdings = self.ledger.holdings_of(seat);
            }
            self.standing = self.ledger.standing_of(seat);
            return;
        }
        let standing = self.ledger.protocol().standing().iter();
        self.standing = standing
            .filter(|((role, _), _)| who.is_some_and(|side| side.as_str() == role.as_str()))
            .map(|((_, kind), policy)| (kind.clone(), policy.clone()))
            .collect();
    }

    /// The table.
    pub fn table(&self) -> &dyn Match {
        self.ledger.replay().table()
    }

    /// The id of the game.
    pub fn game_id(&self) -> &str {
        &self.game_id
    }

    /// What is due.
    pub fn stop(&self) -> &Stop {
        self.ledger.replay().stop()
    }

    /// The position as one side sees it; whoever plays all sides sees everything, a player at his seat never more than his
    /// own.
    pub fn view(&self, side: Option<Side>) -> View<'_> {
        let alone = self.ledger.protocol().mode() == Mode::Solo;
        let side = if alone { self.seat } else { self.seat.or(side) };
        View { state: self.ledger.replay().state(), holdings: &self.holdings, side }
    }

    /// How open questions are treated.
    pub fn questions(&self) -> Questions {
        self.ledger.replay().questions()
    }

    /// Calls `f` with the moment an order file would be for.
    pub fn due<T>(&self, f: impl FnOnce(&Due<'_>) -> T) -> T {
        let try_out = |answers: &BTreeMap<Key, Json>| self.ledger.try_out(answers);
        f(&Due {
            table: self.table(),
            game_id: Some(&self.game_id),
            view: self.view(self.stop().who()),
            stop: self.stop(),
            questions: self.questions(),
            standing: &self.standing,
            shut: self.shut(),
            try_out: Some(&try_out),
        })
    }

    /// What an answers file may not lay down, and why.
    fn shut(&self) -> Shut {
        let protocol = self.ledger.protocol();
        let openly = !protocol.seals_values() || self.role == Some(Role::gm());
        let whose = |who: Side| protocol.span().is_some_and(|span| span.side.as_str() == who.as_str());
        let planned = protocol.span().is_some_and(|span| span.flow == Flow::Plan) || protocol.is_private();
        let policies = match self.stop().who() {
            Some(who) if !whose(who) => {
                Some("policies hold while your own orders are carried out; these are not yours")
            }
            Some(_) if planned && !openly => Some("the policies of these orders were sealed with them"),
            _ => None,
        };
        let standing = "standing orders are sealed with your next packet";
        Shut { policies, standing: (!openly).then_some(standing) }
    }

    /// Reads and checks the order files of one seat.
    pub fn check(&self, files: &[PathBuf]) -> Result<(Submission, FoundIn), Trouble> {
        self.foresee(files).map(|(submission, _, warnings)| (submission, warnings))
    }

    /// The same, with what will come of them if all goes well.
    pub fn foresee(&self, files: &[PathBuf]) -> Result<(Submission, Option<Outlook>, FoundIn), Trouble> {
        let (joined, faults) = read_files(files)?;
        self.foresee_joined(&joined, faults)
    }

    /// The same of files that are read already, with what was found in joining them.
    pub fn foresee_joined(
        &self,
        joined: &Joined,
        mut faults: Vec<Fault>,
    ) -> Result<(Submission, Option<Outlook>, FoundIn), Trouble> {
        let Checked { submission, faults: found, outlook } = self.due(|due| Submission::check(&joined.node, due));
        let joined_well = faults.is_empty();
        faults.extend(found);
        let sorted: FoundIn = joined.sort(faults).into_iter().map(|(source, list)| (source.clone(), list)).collect();
        match submission {
            Some(submission) if joined_well => Ok((submission, outlook, sorted)),
            _ => Err(Trouble::faults(sorted)),
        }
    }

    /// What checked orders can come to over all dice, with what is laid down for their author's questions.
    pub fn chances(
        &self,
        orders: &AnyOrders,
        outlook: &Outlook,
        supposed: &BTreeMap<(Side, String), Json>,
        effort: &Effort<'_>,
    ) -> Chances {
        let laid: BTreeMap<String, Json> = (outlook.policies.iter().filter(|policy| policy.own))
            .filter(|policy| policy.whence != Whence::Nowhere)
            .map(|policy| (policy.kind.0.to_owned(), policy.said.clone()))
            .collect();
        let said = Foresaid {
            policies: Some(&laid),
            questions: self.questions(),
            supposed: Some(supposed),
            ..Foresaid::default()
        };
        self.table().chances(self.view(self.stop().who()), self.stop(), &said, orders, effort)
    }

    /// Mode and dice, in one line: what every report and `status` says.
    pub fn dice_line(&self) -> String {
        let rolls = rolls(self.ledger.records());
        let verified = match rolls {
            0 => "no rolls yet".to_owned(),
            1 => "the one roll so far verified".to_owned(),
            n => format!("all {n} rolls verified"),
        };
        match self.ledger.protocol().mode() {
            Mode::Solo => format!("solo: dice committed, not shared; {verified}"),
            Mode::TwoPlayer => format!("two players: dice from both, nobody could foresee them; {verified}"),
            Mode::Gm => format!("game master: dice committed by the game master; {verified}"),
        }
    }

    /// The verb that signs orders here.
    pub fn signing_verb(&self) -> &'static str {
        match self.ledger.protocol().mode() {
            Mode::Solo => "resolve",
            Mode::Gm if self.role == Some(Role::gm()) => "resolve",
            Mode::TwoPlayer | Mode::Gm => "send",
        }
    }

    /// The moment of the game in a line. While a motion to go on with this version of the rules or this data waits for its
    /// answer, the position is not known here.
    pub fn moment(&self) -> String {
        match self.ledger.replay().is_awake() {
            true => self.table().headline(self.view(None).state),
            false => format!("{}, up to now by other rules or data", self.table().ruleset().id()),
        }
    }

    /// Has whoever sits here something to decide?
    pub fn has_to_decide(&self) -> bool {
        let awaited = self.ledger.awaited();
        let decides = matches!(awaited, Awaited::Packet { .. } | Awaited::Answers { .. });
        let (who, mode) = (awaited.who(), self.ledger.protocol().mode());
        let gm = self.role == Some(Role::gm());
        decides && (mode == Mode::Solo || gm || (who.is_some() && who == self.role.as_ref()))
    }

    /// The report of the span the last record belongs to; its headline names the packet it tells of.
    pub fn turn_report(&self) -> Option<TurnReport<'_>> {
        let (journal, told) = self.ledger.replay().journal()?;
        let headline = self.headline();
        let view = self.view(None);
        let mut lead = vec![self.dice_line()];
        let (protocol, records) = (self.ledger.protocol(), self.ledger.records());
        lead.extend(protocol.span().map(|span| remarks::before(protocol, records, span.opened)).unwrap_or_default());
        let opened = protocol.span().map_or(usize::MAX, |span| usize::try_from(span.opened).unwrap_or(usize::MAX));
        let messages = messages(records.get(opened..).unwrap_or_default());
        let ended = self.ledger.replay().played().last().filter(|_| self.stop().ends_span()).map(|span| &**span);
        Some(TurnReport {
            table: self.table(),
            headline,
            lead,
            messages,
            view,
            journal,
            told,
            stop: self.stop(),
            ended,
        })
    }

    /// The moment the span began, and whose packet it carried out: `…, turn 3 of 15, 1898-06-24: US, turn`.
    fn headline(&self) -> String {
        let began = self.ledger.replay().began();
        let moment = self.table().headline(began);
        let stop = self.table().packet_due(began);
        let (Some(side), Some((when, _))) = (stop.who(), moment.rsplit_once(": ")) else { return moment };
        let packet = stop.ask().rsplit('-').next().unwrap_or_default();
        let packet = if packet == "setup" { "set-up" } else { packet };
        let turn = match when.contains("turn ") {
            true => String::new(),
            false => format!(", turn {}", self.table().turn(began)),
        };
        format!("{when}{turn}: {}, {packet}", side.name())
    }

    /// The report with the map before and after, as a page shows it.
    pub fn told(&self) -> Option<Told> {
        self.turn_report().map(|report| self.page_of(&report))
    }

    /// The same for whoever reads it later: as one story, whatever was asked and told in between.
    pub fn told_whole(&self) -> Option<Told> {
        self.turn_report().map(|report| self.page_of(&TurnReport { told: 0, ..report }))
    }

    fn page_of(&self, report: &TurnReport<'_>) -> Told {
        let (table, view) = (self.table(), report.view);
        let began = View { state: self.ledger.replay().began(), ..view };
        let before = table.scene(began);
        let mut happened = table.depict(report.journal, view.side);
        trace(&mut happened, &before);
        Told { page: report.page(), before, after: table.scene(view), happened }
    }

    /// The file the report is kept in: the number of the result, the turn and the side it tells of.
    pub fn report_path(&self) -> PathBuf {
        let number = self.ledger.records().len().saturating_sub(1);
        let turn = self.table().turn(self.ledger.replay().began());
        let span = self.ledger.protocol().span();
        let side = span.map_or("all", |span| span.side.as_str());
        self.folder.join("reports").join(format!("{number:04}-t{turn}-{side}.md"))
    }

    /// The state as it is written for people to read.
    pub fn write_state(&self) -> Result<PathBuf, Trouble> {
        let (state, path) = (self.ledger.replay().state(), self.folder.join(STATE));
        // Before an upgrade is in force the position is the one that the version before has written.
        if !self.ledger.replay().is_awake() {
            return Ok(path);
        }
        let json = self.table().state_json(state).map_err(|error| Trouble::bug(error.to_string()))?;
        let text = serde_yaml::to_string(&json).map_err(|error| Trouble::bug(error.to_string()))?;
        let head = "# The position, for reading. It is derived from the ledger and never read back.\n";
        write_whole(&path, format!("{head}{text}").as_bytes(), Readers::Anyone)?;
        self.write_face_down()?;
        Ok(path)
    }

    /// Notes what lies face down where nothing is sealed, for whoever can move to go on with other rules: these could not tell.
    fn write_face_down(&self) -> Result<(), Trouble> {
        let (kept, moves) =
            (self.ledger.face_down(), self.role.as_ref().is_some_and(|role| [Role::gm(), Role::solo()].contains(role)));
        if kept.is_empty() || !moves {
            return Ok(());
        }
        let kept = to_json(&kept).map_err(|error| Trouble::bug(error.to_string()))?;
        let hash = Json::from(self.ledger.replay().state_hash().to_string());
        let text = serde_yaml::to_string(&Json::object([("state", hash), ("kept", kept)]));
        let text = text.map_err(|error| Trouble::bug(error.to_string()))?;
        let head = "# What lies face down in state.yaml, derived from the ledger: `garcia motion upgrade` reads it.\n";
        write_whole(&self.folder.join(FACE_DOWN), format!("{head}{text}").as_bytes(), Readers::OwnerOnly)?;
        Ok(())
    }
}

/// What the players wrote to each other in some records.
pub fn messages(records: &[Record]) -> Vec<Message> {
    remarks::messages(records).into_iter().map(|(from, text)| Message::new(from, text)).collect()
}

/// What a player knows who has secrets of a game.
pub struct Eyes {
    /// The role he signs as.
    pub role: Role,
    /// What he holds.
    pub vision: Vision,
    /// The last thing he decided and signed; a killed command may have kept it from the ledger.
    pub signed: Option<Record>,
    /// The public half of the key in his home.
    pub key: Option<Id>,
}

/// What the secrets in the player's home add to a ledger. None there: the public view.
pub fn own_vision(world: &World, game: &Id) -> Option<Eyes> {
    let home = Home::find(world.home.as_deref()).ok()?;
    let role = home.roles(game).ok()?.into_iter().next()?;
    let file = home.game(game, &role).ok()?;
    Some(Eyes { vision: Vision::of(&file), role, signed: file.last().cloned(), key: home.public_key() })
}

/// Reads the order files of one seat and puts them together.
pub fn read_files(files: &[PathBuf]) -> Result<(Joined, Vec<Fault>), Trouble> {
    let mut read = Vec::new();
    let mut unreadable = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let bytes = if name == "-" { read_stdin() } else { fs::read(path) };
        let bytes = bytes.map_err(|error| Trouble::unreadable(path, &error))?;
        match read_document(&name, &plain_text(&bytes)) {
            Ok(document) => read.push(document),
            Err(bad) => unreadable.push((bad.source, bad.faults)),
        }
    }
    if unreadable.is_empty() { Ok(join(read)) } else { Err(Trouble::faults(unreadable)) }
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)?;
    Ok(bytes)
}

/// How many public rolls some records hold.
pub fn rolls(records: &[Record]) -> usize {
    let open = |roll: &&RollSaid| matches!(roll, RollSaid::Open { .. });
    let of = |record: &Record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => closing.rolls.iter().filter(open).count(),
        _ => 0,
    };
    records.iter().map(of).sum()
}
