//! `garcia roll`: how one roll came about, step by step.

use clap::Args;
use serde_json::json;

use crate::engine::Slot;
use crate::engine::dice::{Die, Seed, faces, stream_bytes};
use crate::trust::bytes::Id;
use crate::trust::chain;
use crate::trust::data::{Data, Reveal, RollSaid};
use crate::trust::finding::dice_words;
use crate::trust::record::Record;
use crate::trust::role::Role;
use crate::trust::secret::HideSecret;

use super::folder::{find, records};
use super::{Done, Trouble, World};

/// Show how one roll came about, step by step, with the shell commands that reproduce it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia roll                                         list the rolls of the game
  garcia roll t3.us.shock/1210/shock/1                one roll of the game in this folder
  garcia roll t3.us.shock/1210/shock/1 --record 8     where several records have it
  garcia roll --orders 6fb0dbd4… --link 3e261d5b… --label t1.us.assault/3412/attack/1 --sides 6,6")]
pub struct Roll {
    /// The label of the roll.
    label: Option<String>,
    /// The result it stands in; the latest if left out.
    #[arg(long, value_name = "N", conflicts_with_all = ["orders", "link"])]
    record: Option<u32>,
    /// Without a game folder: the id of the orders.
    #[arg(long, value_name = "ID", requires = "link")]
    orders: Option<String>,
    /// Without a game folder: the link that closed them.
    #[arg(long, value_name = "LINK", requires = "orders")]
    link: Option<String>,
    /// The same as LABEL.
    #[arg(long = "label", value_name = "LABEL", conflicts_with = "label")]
    named: Option<String>,
    /// Without a game folder: the sides of each die.
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    sides: Vec<u16>,
}

/// Everything a roll is made from.
struct Made {
    label: String,
    orders: Id,
    link: Id,
    closer: Option<(String, u32, u32)>,
    /// What the link hashes to, and the record that published it.
    before: Option<(Id, u32)>,
    dice: Vec<Die>,
    recorded: Option<Vec<u16>>,
    secret: Option<Ticket>,
}

/// What a secret roll was spent on.
struct Ticket {
    slot: Slot,
    by: String,
    /// Its salt, once the ledger opens it.
    salt: Option<Id>,
}

impl Roll {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let label = self.label.clone().or_else(|| self.named.clone());
        let made = match (label, &self.orders, &self.link) {
            (None, ..) => return list(&records(&find(world)?)?, world),
            (Some(label), Some(orders), Some(link)) => self.by_hand(label, orders, link)?,
            (Some(label), ..) => self.in_ledger(&records(&find(world)?)?, &label)?,
        };
        tell(&made, world)
    }

    fn by_hand(&self, label: String, orders: &str, link: &str) -> Result<Made, Trouble> {
        let id = |name: &str, text: &str| {
            text.parse::<Id>()
                .map_err(|error| Trouble::usage(format!("--{name} {text}: {error}"), "give all 64 digits"))
        };
        let die = |sides: &u16| {
            Die::new(*sides).ok_or_else(|| Trouble::usage(format!("there is no die with {sides} sides"), "1 to 256"))
        };
        if self.sides.is_empty() {
            return Err(Trouble::usage("which dice?", "add `--sides 6,6` for two six-sided dice"));
        }
        let dice = self.sides.iter().map(die).collect::<Result<_, _>>()?;
        Ok(Made {
            label,
            orders: id("orders", orders)?,
            link: id("link", link)?,
            closer: None,
            before: None,
            dice,
            recorded: None,
            secret: None,
        })
    }

    fn in_ledger(&self, records: &[Record], label: &str) -> Result<Made, Trouble> {
        let rolls = all_rolls(records);
        let wanted = |made: &&(u32, Made)| made.1.label == label && self.record.is_none_or(|seq| seq == made.0);
        if let Some(at) = rolls.iter().rposition(|made| wanted(&made))
            && let Some((_, made)) = rolls.into_iter().nth(at)
        {
            return Ok(made);
        }
        let labels: Vec<String> = all_rolls(records).into_iter().map(|(_, made)| made.label).collect();
        let near = crate::engine::doc::nearest(label, labels.iter().map(String::as_str));
        let remedy = crate::engine::doc::did_you_mean(&near).unwrap_or_else(|| "`garcia roll` lists them all".into());
        Err(Trouble::usage(format!("there is no roll `{label}` in the ledger"), remedy))
    }
}

/// The salt of a ticket that somebody has opened, or told at the audit.
fn salt_of(records: &[Record], owner: &str, ticket: &Slot) -> Option<Id> {
    let mut version = 1;
    for record in records {
        let (by, Ok(data)) = (record.body().by.as_str(), Data::read(record.body())) else { continue };
        if by == owner
            && let Some(hide) = data.hides().iter().rfind(|hide| hide.slot == *ticket)
        {
            version = hide.version;
        }
        let opens =
            |reveal: &&Reveal| reveal.slot == *ticket && reveal.by.as_ref().map_or(by, |by| by.as_str()) == owner;
        if let Some(reveal) = data.reveals().iter().find(opens) {
            return Some(reveal.salt);
        }
        if let Data::Audit(audit) = &data
            && by == owner
        {
            return Some(HideSecret(audit.hide_secret).salt(ticket, version));
        }
    }
    None
}

/// Every roll with the number of its result, in order.
fn all_rolls(records: &[Record]) -> Vec<(u32, Made)> {
    let mut all = Vec::new();
    for record in records {
        let Ok(Data::Closing(closing)) = Data::read(record.body()) else { continue };
        // A director closes with a link of the one for whom he signs.
        let closer = closing.role.as_ref().unwrap_or(&record.body().by);
        for roll in closing.rolls {
            let (label, sides, recorded, secret) = match roll {
                RollSaid::Open { label, sides, faces } => (label, sides, Some(faces), None),
                RollSaid::Secret { label, sides, ticket, by } => {
                    let salt = salt_of(records, by.as_str(), &ticket);
                    (label, sides, None, Some(Ticket { slot: ticket, by: by.to_string(), salt }))
                }
            };
            let seq = record.body().seq;
            all.push((
                seq,
                Made {
                    label: label.to_string(),
                    orders: closing.orders,
                    link: closing.link,
                    closer: Some((closer.to_string(), closing.index, seq)),
                    before: link_before(records, closer, closing.index, &closing.link),
                    dice: sides,
                    recorded,
                    secret,
                },
            ));
        }
    }
    all
}

/// What a link hashes to, and the record in which that was published before.
fn link_before(records: &[Record], closer: &Role, index: u32, link: &Id) -> Option<(Id, u32)> {
    let before = chain::before(closer, index, link);
    // Whoever signed the record in which it stands: only the owner of the chain can have known the link.
    let publishes = |record: &&Record| {
        let name = if index == 1 { "anchor" } else { "link" };
        let said = record.body().data.get(name).and_then(|said| said.as_str());
        said.and_then(|said| said.parse::<Id>().ok()) == Some(before)
    };
    records.iter().find(publishes).map(|record| (before, record.body().seq))
}

fn list(records: &[Record], world: &World) -> Result<Done, Trouble> {
    let rolls = all_rolls(records);
    if world.json {
        let list: Vec<_> = rolls
            .iter()
            .map(|(seq, made)| json!({ "record": seq, "label": made.label, "faces": made.recorded }))
            .collect();
        return Done::json(&list);
    }
    let mut text = String::new();
    for (seq, made) in &rolls {
        let shown = match (&made.recorded, &made.secret) {
            (Some(faces), _) => format!("{faces:?}"),
            (None, Some(ticket)) => format!("secret: {} of {}", ticket.slot, ticket.by),
            (None, None) => String::new(),
        };
        text.push_str(&format!("record {seq}  {}  {} {shown}\n", made.label, dice_words(&made.dice)));
    }
    if rolls.is_empty() {
        text.push_str("Nothing has been rolled yet.\n");
    }
    Ok(Done::good(text))
}

fn tell(made: &Made, world: &World) -> Result<Done, Trouble> {
    let (orders, link) = (made.orders.to_string(), made.link.to_string());
    let open_seed = Seed::of_segment(&orders, &link);
    let seed = match &made.secret {
        None => open_seed,
        Some(Ticket { salt: Some(salt), .. }) => open_seed.secret(&salt.to_string()),
        Some(ticket) => return tell_sealed(made, ticket, world),
    };
    let key = seed.roll_key(&made.label);
    let rolled = faces(&seed, &made.label, &made.dice);
    let agrees = made.recorded.as_ref().is_none_or(|recorded| *recorded == rolled);
    let code = if agrees { super::exit::GOOD } else { super::exit::FAULTS };
    let sides: Vec<u16> = made.dice.iter().map(|die| die.sides()).collect();
    let bytes = stream_bytes(&seed, &made.label, (2 * sides.len()).max(8));
    if world.json {
        return Ok(Done::json(&json!({
            "label": made.label, "orders": orders, "link": link, "seed": seed.to_string(), "key": key, "bytes": bytes,
            "sides": sides, "faces": rolled, "recorded": made.recorded, "ok": agrees,
            "hashes_to": made.before.as_ref().map(|(before, seq)| json!({ "link": before.to_string(), "record": seq })),
            "ticket": made.secret.as_ref().map(|ticket| json!({
                "slot": ticket.slot, "by": ticket.by, "salt": ticket.salt.map(|salt| salt.to_string()),
            })),
        }))?
        .with(code));
    }
    let mut text = format!("{}   {}\n\n", made.label, dice_words(&made.dice));
    if let Some((closer, index, seq)) = &made.closer {
        text.push_str(&format!("orders  {orders}\nlink    {link}   link {index} of {closer}, in record {seq}\n"));
        if let Some((before, seq)) = &made.before {
            let name = if *index == 1 { "the anchor".to_owned() } else { format!("link {}", index - 1) };
            text.push_str(&format!("        hashes to {before}: {name}, in record {seq}\n"));
        }
    } else {
        text.push_str(&format!("orders  {orders}\nlink    {link}\n"));
    }
    if let Some(Ticket { slot, by, salt: Some(salt) }) = &made.secret {
        text.push_str(&format!(
            "open    {open_seed}   the seed everybody knows\nsalt    {salt}   of {slot}, opened by {by}\n"
        ));
    }
    text.push_str(&format!("seed    {seed}\nkey     {key}\nbytes   {}\n", words(&bytes)));
    let mut at = bytes.iter();
    for (sides, face) in sides.iter().zip(&rolled) {
        let fair = 256 - 256 % sides;
        for byte in at.by_ref() {
            if u16::from(*byte) < fair {
                text.push_str(&format!("        {byte} mod {sides} + 1 = {face}\n"));
                break;
            }
            text.push_str(&format!("        {byte} is {fair} or more: thrown away, so that no face is favoured\n"));
        }
    }
    text.push_str(&format!("faces   {rolled:?}"));
    match &made.recorded {
        Some(recorded) if agrees => text.push_str(&format!("   recorded {recorded:?}: they agree\n")),
        Some(recorded) => text.push_str(&format!("   recorded {recorded:?}: THEY DIFFER\n")),
        None => text.push('\n'),
    }
    let mixed = match made.secret.as_ref().and_then(|ticket| ticket.salt) {
        Some(salt) => {
            format!("SEED=$(printf 'garcia/1/secret\\n%s\\n%s\\n' $SEED {salt} | sha256sum | cut -c1-64)\n  ")
        }
        None => String::new(),
    };
    let hashed = match &made.closer {
        Some((closer, index, _)) => {
            format!("printf 'garcia/1/link\\n%s\\n%s\\n%s\\n' {closer} {index} $LINK | sha256sum\n  ")
        }
        None => String::new(),
    };
    text.push_str(&format!(
        "\nThe same without garcia:\n  \
         OPEN={orders}\n  LINK={link}\n  {hashed}\
         SEED=$(printf 'garcia/1/seed\\n%s\\n%s\\n' $OPEN $LINK | sha256sum | cut -c1-64)\n  {}\
         KEY=$(printf 'garcia/1/roll\\n%s\\n%s\\n' $SEED {} | sha256sum | cut -c1-64)\n  \
         head -c {} /dev/zero | openssl enc -chacha20 -K $KEY -iv 00000000000000000000000000000000 | od -An -tu1\n",
        mixed,
        made.label,
        bytes.len()
    ));
    Ok(Done::good(text).with(code))
}

/// A secret roll whose ticket nobody has opened yet.
fn tell_sealed(made: &Made, ticket: &Ticket, world: &World) -> Result<Done, Trouble> {
    let Ticket { slot, by, .. } = ticket;
    if world.json {
        return Done::json(&json!({ "label": made.label, "ticket": { "slot": slot, "by": by }, "faces": null }));
    }
    Ok(Done::good(format!(
        "{}   {}\n\nA secret roll, spent on {slot} of {by}. Only {by} can work out its faces now: they come from the seed\n\
         of the segment and the salt of that ticket, which was committed before. They can be checked by everybody when\n\
         the rules open the ticket, at the latest with the audit of {by}.\n",
        made.label,
        dice_words(&made.dice)
    )))
}

fn words(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}
