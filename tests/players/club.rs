//! A private game master, who holds every opening, and players who sign.

use garcia::engine::submission::Submission;
use garcia::engine::{Charter, Ruleset, Side};
use garcia::mail::{Openings, records_in};
use garcia::trust::ledger::Ledger;
use garcia::trust::record::Record;
use garcia::trust::seat::Seat;
use tempfile::TempDir;

use super::{home, join_all, mailed, role, send_out, terms};

/// A private game master and two players who sign, each with a folder of secrets.
pub struct Club {
    pub homes: Vec<TempDir>,
    pub gm: Seat,
    pub players: Vec<Seat>,
}

impl Club {
    pub fn at(game: &dyn Ruleset, charter: &Charter) -> Club {
        let homes: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let names = vec![role("spain"), role("us")];
        let table = game.open(charter).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut gm =
            Seat::host_privately(table, names, terms(charter, true, Some(1)), &home(&homes[0])).expect("begun");
        let players = join_all(&mut gm, &homes[1..]);
        Club { homes, gm, players }
    }

    /// Every record goes to everybody; openings went to the game master alone.
    pub fn send_out(&mut self) {
        send_out(&self.gm, &mut self.players);
    }

    /// Plays to somebody's words until some records are enough, or the game is over and audited.
    pub fn play_until(&mut self, enough: impl Fn(&[Record]) -> bool, say: &mut dyn FnMut(&Ledger, Side) -> Submission) {
        while !enough(self.gm.ledger().records()) {
            let Some(who) = self.gm.ledger().awaited().who().cloned() else { break };
            let at = self.players.iter().position(|player| *player.role() == who).expect("a player");
            let player = &mut self.players[at];
            match player.to_decide() {
                Some(side) => {
                    let said = say(player.ledger(), side);
                    player.send(&said).expect("sent");
                }
                None => drop(player.advance().expect("the audit")),
            }
            let sent: Vec<Record> = player.outgoing().iter().map(mailed).collect();
            let openings = player.openings(&sent);
            assert_eq!(self.gm.receive(sent).refused, []);
            if !openings.is_empty() {
                assert_eq!(self.gm.lacking(), std::slice::from_ref(&who));
                assert_eq!(self.gm.advance().expect("nothing can be closed yet"), []);
                let given =
                    Openings { game: self.gm.ledger().protocol().game().expect("a game"), by: who, reveals: openings };
                let found = records_in("mail", given.armoured().as_bytes()).openings.remove(0);
                self.gm.entrust(&found.by, found.reveals).expect("each fits");
            }
            self.gm.advance().expect("closed");
            self.send_out();
        }
    }
}
