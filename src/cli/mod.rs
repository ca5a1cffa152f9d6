//! What a player types: one file per verb.

pub(crate) mod audit;
mod case;
pub(crate) mod check;
mod chronicle;
mod compare;
mod consent;
mod data;
mod demo;
mod desk;
mod direct;
mod dispute;
mod disputed;
mod doctor;
pub(crate) mod folder;
mod games;
mod handover;
mod join;
pub(crate) mod list;
mod luck;
mod map;
mod motion;
mod new;
pub(crate) mod next;
mod odds;
mod opponent;
mod pager;
mod papers;
pub(crate) mod past;
mod post;
mod progress;
mod query;
pub(crate) mod receive;
mod rehearse;
mod remedies;
mod report;
pub(crate) mod resolve;
mod roll;
mod rules;
mod schemas;
mod seats;
mod secret;
pub(crate) mod send;
mod shell;
pub(crate) mod sight;
mod soak;
pub(crate) mod status;
pub(crate) mod template;
mod terms;
mod trouble;
mod tutor;
mod verify;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::report::Look;

pub use schemas::{all as all_schemas, order_file_name};
pub use trouble::{Trouble, exit};

/// Adjudicate wargames by e-mail with dice nobody can foresee or bend.
///
/// Each player writes a YAML order file; garcia checks it, resolves it and writes the new state and a report.
#[derive(Debug, Parser)]
#[command(
    name = "garcia",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Try it:\n  \
        garcia demo                         a whole match before your eyes\n  \
        garcia tutor                        your first two turns, with somebody who explains them\n  \
        garcia new santiago-1898 --solo     begin a game of your own\n  \
        garcia rules santiago-1898 9.3g     look a rule up\n\n\
        `garcia VERB --help` explains each verb with examples.",
    after_long_help = EXIT_CODES
)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

/// What the exit codes mean; they never change.
const EXIT_CODES: &str = "Try it:
  garcia demo                         a whole match before your eyes
  garcia tutor                        your first two turns, with somebody who explains them
  garcia new santiago-1898 --solo     begin a game of your own
  garcia rules santiago-1898 9.3g     look a rule up

Exit codes:
   0  good
   1  an order file, case or data file has faults; verify: a divergence, and whose key signed it
   2  verify: a divergence that is nobody's fault (a damaged, foreign or missing record)
   3  verify: good, but a record is owed; list, doctor: something is due from you
   4  records and dice good, rules not judged (other engine or data)
  64  the command line is wrong, or this is not the moment for it
  66  a file or folder cannot be read
  70  garcia contradicts itself: please report it
  73  a file cannot be written
  75  another garcia is at work in the folder";

#[derive(Debug, Args)]
struct Common {
    /// The game folder; otherwise this one or the nearest above it.
    #[arg(id = "game-folder", short = 'C', long = "game", value_name = "DIR", global = true)]
    game: Option<PathBuf>,
    /// The folder with your key and secrets; otherwise $GARCIA_HOME or the system's place for settings.
    #[arg(long, value_name = "DIR", global = true)]
    home: Option<PathBuf>,
    /// Answer as JSON, for programs.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Games(games::Games),
    Demo(demo::Demo),
    Tutor(tutor::Tutor),
    New(new::New),
    Join(join::Join),
    Status(status::Status),
    List(list::List),
    Doctor(doctor::Doctor),
    Desk(desk::Desk),
    Template(template::Template),
    Check(check::Check),
    Send(send::Send),
    Resend(send::Resend),
    Receive(receive::Receive),
    Resolve(resolve::Resolve),
    Verify(verify::Verify),
    Compare(compare::Compare),
    Dispute(dispute::Dispute),
    Motion(motion::Motion),
    Accept(consent::Accept),
    Decline(consent::Decline),
    Object(papers::Object),
    Notice(papers::Notice),
    Receipt(papers::Receipt),
    Handover(handover::Handover),
    Direct(direct::Direct),
    Secret(secret::Secret),
    Audit(audit::Audit),
    Roll(roll::Roll),
    Report(report::Report),
    Luck(luck::Luck),
    Chronicle(chronicle::Chronicle),
    Map(map::Map),
    Reach(query::Reach),
    Supply(query::Supply),
    Los(query::Los),
    Odds(odds::Odds),
    Rules(rules::Rules),
    Case(case::Case),
    Data(data::Data),
    Completions(shell::Completions),
    Man(shell::Man),
    #[command(hide = true)]
    Rehearse(rehearse::Rehearse),
    #[command(hide = true)]
    Schemas(schemas::Schemas),
    #[command(hide = true)]
    Soak(soak::Soak),
}

/// What every verb is given.
#[derive(Clone, Debug)]
pub struct World {
    /// How the answer may look.
    pub look: Look,
    /// Characters in a line of the terminal, or what `COLUMNS` says where there is none.
    pub columns: usize,
    /// The game folder, if one was named.
    pub game: Option<PathBuf>,
    /// The folder for secrets, if one was named.
    pub home: Option<PathBuf>,
    /// Whether a program reads the answer.
    pub json: bool,
    /// How far the verb has come, for whoever waits.
    pub progress: progress::Progress,
}

/// What a verb answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The text for standard output.
    pub text: String,
    /// The exit code.
    pub code: u8,
}

impl Done {
    /// All went well.
    pub fn good(text: impl Into<String>) -> Done {
        Done { text: text.into(), code: exit::GOOD }
    }

    /// An answer for a program.
    pub fn json(value: &impl serde::Serialize) -> Result<Done, Trouble> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Trouble::bug(error.to_string()))?;
        Ok(Done::good(text + "\n"))
    }

    /// The same with another exit code.
    pub fn with(mut self, code: u8) -> Done {
        self.code = code;
        self
    }
}

/// Runs a command line.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; everything else is a wrong command line.
            let code = if error.use_stderr() { exit::USAGE } else { exit::GOOD };
            error.print().ok();
            return ExitCode::from(code);
        }
    };
    let (look, columns) = (wide(Look::of_stdout()), columns().unwrap_or(Look::PLAIN.width));
    let progress = progress::Progress::default();
    let world = World { look, columns, game: cli.common.game, home: cli.common.home, json: cli.common.json, progress };
    let shown = cli.verb.may_take_long().map(|verb| world.progress.shown(verb));
    let done = cli.verb.run(&world).unwrap_or_else(|trouble| {
        if world.json {
            return trouble.as_json();
        }
        eprint!("{}", trouble.render(wide(Look::of_stderr())));
        Done { text: String::new(), code: trouble.code }
    });
    drop(shown);
    if !world.json && pager::paged(&done.text) {
        return ExitCode::from(done.code);
    }
    let mut out = std::io::stdout().lock();
    // A reader who has seen enough (`| head`) is no trouble.
    if out.write_all(done.text.as_bytes()).and_then(|()| out.flush()).is_err() {
        return ExitCode::from(done.code);
    }
    ExitCode::from(done.code)
}

/// As wide as the terminal, or as `COLUMNS` says where the answer is piped; within what can be read with pleasure.
fn wide(look: Look) -> Look {
    Look { width: columns().map_or(look.width, |width| width.clamp(40, 120)), ..look }
}

/// How many characters a line has, if anybody says so.
fn columns() -> Option<usize> {
    let said = || std::env::var("COLUMNS").ok()?.trim().parse::<usize>().ok().filter(|columns| *columns > 0);
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((terminal_size::Width(width), _)) => Some(usize::from(width)),
        None => said(),
    }
}

impl Verb {
    /// The name of a verb that may keep somebody waiting and asks nothing meanwhile.
    fn may_take_long(&self) -> Option<&'static str> {
        Some(match self {
            Verb::Verify(_) => "verify",
            Verb::Compare(_) => "compare",
            Verb::Receive(_) => "receive",
            Verb::Resolve(_) => "resolve",
            Verb::List(_) => "list",
            Verb::Report(_) => "report",
            Verb::Map(_) => "map",
            Verb::Check(_) => "check",
            Verb::Doctor(_) => "doctor",
            Verb::Luck(_) => "luck",
            Verb::Chronicle(_) => "chronicle",
            Verb::Odds(_) => "odds",
            Verb::Case(_) => "case",
            Verb::Rehearse(_) => "rehearse",
            _ => return None,
        })
    }

    fn run(self, world: &World) -> Result<Done, Trouble> {
        match self {
            Verb::Games(verb) => verb.run(world),
            Verb::Demo(verb) => verb.run(world),
            Verb::Tutor(verb) => verb.run(world),
            Verb::New(verb) => verb.run(world),
            Verb::Join(verb) => verb.run(world),
            Verb::Send(verb) => verb.run(world),
            Verb::Resend(verb) => verb.run(world),
            Verb::Receive(verb) => verb.run(world),
            Verb::Compare(verb) => verb.run(world),
            Verb::Dispute(verb) => verb.run(world),
            Verb::Motion(verb) => verb.run(world),
            Verb::Accept(verb) => verb.run(world),
            Verb::Decline(verb) => verb.run(world),
            Verb::Object(verb) => verb.run(world),
            Verb::Notice(verb) => verb.run(world),
            Verb::Receipt(verb) => verb.run(world),
            Verb::Handover(verb) => verb.run(world),
            Verb::Direct(verb) => verb.run(world),
            Verb::Secret(verb) => verb.run(world),
            Verb::Audit(verb) => verb.run(world),
            Verb::Status(verb) => verb.run(world),
            Verb::List(verb) => verb.run(world),
            Verb::Doctor(verb) => verb.run(world),
            Verb::Desk(verb) => verb.run(world),
            Verb::Template(verb) => verb.run(world),
            Verb::Check(verb) => verb.run(world),
            Verb::Resolve(verb) => verb.run(world),
            Verb::Verify(verb) => verb.run(world),
            Verb::Roll(verb) => verb.run(world),
            Verb::Report(verb) => verb.run(world),
            Verb::Luck(verb) => verb.run(world),
            Verb::Chronicle(verb) => verb.run(world),
            Verb::Map(verb) => verb.run(world),
            Verb::Reach(verb) => verb.run(world),
            Verb::Supply(verb) => verb.run(world),
            Verb::Los(verb) => verb.run(world),
            Verb::Odds(verb) => verb.run(world),
            Verb::Rules(verb) => verb.run(world),
            Verb::Case(verb) => verb.run(world),
            Verb::Data(verb) => verb.run(world),
            Verb::Completions(verb) => verb.run(world),
            Verb::Man(verb) => verb.run(world),
            Verb::Rehearse(verb) => verb.run(world),
            Verb::Schemas(verb) => verb.run(world),
            Verb::Soak(verb) => verb.run(world),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_teaches_by_example() {
        for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("garcia "), "{} has no example", verb.get_name());
        }
    }
}
