//! `garcia tutor`: the first two turns of a game, with somebody who explains each file and each report.

use std::io::{BufRead, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::engine::submission::flow;
use crate::engine::{Json, Stop};
use crate::play::sensible;
use crate::report::wrap;
use crate::trust::store::{Readers, write_whole};

use super::folder::GameFolder;
use super::sight::Sight;
use super::{Done, Trouble, World, check, new, resolve, template};

/// The game that is taught.
const GAME: &str = "santiago-1898";
/// How many turns are played together.
const TURNS: u32 = 2;

/// Learn garcia by playing: the first two turns of santiago-1898 against the program.
///
/// You play the US side in a folder of its own, the program plays Spain. Each file and each report is explained when it
/// comes, and at every step you can look at the file, write it yourself or take a proposal. The folder is a real game:
/// you can go on with it afterwards.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia tutor               makes the folder garcia-tutor and begins
  garcia tutor my-first      in a folder of your choice; if it is there, goes on with it")]
pub struct Tutor {
    /// The folder to play in.
    #[arg(default_value = "garcia-tutor")]
    folder: PathBuf,
}

/// What the pupil wants.
enum Wish {
    /// Look at the order file.
    Show,
    /// Open it in an editor.
    Edit,
    /// Put a plan of the sensible player into it.
    Propose,
    /// Check it.
    Check,
    /// Look at the map.
    Map,
    /// Carry it out.
    Resolve,
    /// Leave.
    Quit,
    /// Not understood.
    Unknown,
}

impl Wish {
    fn of(line: &str) -> Wish {
        match line.trim().to_lowercase().as_str() {
            "s" | "show" => Wish::Show,
            "e" | "edit" => Wish::Edit,
            "p" | "propose" => Wish::Propose,
            "" | "c" | "check" => Wish::Check,
            "m" | "map" => Wish::Map,
            "r" | "resolve" => Wish::Resolve,
            "q" | "quit" | "exit" => Wish::Quit,
            _ => Wish::Unknown,
        }
    }
}

/// Orders as a player would type them: an entry on a line.
fn typed(orders: &Json) -> String {
    let mut text = String::new();
    for (key, value) in orders.as_map().into_iter().flatten() {
        match value {
            Json::List(items) if items.iter().any(|item| matches!(item, Json::Map(_))) => {
                text.push_str(&format!("  {key}:\n"));
                items.iter().for_each(|item| text.push_str(&format!("    - {}\n", flow(item))));
            }
            Json::Map(members) => {
                text.push_str(&format!("  {key}:\n"));
                members.iter().for_each(|(name, value)| text.push_str(&format!("    {name}: {}\n", flow(value))));
            }
            _ => text.push_str(&format!("  {key}: {}\n", flow(value))),
        }
    }
    if text.is_empty() { "  {}\n".to_owned() } else { text }
}

/// The lesson: where it is held, and what was said so far.
struct Lesson {
    world: World,
    /// How the folder is typed on a command line.
    named: String,
}

impl Tutor {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        if world.json {
            return Err(Trouble::usage("a lesson is for people", "leave `--json` out"));
        }
        let named = self.folder.display().to_string();
        let lesson = Lesson { world: World { game: Some(self.folder.clone()), ..world.clone() }, named };
        lesson.welcome();
        if !self.folder.join("ledger").is_dir() {
            lesson.begin(&self.folder, world)?;
        }
        loop {
            let sight = Sight::open(&lesson.world)?;
            let turn = sight.table().turn(sight.view(None).state);
            if *sight.stop() == Stop::End || turn > TURNS {
                return Ok(Done::good(lesson.farewell()));
            }
            if !lesson.packet(&sight)? {
                return Ok(Done::good(format!(
                    "Everything is kept in {0}/. `garcia tutor {0}` goes on from here.\n",
                    lesson.named
                )));
            }
        }
    }
}

impl Lesson {
    /// Says something, as wide as the terminal.
    fn say(&self, text: &str) {
        let paragraphs: Vec<String> = text.lines().map(|line| wrap(line, self.world.look.width, 0, 0)).collect();
        self.put(&format!("{}\n", paragraphs.join("\n")));
    }

    fn put(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        // A reader who has seen enough is no trouble.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// A long text, a screen at a time where somebody looks.
    fn put_long(&self, text: &str) {
        let screen = terminal_size::terminal_size_of(std::io::stdout()).map(|(_, height)| usize::from(height.0));
        let screen = screen.filter(|_| std::io::stdin().is_terminal()).map_or(usize::MAX, |rows| rows.max(8) - 2);
        let lines: Vec<&str> = text.lines().collect();
        for (number, part) in lines.chunks(screen).enumerate() {
            if number > 0 {
                let more = lines.len() - number * screen;
                match self
                    .hear(&format!("-- {more} more lines: Enter goes on, q leaves it --"))
                    .as_deref()
                    .map(str::trim)
                {
                    None | Some("q") => return,
                    Some(_) => {}
                }
            }
            self.put(&format!("{}\n", part.join("\n")));
        }
    }

    /// A line of the pupil's; none at the end of what he has to say.
    fn hear(&self, question: &str) -> Option<String> {
        self.put(question);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
        (read > 0).then_some(line)
    }

    fn welcome(&self) {
        self.say(
            "Welcome to garcia.\n\
             June 1898: an American army lands east of Santiago de Cuba, and you command it. The program plays Spain. \
             We play the first two turns together; that takes about ten minutes.\n\n\
             A turn by mail goes like this, and here as well: garcia writes an order file for the moment (`template`), \
             you edit it, garcia finds every mistake at once (`check`), and then it is signed, the dice are rolled and \
             you read the report (`resolve`; against an opponent by mail it is `send`).\n",
        );
    }

    /// Lays the game out. The Spanish set-up is made at once.
    fn begin(&self, folder: &Path, world: &World) -> Result<(), Trouble> {
        new::against_sensible(GAME, "us", folder, world)?;
        self.say(&format!(
            "I have made the folder {0}/ with the game in it. In it are:\n  \
             ledger/      signed records: all there is to trust, and you can read them\n  \
             orders/      your order files\n  \
             reports/     one report for each turn; the first tells where Spain has set up\n  \
             state.yaml   the position, for reading\n\
             Your key and the secret behind the dice lie elsewhere, so that you may show the folder to anybody.\n",
            self.named
        ));
        Ok(())
    }

    /// One packet of the pupil's, from the template to the report. Whether he goes on.
    fn packet(&self, sight: &Sight) -> Result<bool, Trouble> {
        let (file, text) = template::written(sight);
        if !file.exists() {
            write_whole(&file, text.as_bytes(), Readers::Anyone)?;
        }
        self.explain_file(sight, &file, &text);
        loop {
            let asked = "\n[s]how the file, [e]dit it, [p]ropose a plan, [m]ap, [c]heck, [r]esolve, [q]uit > ";
            let Some(line) = self.hear(asked) else { return Ok(false) };
            match Wish::of(&line) {
                Wish::Show => self.put_long(&std::fs::read_to_string(&file).unwrap_or_default()),
                Wish::Edit => self.edit(&file),
                Wish::Propose => self.propose(sight, &file, &text)?,
                Wish::Check => {
                    self.check(&file);
                }
                Wish::Map => match super::map::of_folder(&self.world) {
                    Ok(done) => self.put(&done.text),
                    Err(trouble) => self.put(&trouble.render(self.world.look)),
                },
                Wish::Resolve => {
                    if self.check(&file) {
                        return self.resolve(&file).map(|()| true);
                    }
                }
                Wish::Quit => return Ok(false),
                Wish::Unknown => self.say("One letter is enough: s, e, p, m, c, r or q."),
            }
        }
    }

    /// What stands in the file that was just written.
    fn explain_file(&self, sight: &Sight, file: &Path, text: &str) {
        let lines = text.lines().count();
        let what = match sight.stop() {
            Stop::Answers { .. } => {
                "The rules put a question to you before the turn can go on. The file holds it with its choices; \
                 `default` is what happens if you do not mind."
            }
            Stop::Orders { ask, .. } if *ask == "setup" => {
                "First you place the Cuban units (Spain has set up already). The template proposes a hex for each; \
                 change one if you like: `garcia map` shows the hexes."
            }
            _ => {
                "Your turn. Below `orders:` stand the landings, moves and battles. Whatever you may do is there as a \
                 remark behind `#`: take the `#` away, or write a line of your own. A unit is a short id, a hex a number \
                 or a name (`Siboney`). Below that come `policies` and `standing`: what you want where the rules give you \
                 a choice in your own or your opponent's turn. `default` always does."
            }
        };
        self.say(&format!("\n{}", sight.table().headline(sight.view(None).state)));
        self.say(&format!("I have written {} ({lines} lines).\n{what}", file.display()));
        self.say("The file is legal as it stands. `p` puts a sensible plan into it, `e` opens it in your editor.");
    }

    /// Opens the file in the pupil's editor, or says how to.
    fn edit(&self, file: &Path) {
        let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
        let Some(editor) = editor else {
            self.say(&format!(
                "$EDITOR names no editor. Open {} in any editor, in another window; save it and come back here.",
                file.display()
            ));
            return;
        };
        let mut words = editor.split_whitespace();
        let ran = words.next().map(|program| std::process::Command::new(program).args(words).arg(file).status());
        if !ran.is_some_and(|status| status.is_ok_and(|status| status.success())) {
            self.say(&format!("{editor} did not end well; open {} yourself.", file.display()));
        }
    }

    /// Puts what the sensible player would order into the file.
    fn propose(&self, sight: &Sight, file: &Path, template: &str) -> Result<(), Trouble> {
        let plan = sight.stop().who().and_then(|side| sensible(&sight.ledger, side).ok());
        let Some(orders) = plan.and_then(|plan| plan.orders) else {
            self.say("Here the defaults do: the file is good as it is.");
            return Ok(());
        };
        let json = sight.table().orders_json(&orders).map_err(|error| Trouble::bug(error.to_string()))?;
        let head = template.split_once("\norders:\n").map_or(template, |(head, _)| head);
        // Policies and standing orders stay as the template has them.
        let tail = template.find("\n# Questions to you").and_then(|at| template.get(at..)).unwrap_or_default();
        write_whole(file, format!("{head}\norders:\n{}{tail}", typed(&json)).as_bytes(), Readers::Anyone)?;
        self.say(&format!("{} holds a sensible plan now; `s` shows it.", file.display()));
        Ok(())
    }

    /// Checks the file and explains what was found. Whether it is good.
    fn check(&self, file: &Path) -> bool {
        match check::of_files(&[file.to_owned()], &self.world) {
            Ok(done) => {
                self.put_long(&done.text);
                self.say(
                    "That is the outlook: what will happen if all goes well, with the chances of every die, and below it \
                     what would be signed. Nothing is signed yet. `r` carries it out.",
                );
                true
            }
            Err(trouble) => {
                self.put(&trouble.render(self.world.look));
                self.say(
                    "Each fault names its line, the clause of the rules (`garcia rules santiago-1898 CLAUSE` tells it) and \
                     what would be legal. Mend the file with `e`, or take a plan with `p`.",
                );
                false
            }
        }
    }

    /// Carries the file out and explains the report.
    fn resolve(&self, file: &Path) -> Result<(), Trouble> {
        let folder = GameFolder::open(&self.world)?;
        let done = resolve::alone(folder, &[file.to_owned()], &self.world)?;
        self.put_long(&done.text);
        self.say(
            "That was the report. At its head stands that the dice are verified: they were fixed by a hash before the \
             game, and `garcia verify` recomputes each. Below each roll stands the sum with the clause of every term. \
             When your turn is over the program plays that of Spain, and its report follows yours. All of them are kept \
             in reports/.",
        );
        Ok(())
    }

    fn farewell(&self) -> String {
        let text = format!(
            "\nTwo turns are played, and you know all there is to it. The game goes on if you like:\n  \
             cd {0}\n  garcia template --write, garcia check FILE, garcia resolve FILE\n  \
             garcia odds FILE     what your battles can come to, over all dice\n  \
             garcia luck          bad luck or bad play?\n\
             Against a friend by mail:\n  \
             garcia new santiago-1898 --as us     makes the offer; mail outbox/0000-garcia.txt to him\n  \
             garcia join FILE                     is what he types\n  \
             garcia send FILE                     takes the place of `resolve`: shows, asks, signs\n  \
             garcia receive FILE                  takes his mail\n",
            self.named
        );
        text
    }
}
