//! Luck told: dice against their mean, attacks against what they could have come to.

use serde_json::json;

use crate::engine::{Diary, How, Match, Ratio, Side, count_of};
use crate::play::{Fortune, Luck, Measured};

use super::Page;

fn percent(measured: &Measured) -> String {
    measured.percentile.percent()
}

/// `3 (2.17)`: what was and what was to be expected.
fn against(measured: &Measured) -> String {
    format!("{} ({})", measured.was, measured.expected.mean())
}

/// The luck of a match for people.
pub fn luck_page(table: &dyn Match, luck: &Luck) -> Page {
    let mut page = Page::new("Luck");
    page.lead.push(
        "What came about, and in brackets what these very attacks were to be expected to bring. A percentile of 50% is even \
         luck; docs/luck.md tells how it is reckoned."
            .to_owned(),
    );
    let mut match_diary = Diary::new();
    let head = ["", "attacks", "steps inflicted", "percentile", "places taken", "percentile"];
    // Whoever attacked nobody was neither lucky nor unlucky.
    let row = |name: String, fortune: &Fortune| {
        let told = |tell: &dyn Fn(&Measured) -> String, of: &Measured| match fortune.attacks {
            0 => "-".to_owned(),
            _ => tell(of),
        };
        vec![
            name,
            fortune.attacks.to_string(),
            told(&against, &fortune.inflicted),
            told(&percent, &fortune.inflicted),
            told(&against, &fortune.taken),
            told(&percent, &fortune.taken),
        ]
    };
    let sides = table.ruleset().sides();
    let whole = sides.iter().map(|side| row(side.name(), &luck.fortune(*side, None)));
    if !luck.attacks.is_empty() {
        match_diary.table(&head, whole.collect());
    }
    page.section("The match", match_diary);
    let mut turns = Diary::new();
    let mut rows = Vec::new();
    for turn in luck.turns() {
        for side in sides {
            let fortune = luck.fortune(*side, Some(turn));
            if fortune.attacks > 0 {
                rows.push(row(format!("turn {turn}, {}", side.name()), &fortune));
            }
        }
    }
    turns.table(&head, rows);
    page.section("Turn by turn", turns);
    let mut attacks = Diary::new();
    let rows = luck.attacks.iter().map(|attack| {
        let lost = |side: &Side| {
            let mean = attack.spread.expected(|upshot| upshot.lost_by(*side));
            format!("{} ({})", attack.upshot.lost_by(*side), mean.mean())
        };
        let taken = if attack.upshot.taken { "yes" } else { "no" };
        let chance = attack.spread.chance(|upshot| upshot.taken).percent();
        let mut row = vec![attack.turn.to_string(), attack.by.name(), attack.at.clone()];
        row.push(attack.upshot.word().to_owned());
        row.push(format!("{taken} ({chance})"));
        row.extend(sides.iter().map(lost));
        row
    });
    let lost: Vec<String> = sides.iter().map(|side| format!("{} lost", side.name())).collect();
    let mut head = vec!["turn", "by", "attack on", "result", "taken"];
    head.extend(lost.iter().map(String::as_str));
    attacks.table(&head, rows.collect());
    if luck.attacks.iter().any(|attack| matches!(attack.how, How::Drawn { .. })) {
        attacks.line("Some expectations are drawn, not counted; `garcia luck --draws` looks closer.", &[]);
    }
    page.section("Attack by attack", attacks);
    let mut dice = Diary::new();
    let rows = luck.rolls.iter().map(|((side, purpose), rolls)| {
        let mean = |sum: u64, of: u64| Ratio::new(sum, of).mean();
        vec![
            side.clone(),
            purpose.clone(),
            rolls.dice.to_string(),
            mean(rolls.sum, rolls.dice.into()),
            mean(rolls.twice_mean, 2 * u64::from(rolls.dice)),
        ]
    });
    dice.table(&["phase of", "rolled for", "dice", "mean", "honest mean"], rows.collect());
    for even in luck.evenness() {
        let faces: Vec<String> = even.faces.iter().map(u32::to_string).collect();
        let verdict = match (even.usual, even.rare) {
            (Some(usual), _) if even.chi_square.parts(1000) <= u128::from(usual) => "as even as honest dice are",
            (_, Some(rare)) if even.chi_square.parts(1000) <= u128::from(rare) => {
                "less even than nineteen of twenty honest sets"
            }
            (_, Some(_)) => "less even than 99 of a hundred honest sets",
            _ => "there is no table for this size",
        };
        let usual = even
            .usual
            .map_or(String::new(), |usual| format!(" (95 of 100 stay below {})", Ratio::new(usual, 1000u32).mean()));
        dice.line(
            format!("d{}: {}; chi-square {}{usual}: {verdict}.", even.sides, faces.join(" "), even.chi_square.mean()),
            &[],
        );
    }
    page.section("Dice", dice);
    page
}

/// The luck of one turn in a line; nothing of a side from which nothing was to be expected.
pub fn luck_line(table: &dyn Match, luck: &Luck) -> Option<String> {
    let told = |side: &Side| {
        let fortune = luck.fortune(*side, None);
        if [&fortune.inflicted, &fortune.taken].iter().all(|measured| measured.expected == Ratio::ZERO) {
            return None;
        }
        let mut text = format!(
            "{} inflicted {} where {} were to be expected (percentile {})",
            side.name(),
            count_of(fortune.inflicted.was, "step"),
            fortune.inflicted.expected.mean(),
            percent(&fortune.inflicted)
        );
        if fortune.attacks > 0 {
            let taken = &fortune.taken;
            text.push_str(&format!(
                " and took {} of {} ({} expected)",
                taken.was,
                count_of(fortune.attacks, "place"),
                taken.expected.mean()
            ));
        }
        Some(text)
    };
    let told: Vec<String> = table.ruleset().sides().iter().filter_map(told).collect();
    (!told.is_empty()).then(|| format!("Luck: {}.", told.join("; ")))
}

/// The luck of a match for programs: fractions and whole numbers, no more.
pub fn luck_json(table: &dyn Match, luck: &Luck) -> serde_json::Value {
    let sides = table.ruleset().sides();
    let measured = |m: &Measured| json!({ "was": m.was, "expected": m.expected, "percentile": m.percentile });
    let fortune = |turn: Option<u32>| {
        let of = |side: &Side| {
            let fortune = luck.fortune(*side, turn);
            json!({
                "side": side, "attacks": fortune.attacks, "inflicted": measured(&fortune.inflicted),
                "taken": measured(&fortune.taken),
            })
        };
        sides.iter().map(of).collect::<Vec<_>>()
    };
    let turns: Vec<_> =
        luck.turns().into_iter().map(|turn| json!({ "turn": turn, "sides": fortune(Some(turn)) })).collect();
    let attacks: Vec<_> = luck
        .attacks
        .iter()
        .map(|attack| {
            json!({
                "turn": attack.turn, "by": attack.by, "at": attack.at, "entry": attack.entry.to_string(),
                "upshot": attack.upshot, "taken": attack.spread.chance(|upshot| upshot.taken),
                "lost": sides.iter().map(|side| (side.as_str(), attack.spread.expected(|u| u.lost_by(*side))))
                    .collect::<std::collections::BTreeMap<_, _>>(),
            })
        })
        .collect();
    let dice: Vec<_> = luck
        .rolls
        .iter()
        .map(|((side, purpose), rolls)| {
            let honest = Ratio::new(rolls.twice_mean, 2 * u64::from(rolls.dice));
            let mean = Ratio::new(rolls.sum, u64::from(rolls.dice));
            json!({ "phase-of": side, "rolled-for": purpose, "dice": rolls.dice, "mean": mean, "honest-mean": honest })
        })
        .collect();
    let evenness: Vec<_> = luck
        .evenness()
        .into_iter()
        .map(|even| {
            json!({
                "sides": even.sides, "faces": even.faces, "chi-square": even.chi_square,
                "usual-thousandths": even.usual, "rare-thousandths": even.rare,
            })
        })
        .collect();
    json!({ "match": fortune(None), "turns": turns, "attacks": attacks, "dice": dice, "evenness": evenness })
}
