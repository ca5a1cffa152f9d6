//! The chronicle: a whole match as one document.

use std::collections::BTreeMap;

use crate::engine::{Diary, DiaryEntry, Match, Ratio, Side, View, capital, count_of};
use crate::play::{Attack, Luck, Prospects};
use crate::trust::replay::Played;

use super::Page;
use super::luck::luck_page;

/// What a chronicle is made from.
pub struct Chronicle<'a> {
    /// The match.
    pub table: &'a dyn Match,
    /// Mode and dice, in one line.
    pub lead: Vec<String>,
    /// The spans, in order.
    pub played: Vec<&'a Played>,
    /// Who tells it; everything is told if nobody in particular.
    pub reader: Option<Side>,
    /// The position at the end, as the reader sees it.
    pub view: View<'a>,
    /// The luck of the match.
    pub luck: &'a Luck,
    /// The chance to win before the first span and after each, where it can be played out.
    pub winning: Vec<Option<Prospects>>,
}

/// How many turning points and honours are told.
const MOST: usize = 5;

impl Chronicle<'_> {
    /// The whole document.
    pub fn page(&self) -> Page {
        let about = self.table.ruleset().about();
        let mut page = Page::new(format!("{}: the chronicle of a match", about.title));
        page.lead = self.lead.clone();
        let over = self.table.verdict(self.view.state).is_some();
        page.section(if over { "How it ended" } else { "How it stands" }, self.ending());
        page.section("Turning points", self.turning_points());
        page.section("Honours", self.honours());
        page.section("Losses by unit", self.losses());
        for section in luck_page(self.table, self.luck).sections {
            if matches!(section.heading.as_str(), "The match" | "Dice") {
                page.section(format!("Luck: {}", section.heading.to_lowercase()), section.diary);
            }
        }
        for span in &self.played {
            let mut told = Diary::new();
            self.table.sum_up(&span.journal, self.reader, &mut told);
            self.table.tell(&span.journal, 0, self.reader, &mut told);
            page.section(self.headline(span), told);
        }
        let mut position = Diary::new();
        self.table.tell_state(self.view, &mut position);
        page.section(if over { "The position at the end" } else { "The position now" }, position);
        page
    }

    fn headline(&self, span: &Played) -> String {
        self.table.headline(&span.base)
    }

    fn ending(&self) -> Diary {
        let mut diary = Diary::new();
        match self.table.verdict(self.view.state) {
            Some(verdict) => diary.line(verdict.text, &[]),
            None => diary.line("The match goes on.", &[]),
        }
        let last = self.played.last().map(|span| self.headline(span));
        diary.line(
            format!(
                "{} were played, the last of them {}.",
                capital(&count_of(self.played.len(), "packet")),
                last.unwrap_or_default()
            ),
            &[],
        );
        diary
    }

    /// The spans after which the chance to win changed most.
    fn turning_points(&self) -> Diary {
        let mut diary = Diary::new();
        let Some(side) = self.table.ruleset().sides().first().copied() else { return diary };
        let mut changes: Vec<(Ratio, usize, Ratio, Ratio)> = Vec::new();
        let mut any = false;
        for (at, pair) in self.winning.windows(2).enumerate() {
            if let [Some(before), Some(after)] = pair {
                any = true;
                if !before.differs(after, side) {
                    continue;
                }
                let (before, after) = (before.of(side), after.of(side));
                let change = if after > before { after.minus(before) } else { before.minus(after) };
                changes.push((change, at, before, after));
            }
        }
        if !any {
            diary.line("No sensible players of this game could play the positions out.", &[]);
            return diary;
        }
        changes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let games = self.winning.iter().flatten().map(|prospects| prospects.games).max().unwrap_or(0);
        diary.line(
            format!("Sensible players went on {} from each position; so often {side} won.", count_of(games, "time")),
            &[],
        );
        if changes.is_empty() {
            diary.line("No turn changed that by more than chance can do in so few games (`--playouts`).", &[]);
            return diary;
        }
        diary.line("Changes that may be chance in so few games are left out.", &[]);
        let mut rows = Vec::new();
        for (_, at, before, after) in changes.into_iter().take(MOST) {
            let headline = self.played.get(at).map_or_else(String::new, |span| self.headline(span));
            rows.push(vec![headline, before.percent(), after.percent(), self.deed(at)]);
        }
        diary.table(&["turn", "before", "after", "what happened"], rows);
        diary
    }

    /// What a span came to, and its attack that surprised most, in words.
    fn deed(&self, at: usize) -> String {
        let Some(span) = self.played.get(at) else { return String::new() };
        let mut summary = Diary::new();
        self.table.sum_up(&span.journal, self.reader, &mut summary);
        let lines = summary.entries().iter().filter_map(|entry| match entry {
            DiaryEntry::Line { text, .. } => Some(text.clone()),
            _ => None,
        });
        let (turn, who) = (self.table.turn(&span.base), span.stop.who());
        let of = self.luck.attacks.iter().filter(|attack| attack.turn == turn && Some(attack.by) == who);
        let most = of.filter(|attack| !attack.upshot.called_off).min_by(|a, b| likelihood(a).cmp(&likelihood(b)));
        let attack = most.map(|attack| format!("{} at {}: {}.", attack.by, attack.at, attack.upshot.word()));
        lines.chain(attack).collect::<Vec<_>>().join(" ")
    }

    fn honours(&self) -> Diary {
        let mut diary = Diary::new();
        let attacks = || self.luck.attacks.iter();
        let taken = |attack: &&Attack| attack.spread.chance(|upshot| upshot.taken);
        if let Some(best) = attacks().filter(|attack| attack.upshot.taken).min_by(|a, b| taken(a).cmp(&taken(b))) {
            let text = format!(
                "Against the odds: {} took {} on turn {}, with a chance of {}.",
                best.by,
                best.at,
                best.turn,
                taken(&best).percent()
            );
            diary.line(text, &[]);
        }
        let held = |attack: &&Attack| !attack.upshot.taken && !attack.upshot.called_off;
        if let Some(stand) = attacks().filter(held).max_by(|a, b| taken(a).cmp(&taken(b)))
            && taken(&stand) > Ratio::ZERO
        {
            let text = format!(
                "The firmest stand: {} held on turn {} against {}, who would have taken it in {}.",
                stand.at,
                stand.turn,
                stand.by,
                taken(&stand).percent()
            );
            diary.line(text, &[]);
        }
        let bill = |attack: &&Attack| attack.upshot.lost.values().sum::<u32>();
        if let Some(bloody) = attacks().max_by_key(bill).filter(|attack| bill(attack) > 0) {
            let lost: Vec<String> = bloody.upshot.lost.iter().map(|(side, steps)| format!("{side} {steps}")).collect();
            diary.line(
                format!("The bloodiest fight: {} on turn {} ({}).", bloody.at, bloody.turn, lost.join(", ")),
                &[],
            );
        }
        for attack in attacks() {
            for leader in &attack.upshot.leaders {
                let chance = attack.spread.chance(|upshot| upshot.leaders.contains(leader)).percent();
                diary.line(format!("{leader} fell at {} on turn {} (chance {chance}).", attack.at, attack.turn), &[]);
            }
        }
        diary
    }

    fn losses(&self) -> Diary {
        let mut all: BTreeMap<(Side, String), u32> = BTreeMap::new();
        for span in &self.played {
            for (unit, steps) in self.table.losses(&span.journal) {
                *all.entry(unit).or_insert(0) += steps;
            }
        }
        let mut rows: Vec<(Side, u32, String)> =
            all.into_iter().map(|((side, unit), steps)| (side, steps, unit)).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
        let mut diary = Diary::new();
        let row = |(side, steps, unit): (Side, u32, String)| vec![side.to_string(), unit, steps.to_string()];
        diary.table(&["side", "unit", "lost"], rows.into_iter().map(row).collect());
        diary
    }
}

/// The chance of what an attack came to.
fn likelihood(attack: &Attack) -> Ratio {
    attack.spread.chance(|upshot| upshot.word() == attack.upshot.word() && upshot.taken == attack.upshot.taken)
}
