//! What comes next, for whoever looks: whose move it is, who owes what, and what to type.

use super::folder::spelled;
use crate::engine::visible::visible;
use crate::trust::Id;
use crate::trust::data::{Data, Mode};
use crate::trust::ledger::Ledger;
use crate::trust::motion::What;
use crate::trust::record::RecordKind;
use crate::trust::role::Role;
use crate::trust::seat::Awaited;

/// What is awaited and what to do about it; `me` is the role whose secrets are at hand, none for a mere reader.
pub fn steps(ledger: &Ledger, me: Option<&Role>) -> Vec<String> {
    let awaited = ledger.awaited();
    let mode = ledger.protocol().mode();
    match &awaited {
        Awaited::Nothing => over(ledger, mode),
        Awaited::Join(who) => vec![
            format!("{who} has not accepted the offer yet; he does so with `garcia join FILE`."),
            say("garcia resend", "makes the mail with the offer again"),
            say("garcia receive FILE", "when his acceptance comes"),
        ],
        Awaited::Packet { who, side, ask } => {
            decision(format!("the `{ask}` orders of {side} are due"), who, ledger, me)
        }
        Awaited::Answers { who, side, questions } => {
            let are = if *questions == 1 { "question is" } else { "questions are" };
            decision(format!("{questions} {are} put to {side}"), who, ledger, me)
        }
        Awaited::Facts(who) if me == Some(&Role::gm()) && *who != Role::gm() => vec![
            format!(
                "Waiting: {who} has to commit a ticket for a secret roll; his garcia does so when he receives your mail."
            ),
            say("garcia receive FILE", "when his answer comes: takes it and goes on"),
            say(&absent(ledger), "goes on without him: the roll is made openly, and the record says so"),
        ],
        Awaited::Facts(who) => owed("hidden facts", who, ledger, me),
        Awaited::Call(who) => owed("the call that answers a plan", who, ledger, me),
        Awaited::Result(who) => match ledger.openings_lacking().filter(|_| me == Some(who)) {
            Some(words) => vec![
                format!("Waiting: {words}."),
                say("garcia receive FILE", "when his file `…-openings.txt` comes: takes it and closes the turn"),
                say(&absent(ledger), "goes on without him; the record says so"),
            ],
            None => owed("the result of the orders before", who, ledger, me),
        },
        Awaited::Audit(who) => owed("the audit", who, ledger, me),
        Awaited::Consent(who) => consent(who, ledger, me),
    }
}

/// A motion is on the table.
fn consent(who: &Role, ledger: &Ledger, me: Option<&Role>) -> Vec<String> {
    let Some(moved) = ledger.protocol().on_the_table() else { return Vec::new() };
    let what = format!("{} moves {}", moved.by, visible(&moved.motion.words()));
    if me != Some(who) {
        return waiting(format!("{what}; {who} has to accept or decline"), ledger, me);
    }
    vec![
        format!("You are asked: {what}."),
        say("garcia accept --dry-run", "what it would change, and the hash"),
        say("garcia accept", "consent, and make the mail"),
        say("garcia decline", "refuse; nothing more is asked of you before a turn has been played"),
    ]
}

/// The player without whom a game master has just gone on: nothing was said by anybody since.
pub fn passed_over(ledger: &Ledger) -> Option<Role> {
    let [.., orders, result] = ledger.records() else { return None };
    match Data::read(orders.body()) {
        Ok(Data::Orders(said)) if result.body().kind == RecordKind::Result && said.is_for_nobody() => said.side,
        _ => None,
    }
}

/// What a game master types to go on without whoever is due; right after another one he says after which record.
fn absent(ledger: &Ledger) -> String {
    match passed_over(ledger) {
        Some(_) => format!("garcia resolve --absent --after {}", ledger.protocol().next().saturating_sub(1)),
        None => "garcia resolve --absent".to_owned(),
    }
}

/// A key in the home that is not the seat's signs nothing that anybody would take.
pub fn strange_key(ledger: &Ledger, role: &Role, key: &Id) -> Option<String> {
    let seat = ledger.protocol().signatories().get(role)?;
    // A motion on the table may ask for just that.
    let asked = ledger.protocol().on_the_table().and_then(|moved| match &moved.motion.what {
        What::Rekey(rekey) if rekey.role == *role && rekey.key == *key => moved.asked.as_ref(),
        _ => None,
    });
    if let Some(asked) = asked {
        return Some(format!("The seat of {role} is asked for with your key; it is yours once {asked} accepts."));
    }
    (seat.key != *key).then(|| {
        format!(
            "Your key begins {}, and the ledger knows another one for {role}: nobody would take what yours signs. \
             Look whether --home or GARCIA_HOME names the right folder. If the key is lost, `garcia motion rekey` gives \
             the seat a new one.",
            spelled(key)
        )
    })
}

/// A record is missing before one that is known.
pub fn ask_for(missing: u32) -> String {
    format!(
        "Record {missing} is missing, and a later one is here: ask for record {missing} \
         (`garcia resend --from {missing}` on the other side makes the mail). Nothing is signed before it is here: \
         if it was yours, a second one would convict you of a fork."
    )
}

fn say(command: &str, what: &str) -> String {
    format!("{command:<26} {what}")
}

fn over(ledger: &Ledger, mode: Mode) -> Vec<String> {
    let over = match ledger.protocol().outcome() {
        Some((moved, outcome)) => format!("The game is over by agreement (record {}: {outcome})", moved.seq),
        None => "The game is over".to_owned(),
    };
    let open = mode == Mode::TwoPlayer && !ledger.protocol().audits().is_empty();
    let mut lines =
        vec![if open { format!("{over}, and everything that was sealed is open.") } else { format!("{over}.") }];
    lines.push(say("garcia report", "tells the last turn"));
    lines.push(say("garcia verify", "recomputes every die, state and opening"));
    lines
}

/// Somebody has to decide something.
fn decision(what: String, who: &Role, ledger: &Ledger, me: Option<&Role>) -> Vec<String> {
    let mode = ledger.protocol().mode();
    let (gm, signs) = (Role::gm(), ledger.protocol().signatories().contains_key(who));
    let mine = mode == Mode::Solo || me == Some(who);
    if !mine && me != Some(&gm) {
        return waiting(format!("{what}, and {who} has the move"), ledger, me);
    }
    if !mine && signs {
        return vec![
            format!("Waiting for {who}: {what}, and he signs for himself."),
            say("garcia receive FILE", "when his mail comes: takes and closes it"),
            say("garcia resolve FILE", "enters his file unsigned; the record says so"),
            say(&absent(ledger), "goes on without him; the record says so"),
        ];
    }
    let last = match mode {
        Mode::Solo => say("garcia resolve FILE", "roll and report"),
        Mode::Gm if me == Some(&gm) => {
            say("garcia resolve FILE", "enter it, roll and report, one report for each side")
        }
        Mode::Gm | Mode::TwoPlayer => say("garcia send FILE", "sign it and make the mail"),
    };
    vec![
        format!("Your move: {what}."),
        say("garcia template --write", "an order file for this moment"),
        say("garcia check FILE", "all mistakes at once"),
        last,
    ]
}

/// A record that needs no decision.
fn owed(what: &str, who: &Role, ledger: &Ledger, me: Option<&Role>) -> Vec<String> {
    if ledger.protocol().mode() == Mode::Solo {
        return vec!["Orders are signed and not yet resolved.".to_owned(), say("garcia resolve", "closes them")];
    }
    if me == Some(who) {
        let verb = if matches!(ledger.awaited(), Awaited::Audit(_)) { "garcia audit" } else { "garcia receive" };
        return vec![
            format!("You owe {what}. Nothing has to be decided: garcia writes it."),
            say(verb, "writes it and makes the mail"),
        ];
    }
    waiting(format!("{who} owes {what}; his program writes it when he takes your mail"), ledger, me)
}

fn waiting(why: String, ledger: &Ledger, me: Option<&Role>) -> Vec<String> {
    let mut lines = vec![format!("Waiting: {why}.")];
    if me.is_none() {
        lines.push("You hold no secrets of this game here (--home, GARCIA_HOME), so you can only look on.".to_owned());
        return lines;
    }
    lines.push(say("garcia receive FILE", "when the mail comes"));
    let last = ledger.records().last();
    if last.is_some_and(|record| Some(&record.body().by) == me) {
        lines.push(say("garcia resend", "if yours was lost: the same bytes again"));
    }
    lines
}
