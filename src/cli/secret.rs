//! `garcia secret`: key and secrets on paper, and back.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use zeroize::Zeroizing;

use crate::engine::Json;
use crate::engine::digest::from_hexadecimal;
use crate::trust::home::Home;
use crate::trust::key::PrivateKey;
use crate::trust::secret::GameSecret;
use crate::trust::store::Lock;
use crate::trust::typed::{self, Typed};

use super::folder::{self, GameFolder};
use super::{Done, Trouble, World, exit};

/// Put your key and the secrets of a game on paper, or type them back.
///
/// Whoever has this paper can sign in your name and foresee the dice you close: keep it like money.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia secret show > paper.txt        print it, then delete the file
  garcia secret restore paper.txt       on another computer, in the folder of the game

Each line has four groups of four digits and check digits: a slip is found at its line.")]
pub struct Secret {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Show(Show),
    Restore(Restore),
}

/// Show your key and the secrets of this game, to be written down or printed.
#[derive(Debug, Args)]
struct Show {}

/// Read what was typed from paper and put it into your folder for secrets.
#[derive(Debug, Args)]
struct Restore {
    /// The file that was typed; `-` reads standard input.
    file: PathBuf,
}

impl Secret {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        match self.what {
            What::Show(Show {}) => show(world),
            What::Restore(restore) => restore.run(world),
        }
    }
}

fn show(world: &World) -> Result<Done, Trouble> {
    let path = folder::find(world)?;
    let home = folder::home(world, &path)?;
    let folder = GameFolder::open(world)?;
    let file = folder.seat.secrets();
    let mut text = Zeroizing::new(String::from(
        "# Your key and your secrets of one game. Whoever has this can sign in your name. Keep it, show it to nobody.\n",
    ));
    text.push_str(&format!("game {}\nrole {}\nlinks {}\n", file.game(), file.role(), file.links()));
    text.push_str(&typed::lines("key", &home.identity()?.seed()));
    let bytes = |secret: &GameSecret| from_hexadecimal(&secret.text()).map(Zeroizing::new);
    for (number, secret) in (1..).zip(file.earlier()) {
        if let Some(bytes) = bytes(secret) {
            text.push_str(&typed::lines(&format!("chain-{number}"), &bytes));
        }
    }
    if let Some(bytes) = bytes(file.secret()) {
        text.push_str(&typed::lines("secret", &bytes));
    }
    for (name, value) in file.values() {
        text.push_str(&typed::value_line(name, &value.to_string()));
    }
    Ok(Done::good(text.as_str()))
}

/// What somebody typed from paper, or every slip in it.
pub fn read_typed(path: &std::path::Path) -> Result<Typed, Trouble> {
    let bytes = match path.as_os_str() == "-" {
        true => {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes)
        }
        false => std::fs::read(path),
    };
    let bytes = Zeroizing::new(bytes.map_err(|error| Trouble::unreadable(path, &error))?);
    let text = Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned());
    typed::read(&text).map_err(|slips| {
        let slips: Vec<String> = slips.iter().map(ToString::to_string).collect();
        Trouble::new(
            exit::FAULTS,
            format!("{}: {}", path.display(), slips.join("; ")),
            "compare that line with the paper",
        )
    })
}

impl Restore {
    fn run(self, world: &World) -> Result<Done, Trouble> {
        let typed = read_typed(&self.file)?;
        let path = folder::find(world)?;
        let home = folder::home(world, &path)?;
        let _held = Lock::take(&path)?;
        let wants = |what: &str| Trouble::usage(format!("`{what}` is not on this paper"), "type all of it");
        let game = typed.word("game").and_then(|id| id.parse().ok()).ok_or_else(|| wants("game"))?;
        let role = typed.word("role").and_then(|role| role.parse().ok()).ok_or_else(|| wants("role"))?;
        let links = typed.word("links").and_then(|links| links.parse().ok()).ok_or_else(|| wants("links"))?;
        let secret = typed.secret("secret").ok_or_else(|| wants("secret"))?;
        let records = folder::records(&path)?;
        if records.first().map(|genesis| genesis.id()) != Some(game) {
            return Err(Trouble::usage("this paper is of another game", "go into the folder of that game"));
        }
        let mut said = format!("Restored for {role} in {}:\n", home.path().display());
        said.push_str(&restore_key(&home, &typed)?);
        let mut file = home.begin_game(game, role, GameSecret::from_bytes(*secret), links)?;
        let earlier = (1..).map_while(|number| typed.secret(&format!("chain-{number}")));
        let values = typed
            .values
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), Json::parse_canonical(value.as_bytes()).ok()?)));
        file.restore(earlier.map(|bytes| GameSecret::from_bytes(*bytes)).collect(), values.collect())?;
        let folder = {
            drop(_held);
            GameFolder::open(world)?
        };
        let (fits, lost) = folder.seat.held_values();
        said.push_str(&format!("  the secret, and {fits} sealed values that fit what was committed\n"));
        if !lost.is_empty() {
            said.push_str(&format!("  missing, and needed for the audit: {}\n", lost.join(", ")));
        }
        if !folder.seat.holds_the_seat() {
            said.push_str(
                "Your key is not the one the ledger knows for this seat; `garcia motion rekey` gives it a new one.\n",
            );
        }
        said.push_str(
            "Before you sign anything: receive every record the other side has. What you signed since the paper was \
             written is not on it, and a second record for one place convicts.\n",
        );
        Ok(Done::good(said))
    }
}

fn restore_key(home: &Home, typed: &Typed) -> Result<String, Trouble> {
    let Some(seed) = typed.secret("key") else { return Ok("  no key: it is not on this paper\n".to_owned()) };
    let key = PrivateKey::from_seed(seed);
    match home.restore_identity(&key)? {
        true => Ok(format!("  the key {}\n", folder::spelled(&key.public()))),
        false => Ok("  no key: there is another one here already, and it is left alone\n".to_owned()),
    }
}
