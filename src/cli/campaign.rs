//! A game folder with the ledger in it, replayed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::doc::{Fault, Source, read_document};
use crate::engine::submission::{Checked, Due, Joined, Outlook, Submission, join};
use crate::engine::{Charter, Holdings, Json, Key, Match, Questions, Ruleset, Side, Stop, View};
use crate::games;
use crate::report::TurnReport;
use crate::trust::Id;
use crate::trust::data::{Data, Genesis, Mode, RollSaid};
use crate::trust::finding::{Code, Finding};
use crate::trust::home::Home;
use crate::trust::ledger::Ledger;
use crate::trust::record::Record;
use crate::trust::replay::Vision;
use crate::trust::role::Role;
use crate::trust::store::{LedgerFolder, Readers, write_whole};

use super::{Trouble, World, exit};

/// The folder of a game's own data files, where it is played with some.
pub const DATA: &str = "data";
/// The folder with the schemas that editors complete order files from.
pub const SCHEMAS: &str = "schemas";
/// The folder of the order files.
pub const ORDERS: &str = "orders";

/// What was found in each file.
pub type FoundIn = Vec<(Source, Vec<Fault>)>;

/// A game folder, open.
pub struct Campaign {
    /// Where it is.
    pub folder: PathBuf,
    /// What its records lead to.
    pub ledger: Ledger,
    /// What this view holds of hidden things.
    pub holdings: Holdings,
    /// The role whose secrets are at hand; none for a solo game and for a mere reader.
    pub role: Option<Role>,
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

/// The game folder that was named, or the nearest one from here upwards.
pub fn find(world: &World) -> Result<PathBuf, Trouble> {
    let is_game = |folder: &Path| folder.join("ledger").is_dir();
    if let Some(folder) = &world.game {
        if is_game(folder) {
            return Ok(folder.clone());
        }
        let what = format!("{} is no game folder: it has no `ledger`", folder.display());
        return Err(Trouble::usage(what, "name the folder that `garcia new` made"));
    }
    let here = std::env::current_dir().map_err(|error| Trouble::unreadable(Path::new("."), &error))?;
    // Relative, so that messages name files as the player would.
    let mut relative = PathBuf::new();
    for folder in here.ancestors() {
        if is_game(folder) {
            return Ok(relative);
        }
        relative.push("..");
    }
    Err({
        let remedy = "go into one, name one with `-C DIR`, or begin a game with `garcia new GAME --solo`";
        Trouble::usage("this is no game folder, nor is any folder above it", remedy)
    })
}

/// Every YAML file of a folder, by name.
pub fn data_files(folder: &Path) -> Result<BTreeMap<String, String>, Trouble> {
    let mut files = BTreeMap::new();
    let entries = fs::read_dir(folder).map_err(|error| Trouble::unreadable(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| Trouble::unreadable(folder, &error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && (name.ends_with(".yaml") || name.ends_with(".yml")) && !name.starts_with('.') {
            let text = fs::read_to_string(&path).map_err(|error| Trouble::unreadable(&path, &error))?;
            files.insert(name, text);
        }
    }
    Ok(files)
}

/// Lays the table a genesis describes, with the data files of its folder.
pub fn lay(folder: &Path, genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let not_judged = |what: String| Finding::new(Code::Engine, what);
    let Some(ruleset) = games::GAMES.iter().find(|game| game.id() == genesis.ruleset) else {
        return Err(not_judged(format!("this garcia does not know the game `{}`", genesis.ruleset)));
    };
    let mut options = genesis.options.clone().unwrap_or_default();
    options.remove("questions");
    let own = folder.join(DATA);
    let data = match own.is_dir() {
        true => data_files(&own).map_err(|trouble| not_judged(trouble.what))?,
        false => BTreeMap::new(),
    };
    let charter = Charter { scenario: genesis.scenario.clone().unwrap_or_default(), options, data };
    ruleset.open(&charter).map_err(|faults| {
        let list: Vec<String> = faults.into_iter().map(|fault| fault.what).collect();
        not_judged(format!("the table cannot be laid: {}", list.join("; ")))
    })
}

/// The records of a game folder, in order.
pub fn records(folder: &Path) -> Result<Vec<Record>, Trouble> {
    let found = LedgerFolder::of_game(folder).read().map_err(|trouble| {
        Trouble::new(exit::NO_INPUT, trouble.to_string(), "see that the folder is there and may be read")
    })?;
    let mut records = Vec::new();
    for file in found.files {
        match file.record {
            Ok(record) if usize::try_from(file.seq) == Ok(records.len()) => records.push(record),
            _ => break,
        }
    }
    let strange = |problem: &&String| !problem.contains("not named like a record");
    match found.problems.iter().find(strange) {
        None => Ok(records),
        Some(problem) => {
            let what = format!("the ledger is not in order: {problem}");
            Err(Trouble::new(exit::NOBODY, what, "run `garcia verify`; get missing records from the other player"))
        }
    }
}

impl Campaign {
    /// Opens the game folder in hand.
    pub fn open(world: &World) -> Result<Campaign, Trouble> {
        let folder = find(world)?;
        let records = records(&folder)?;
        let eyes = records.first().and_then(|genesis| own_vision(world, &genesis.id()));
        Campaign::seen(folder, records, eyes)
    }

    /// The position some records lead to, with what its viewer knows besides.
    pub fn seen(folder: PathBuf, records: Vec<Record>, eyes: Option<Eyes>) -> Result<Campaign, Trouble> {
        let Some(eyes) = eyes else { return Campaign::replay(folder, records) };
        let ledger = Ledger::read(records, |genesis| lay(&folder, genesis), eyes.vision)?;
        Ok(Campaign::of_role(folder, ledger, &eyes.role))
    }

    /// A campaign whose ledger is at hand, with the eyes of the one who replayed it.
    pub fn of_role(folder: PathBuf, ledger: Ledger, role: &Role) -> Campaign {
        let mut campaign = Campaign::of(folder, ledger);
        campaign.seat = campaign.table().ruleset().side(role.as_str());
        campaign.role = Some(role.clone());
        campaign.refresh();
        campaign
    }

    /// The same with the eyes of a player, of whom nothing more is known than the ledger says.
    pub fn seen_as(mut self, reader: Side) -> Campaign {
        self.seat = Some(reader);
        self.refresh();
        self
    }

    /// What a game master shows one side.
    pub fn shown_to(&self, side: Side) -> Campaign {
        let mut shown = Campaign::of(self.folder.clone(), self.ledger.clone());
        shown.holdings = self.ledger.holdings_of(side);
        shown.seat = Some(side);
        shown
    }

    /// The position some records lead to.
    pub fn replay(folder: PathBuf, records: Vec<Record>) -> Result<Campaign, Trouble> {
        let ledger = Ledger::read(records, |genesis| lay(&folder, genesis), Vision::public())?;
        Ok(Campaign::of(folder, ledger))
    }

    /// A campaign whose ledger is at hand.
    pub fn of(folder: PathBuf, ledger: Ledger) -> Campaign {
        let mut campaign = Campaign {
            folder,
            holdings: Holdings::default(),
            role: None,
            seat: None,
            standing: BTreeMap::new(),
            game_id: ledger.protocol().game().map(|id| id.to_string()).unwrap_or_default(),
            ledger,
        };
        campaign.refresh();
        campaign
    }

    /// Takes note of what the ledger says now.
    pub fn refresh(&mut self) {
        self.holdings = self.ledger.holdings();
        let who = self.stop().who();
        if let Some(seat) = self.seat {
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

    /// The position as one side sees it; whoever plays alone sees everything, a player at his seat never more than his own.
    pub fn view(&self, side: Option<Side>) -> View<'_> {
        let side = if self.ledger.protocol().mode() == Mode::Solo { None } else { self.seat.or(side) };
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
            try_out: Some(&try_out),
        })
    }

    /// Reads and checks the order files of one seat.
    pub fn check(&self, files: &[PathBuf]) -> Result<(Submission, FoundIn), Trouble> {
        self.foresee(files).map(|(submission, _, warnings)| (submission, warnings))
    }

    /// The same, with what will come of them if all goes well.
    pub fn foresee(&self, files: &[PathBuf]) -> Result<(Submission, Option<Outlook>, FoundIn), Trouble> {
        let (joined, mut faults) = read_files(files)?;
        let Checked { submission, faults: found, outlook } = self.due(|due| Submission::check(&joined.node, due));
        let joined_well = faults.is_empty();
        faults.extend(found);
        let sorted: FoundIn = joined.sort(faults).into_iter().map(|(source, list)| (source.clone(), list)).collect();
        match submission {
            Some(submission) if joined_well => Ok((submission, outlook, sorted)),
            _ => Err(Trouble::faults(sorted)),
        }
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

    /// The report of the span the last record belongs to; its headline is that of the moment it began.
    pub fn turn_report(&self) -> Option<TurnReport<'_>> {
        let (journal, told) = self.ledger.replay().journal()?;
        let headline = self.table().headline(self.ledger.replay().began());
        let view = self.view(None);
        let lead = vec![self.dice_line()];
        Some(TurnReport { table: self.table(), headline, lead, view, journal, told, stop: self.stop() })
    }

    /// The state as it is written for people to read.
    pub fn write_state(&self) -> Result<PathBuf, Trouble> {
        let state = self.ledger.replay().state();
        let json = self.table().state_json(state).map_err(|error| Trouble::bug(error.to_string()))?;
        let text = serde_yaml::to_string(&json).map_err(|error| Trouble::bug(error.to_string()))?;
        let head = "# The position, for reading. It is derived from the ledger and never read back.\n";
        let path = self.folder.join("state.yaml");
        write_whole(&path, format!("{head}{text}").as_bytes(), Readers::Anyone)?;
        Ok(path)
    }
}

/// What a player knows who has secrets of a game.
pub struct Eyes {
    /// The role he signs as.
    pub role: Role,
    /// What he holds.
    pub vision: Vision,
}

/// What the secrets in the player's home add to a ledger. None there, or a solo game: the public view.
pub fn own_vision(world: &World, game: &Id) -> Option<Eyes> {
    let home = home(world).ok()?;
    let role = home.roles(game).ok()?.into_iter().next()?;
    if role == Role::solo() {
        return None;
    }
    let file = home.game(game, &role).ok()?;
    Some(Eyes { vision: Vision::of(&file), role })
}

/// The folder with the player's secrets.
pub fn home(world: &World) -> Result<Home, Trouble> {
    Ok(Home::find(world.home.as_deref())?)
}

/// Reads the order files of one seat and puts them together.
pub fn read_files(files: &[PathBuf]) -> Result<(Joined, Vec<Fault>), Trouble> {
    let mut read = Vec::new();
    let mut unreadable = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let bytes = if name == "-" { read_stdin() } else { fs::read(path) };
        let bytes = bytes.map_err(|error| Trouble::unreadable(path, &error))?;
        match read_document(&name, &bytes) {
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
