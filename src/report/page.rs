//! A report put together: headline, what each side lost and gained, the journal, how things stand, what comes next.

use serde::Serialize;

use crate::engine::{AnyJournal, Diary, DiaryEntry, Effort, Match, Side, Stop, View};
use crate::play::{GLANCE, Luck};
use crate::trust::replay::Played;

use super::luck::luck_line;

/// How closely the luck of a turn is looked at for the line below its report.
const BRIEF: Effort<'static> = Effort { apart: 60, together: 0, drawn: 60, ..GLANCE };

/// A report, or any other answer to a player, before it has a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The headline.
    pub title: String,
    /// A few lines below it: mode, dice, who wrote.
    pub lead: Vec<String>,
    /// What the players wrote to each other, to be shown as text and nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The chapters.
    pub sections: Vec<Section>,
}

/// What one player wrote to the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The side that wrote it.
    pub from: String,
    /// Its words.
    pub text: String,
}

impl Message {
    /// The words of a side.
    pub fn new(from: impl ToString, text: impl Into<String>) -> Message {
        Message { from: from.to_string(), text: text.into() }
    }

    /// `spain writes:`
    pub fn head(&self) -> String {
        format!("{} writes:", self.from)
    }
}

/// A chapter of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its heading; none for text that follows straight on.
    pub heading: String,
    /// What it says.
    pub diary: Diary,
    /// For every entry of the diary the event it tells of; nothing where it tells of none.
    #[serde(skip)]
    pub events: Vec<usize>,
}

impl Page {
    /// A page with nothing but a title.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), ..Page::default() }
    }

    /// Adds a chapter, unless it is empty. Headings with nothing below them are left out.
    pub fn section(&mut self, heading: impl Into<String>, diary: Diary) {
        self.told(heading, diary, &[]);
    }

    /// The same, with the event that each entry tells of.
    fn told(&mut self, heading: impl Into<String>, diary: Diary, events: &[usize]) {
        let kept = without_idle_headings(&diary);
        if kept.is_empty() {
            return;
        }
        let events = kept.iter().filter_map(|at| events.get(*at).copied()).collect();
        let mut diary_kept = Diary::new();
        kept.iter().filter_map(|at| diary.entries().get(*at)).for_each(|entry| diary_kept.push(entry.clone()));
        self.sections.push(Section { heading: heading.into(), diary: diary_kept, events });
    }
}

/// The entries of a diary without the phases in which nothing happened.
fn without_idle_headings(diary: &Diary) -> Vec<usize> {
    let mut kept = Vec::new();
    // From the end: whether anything was told since the next phase began, and since the next heading of any rank.
    let (mut phase, mut part) = (false, false);
    for (at, entry) in diary.entries().iter().enumerate().rev() {
        let stays = match entry {
            DiaryEntry::Heading { level: 0 | 1, .. } => {
                part = false;
                std::mem::take(&mut phase)
            }
            DiaryEntry::Heading { .. } => std::mem::take(&mut part),
            _ => {
                (phase, part) = (true, true);
                true
            }
        };
        if stays {
            kept.push(at);
        }
    }
    kept.reverse();
    kept
}

/// What a turn report is made from.
pub struct TurnReport<'a> {
    /// The match.
    pub table: &'a dyn Match,
    /// The headline of the span: the moment it began.
    pub headline: String,
    /// Mode and dice, whether verified; in one line each.
    pub lead: Vec<String>,
    /// What the players wrote to each other in the span.
    pub messages: Vec<Message>,
    /// The position reached, as the reader sees it.
    pub view: View<'a>,
    /// What happened in the span.
    pub journal: &'a AnyJournal,
    /// How many of its events an earlier report has told.
    pub told: usize,
    /// Who must speak next.
    pub stop: &'a Stop,
    /// The span, once it is at its end: how lucky everybody was is told in a line.
    pub ended: Option<&'a Played>,
}

impl TurnReport<'_> {
    /// The whole report.
    pub fn page(&self) -> Page {
        let reader = self.view.side;
        let mut page = Page::new(self.headline.clone());
        page.lead = self.lead.clone();
        page.messages = self.messages.clone();
        let mut balance = Diary::new();
        self.table.sum_up(self.journal, reader, &mut balance);
        page.section("Lost and gained", balance);
        self.tell(reader, &mut page);
        let mut stands = Diary::new();
        self.table.tell_state(self.view, &mut stands);
        page.section("Where the campaign stands", stands);
        let mut next = Diary::new();
        if let Some(verdict) = self.table.verdict(self.view.state) {
            next.line(verdict.text, &[]);
        }
        for line in awaited(self.table, self.view, self.stop) {
            next.line(line, &[]);
        }
        page.section("What comes next", next);
        let luck = |span| luck_line(self.table, &Luck::of(self.table, [span], &BRIEF));
        if let Some(luck) = self.ended.and_then(luck) {
            let mut last = Diary::new();
            last.line(luck, &[]);
            page.section("", last);
        }
        page
    }

    /// The journal, with a line where the new part begins if the span is told again.
    fn tell(&self, reader: Option<Side>, page: &mut Page) {
        let mut whole = Diary::new();
        let events = self.table.tell_each(self.journal, reader, &mut whole);
        if self.told == 0 {
            page.told("What happened", whole, &events);
            return;
        }
        let mut fresh = Diary::new();
        self.table.tell(self.journal, self.told, reader, &mut fresh);
        // What is new is the end of the whole: an event is told the same way each time.
        let known = whole.entries().len().saturating_sub(fresh.entries().len());
        let (mut before, mut after) = (Diary::new(), Diary::new());
        for (number, entry) in whole.entries().iter().enumerate() {
            if number < known { before.push(entry.clone()) } else { after.push(entry.clone()) }
        }
        page.told("What happened, as told before", before, events.get(..known).unwrap_or_default());
        if after.entries().is_empty() {
            after.line("Nothing yet.", &[]);
        }
        page.told("The new part begins here", after, events.get(known..).unwrap_or_default());
    }
}

/// What is awaited next, and from whom.
pub fn awaited(table: &dyn Match, view: View<'_>, stop: &Stop) -> Vec<String> {
    let turn = table.turn(view.state);
    match stop {
        Stop::Orders { who, ask, .. } => vec![format!("Awaited: `{ask}` orders of {who}, turn {turn}.")],
        Stop::Answers { who, questions } => {
            let number = questions.len();
            let mut lines =
                vec![format!("Awaited: {number} answer{} of {who}, turn {turn}.", if number == 1 { "" } else { "s" })];
            lines.extend(questions.iter().map(|asked| format!("{} ({}) {}", asked.text, asked.clause, asked.key)));
            lines
        }
        Stop::Facts { who, .. } => vec![format!("Awaited: hidden facts of {who}, which his program states by itself.")],
        Stop::End => vec!["The game is over.".into()],
    }
}

/// The moment in a few words: `turn 3, turn orders of us`.
pub fn when(table: &dyn Match, view: View<'_>, stop: &Stop) -> String {
    let turn = table.turn(view.state);
    match stop.who() {
        Some(who) => format!("turn {turn}, {} of {who}", stop.ask()),
        None => format!("turn {turn}, the end"),
    }
}
