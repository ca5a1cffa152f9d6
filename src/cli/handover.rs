//! `garcia handover`: a seat goes to somebody else.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use zeroize::Zeroizing;

use crate::trust::handover::Bundle;
use crate::trust::ledger::Ledger;
use crate::trust::replay::Vision;
use crate::trust::role::Role;
use crate::trust::store::{LedgerFolder, Lock, Readers, write_whole};
use crate::trust::yaml;

use super::folder::{self, GameFolder, ORDERS, folder_for};
use super::{Done, Trouble, World, exit, new};

/// Hand your seat over to somebody else, or take one over.
///
/// The bundle holds your secrets of this game and the ledger: whoever has it can play your seat, so give it to your
/// successor alone. Your key stays yours. He takes it in his own home and asks for a new key with `garcia motion rekey`,
/// which you sign, or the game master, or the director.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true),
    after_help = "Examples:
  garcia handover --give bundle.yaml                        everything your successor needs
  garcia handover --take bundle.yaml --folder my-game       he checks it against the ledger and sits down
  garcia handover --ledger ../us --as spain --folder mine   nothing is left of the seat's secrets: by consent alone"
)]
pub struct Handover {
    /// Write the bundle.
    #[arg(long, value_name = "FILE", group = "what")]
    give: Option<PathBuf>,
    /// Take a seat over from a bundle.
    #[arg(long, value_name = "FILE", group = "what", requires = "folder")]
    take: Option<PathBuf>,
    /// Take a seat over whose secrets are lost, with the records of a game folder.
    #[arg(long, value_name = "DIR", group = "what", requires = "side", requires = "folder")]
    ledger: Option<PathBuf>,
    /// With --ledger: the seat.
    #[arg(long = "as", value_name = "SIDE")]
    side: Option<String>,
    /// The folder to make.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Handover {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        if let Some(path) = &self.give {
            return give(path, world);
        }
        let target = self.folder.clone().unwrap_or_default();
        let home = folder::home(world, &target)?;
        let (records, lost, held) = match (&self.take, &self.ledger, &self.side) {
            (Some(path), ..) => {
                let bundle = read_bundle(path)?;
                folder_for(&target, &bundle.records, bundle.records.len())?;
                let held = Lock::take(&target)?;
                home.take_over(bundle.file)?;
                (bundle.records, false, held)
            }
            (None, Some(from), Some(side)) => {
                let records = folder::records(from)?;
                folder_for(&target, &records, records.len())?;
                let ledger = Ledger::read(records.clone(), |genesis| folder::lay(from, genesis), Vision::public())?;
                let protocol = ledger.protocol();
                let role: Role =
                    side.parse().map_err(|error| Trouble::usage(format!("{error}"), "name the seat: --as us"))?;
                let (Some(game), Some(seat)) = (protocol.game(), protocol.signatories().get(&role)) else {
                    return Err(Trouble::usage(format!("{role} has no seat in this game"), "name one that has joined"));
                };
                let links = if seat.tip.is_some() { protocol.genesis().map_or(0, |genesis| genesis.links) } else { 0 };
                let held = Lock::take(&target)?;
                // A killed command may have kept a secret with which nothing was signed.
                let begun = home.roles(&game)?.contains(&role) && home.game(&game, &role)?.is_untouched();
                if !begun {
                    home.begin_game(game, role, home.fresh_secret()?, links)?;
                }
                (records, true, held)
            }
            _ => return Err(Trouble::usage("which seat?", "name it: --as us")),
        };
        let ledger = LedgerFolder::of_game(&target);
        for record in &records {
            ledger.add(record, &held)?;
        }
        std::fs::create_dir_all(target.join(ORDERS))
            .map_err(|error| Trouble::new(exit::NO_OUTPUT, error.to_string(), "see that the disk has room"))?;
        drop(held);
        let there = World { game: Some(target.clone()), ..world.clone() };
        let folder = GameFolder::open(&there)?;
        new::write_schemas(&target, folder.seat.ledger().replay().table().ruleset())?;
        folder.write_up()?;
        let (fits, missing) = folder.seat.held_values();
        let mut text = format!("You take over {} in {}/.\n", folder.seat.role(), target.display());
        match (lost, missing.is_empty()) {
            (true, _) => {
                text.push_str("Nothing is left of what was sealed: it goes by consent alone, and stays unaudited.\n")
            }
            (false, true) => {
                text.push_str(&format!("All {fits} sealed values are there and fit what was committed.\n"))
            }
            (false, false) => text.push_str(&format!(
                "{fits} sealed values fit what was committed; missing or not fitting: {}\n",
                missing.join(", ")
            )),
        }
        let lost = if lost { " --lost" } else { "" };
        text.push_str(&format!(
            "Next: garcia -C {} motion rekey{lost}     asks for the seat with your key\n",
            target.display()
        ));
        Ok(Done::good(text))
    }
}

fn give(path: &std::path::Path, world: &World) -> Result<Done, Trouble> {
    let folder = GameFolder::open(world)?;
    let json = Bundle::to_json(folder.seat.secrets(), folder.seat.ledger().records());
    let head =
        [crate::trust::home::HEADS[1].to_owned(), "Handed over with the ledger, to the successor alone.".to_owned()];
    let text = Zeroizing::new(yaml::write(&head, &json));
    write_whole(path, text.as_bytes(), Readers::OwnerOnly)?;
    Ok(Done::good(format!(
        "{} holds your secrets of this game and {} records. Give it to your successor alone; he runs\n  \
         garcia handover --take {} --folder DIR\nand asks for the seat; you sign that with `garcia motion rekey --request FILE`.\n\
         From then on nothing you hold opens anything new.\n",
        path.display(),
        folder.seat.ledger().records().len(),
        path.display()
    )))
}

fn read_bundle(path: &std::path::Path) -> Result<Bundle, Trouble> {
    let bytes = Zeroizing::new(std::fs::read(path).map_err(|error| Trouble::unreadable(path, &error))?);
    let wrong = |what: String| Trouble::usage(format!("{}: {what}", path.display()), "ask for the bundle again");
    let json = yaml::read_own(&bytes).map_err(|error| wrong(error.to_string()))?;
    Bundle::read(&json).map_err(wrong)
}
