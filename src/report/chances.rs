//! Chances for people and for programs: what each order of a file can come to.

use std::collections::BTreeMap;

use crate::engine::doc::DocPath;
use crate::engine::{
    Affair, AnyJournal, Chances, Diary, DiaryEntry, How, Json, Match, Prospect, Ratio, Side, Spread, Upshot, count_of,
    to_json,
};

/// The chances of an order file.
pub struct ChancesReport<'a> {
    /// The match.
    pub table: &'a dyn Match,
    /// Who wrote the orders.
    pub reader: Side,
    /// What they can come to.
    pub chances: &'a Chances,
    /// What happens if all goes well, for the sums.
    pub outlook: Option<&'a AnyJournal>,
    /// The text that draws are made from.
    pub seed: &'a str,
}

/// A number of an upshot, with a name.
type Counted<'a> = (String, Box<dyn Fn(&Upshot) -> bool + 'a>);

/// What is worth a line besides the result: the place taken, leaders. That it is called off is a result.
fn happenings(spread: &Spread) -> Vec<Counted<'static>> {
    let mut list: Vec<Counted<'static>> = Vec::new();
    if let Some((_, at)) = spread.fight()
        && spread.0.keys().any(|upshot| upshot.taken)
    {
        list.push((format!("{at} is taken"), Box::new(|upshot| upshot.taken)));
    }
    for leader in spread.leaders() {
        let (name, leader) = (format!("{leader} falls"), leader.to_owned());
        list.push((name, Box::new(move |upshot| upshot.leaders.contains(&leader))));
    }
    list
}

/// How figures were found, in a sentence.
fn how(how: How, seed: &str) -> String {
    let left = |left_out: Ratio| match left_out == Ratio::ZERO {
        true => String::new(),
        false => format!("; branches of {} together are not followed", left_out.percent()),
    };
    match how {
        How::Exact { left_out } => format!("Exact: every fall of the dice is counted{}.", left(left_out)),
        How::Apart { runs, left_out } => format!(
            "Exact over its own dice; in {runs} runs it did not matter how the dice of other orders fell{}.",
            left(left_out)
        ),
        How::Drawn { runs } => format!(
            "Drawn {runs} times (seed `{seed}`), since there are too many ways to count: chances are good to ±{}.",
            how.error().percent()
        ),
    }
}

/// The name of what an affair is about.
pub fn title(prospect: &Prospect) -> String {
    if let Some((by, at)) = prospect.spread.fight() {
        return format!("{} attack on {at}", by.whose());
    }
    match &prospect.affair {
        Affair::Entry(entry) => entry.to_string(),
        Affair::Phase(phase) => {
            let mut parts = phase.split('.');
            let (turn, _, name) = (parts.next().unwrap_or(""), parts.next(), parts.next().unwrap_or(phase));
            format!("Turn {}, {}", turn.trim_start_matches('t'), name.replace('-', " "))
        }
    }
}

/// The same with those who are ordered: two shots at one target are two affairs.
fn named(prospect: &Prospect) -> String {
    let joint = if prospect.spread.fight().is_some() { " by " } else { ", " };
    match prospect.ordered.as_slice() {
        [] => title(prospect),
        [one, two, _, more @ ..] if !more.is_empty() => {
            format!("{}{joint}{one}, {two} and {} more", title(prospect), more.len() + 1)
        }
        few => format!("{}{joint}{}", title(prospect), few.join(", ")),
    }
}

/// One line for a fight or march: the chance that it comes off, and what it costs.
pub fn in_a_line(prospect: &Prospect) -> String {
    let span = |of: &dyn Fn(&Spread) -> String| match &prospect.at_worst {
        None => of(&prospect.spread),
        Some((worst, _)) => format!("{} to {}", of(worst), of(&prospect.spread)),
    };
    let mut parts = Vec::new();
    let worst = prospect.at_worst.iter().map(|(worst, _)| worst);
    let may_take = |spread: &Spread| spread.0.keys().any(|upshot| upshot.taken);
    // Fire takes no ground: its results are what there is to tell.
    if std::iter::once(&prospect.spread).chain(worst).any(may_take) {
        parts.push(format!("taken {}", span(&|spread| spread.chance(|upshot| upshot.taken).percent())));
        if prospect.spread.0.keys().any(|upshot| upshot.called_off) {
            parts.push(format!("called off {}", span(&|spread| spread.chance(|upshot| upshot.called_off).percent())));
        }
    } else {
        let chance = |word: &str| span(&|spread| spread.chance(|upshot| upshot.word() == word).percent());
        let results = prospect.spread.results();
        parts.extend(results.iter().take(3).map(|(word, _)| format!("{word} {}", chance(word))));
    }
    for leader in prospect.spread.leaders() {
        parts.push(format!(
            "{leader} falls {}",
            span(&|spread| spread.chance(|u| u.leaders.contains(leader)).percent())
        ));
    }
    for side in prospect.spread.losers() {
        parts.push(format!(
            "{} loses {}",
            side.name(),
            span(&|spread| spread.expected(|upshot| upshot.lost_by(side)).mean())
        ));
    }
    let found = match prospect.how {
        How::Exact { .. } => "exact".to_owned(),
        How::Apart { .. } => "exact over its own dice".to_owned(),
        how @ How::Drawn { .. } => format!("±{}", how.error().percent()),
    };
    format!("{}: {} ({found}).", named(prospect), parts.join(", "))
}

impl ChancesReport<'_> {
    /// The sums behind an entry, if all goes well.
    fn sums(&self, entry: &DocPath) -> Vec<DiaryEntry> {
        let mut told = Diary::new();
        if let Some(outlook) = self.outlook {
            self.table.tell_entry(outlook, entry, Some(self.reader), &mut told);
        }
        let is_sum = |entry: &&DiaryEntry| matches!(entry, DiaryEntry::Sum { .. });
        told.entries().iter().filter(is_sum).cloned().collect()
    }

    /// Everything, affair by affair.
    pub fn diary(&self) -> Diary {
        let mut diary = Diary::new();
        for prospect in &self.chances.prospects {
            self.tell(prospect, &mut diary);
        }
        if self.chances.cut_short {
            diary.line("Something only your opponent knows ends the reckoning before your last order.", &[]);
        }
        diary
    }

    fn tell(&self, prospect: &Prospect, diary: &mut Diary) {
        diary.heading(2, named(prospect));
        if let Affair::Entry(entry) = &prospect.affair {
            self.sums(entry).into_iter().for_each(|sum| diary.push(sum));
        }
        let (best, worst) = (&prospect.spread, prospect.at_worst.as_ref().map(|(worst, _)| worst));
        let spreads: Vec<&Spread> = std::iter::once(best).chain(worst).collect();
        let ends = ["if they are weakest", "if they are strongest"];
        let mut head = vec!["result"];
        head.extend(if worst.is_some() { &ends[..] } else { &["chance"][..] });
        // Results in the order of the first column, then what only the second has.
        let mut words: Vec<String> = Vec::new();
        for spread in &spreads {
            for (word, _) in spread.results() {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        let mut rows = Vec::new();
        for word in words {
            let chances = spreads.iter().map(|spread| spread.chance(|upshot| upshot.word() == word).percent());
            rows.push(std::iter::once(word.clone()).chain(chances).collect());
        }
        for (what, holds) in happenings(best) {
            let chances = spreads.iter().map(|spread| spread.chance(&holds).percent());
            rows.push(std::iter::once(what).chain(chances).collect());
        }
        diary.table(&head, rows);
        self.losses(&spreads, diary);
        diary.detail(how(prospect.how, self.seed), &[]);
    }

    fn losses(&self, spreads: &[&Spread], diary: &mut Diary) {
        let sides: Vec<Side> = spreads.iter().flat_map(|spread| spread.losers()).collect();
        let most = |side: Side| spreads.iter().flat_map(|s| s.0.keys()).map(|u| u.lost_by(side)).max().unwrap_or(0);
        let highest = sides.iter().map(|side| most(*side)).max().unwrap_or(0);
        if highest == 0 {
            return;
        }
        let mut head = vec!["steps lost".to_owned(), "mean".to_owned()];
        head.extend((0..=highest).map(|steps| steps.to_string()));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut rows: Vec<Vec<String>> = Vec::new();
        for side in self.table.ruleset().sides().iter().filter(|side| sides.contains(side)) {
            for (at, spread) in spreads.iter().enumerate() {
                let name = match (spreads.len(), at) {
                    (1, _) => side.name(),
                    (_, 0) => format!("{}, weakest", side.name()),
                    _ => format!("{}, strongest", side.name()),
                };
                let numbers = spread.numbers(|upshot| upshot.lost_by(*side));
                let mut row = vec![name, spread.expected(|upshot| upshot.lost_by(*side)).mean()];
                row.extend((0..=highest).map(|steps| numbers.get(&steps).map_or("-".to_owned(), |c| c.percent())));
                rows.push(row);
            }
        }
        diary.table(&head, rows);
    }

    /// For programs: the same, with fractions.
    pub fn json(&self) -> BTreeMap<String, Json> {
        let (mut battles, mut others) = (Vec::new(), Vec::new());
        for prospect in &self.chances.prospects {
            let mut entry = spread_json(&prospect.spread, prospect.how);
            let place = if matches!(prospect.affair, Affair::Entry(_)) { "entry" } else { "phase" };
            entry.insert(place.to_owned(), Json::Str(prospect.affair.to_string()));
            if let Some((by, at)) = prospect.spread.fight() {
                entry.insert("by".to_owned(), Json::from(by.as_str()));
                entry.insert("at".to_owned(), Json::Str(at.clone()));
            }
            if !prospect.ordered.is_empty() {
                let ordered = prospect.ordered.iter().map(|unit| Json::from(unit.as_str())).collect();
                entry.insert("ordered".to_owned(), Json::List(ordered));
            }
            if let Some((worst, how)) = &prospect.at_worst {
                entry.insert("at-worst".to_owned(), Json::Map(spread_json(worst, *how)));
            }
            if let Affair::Entry(place) = &prospect.affair {
                let sums: Vec<Json> = self.sums(place).iter().filter_map(sum_json).collect();
                if !sums.is_empty() {
                    entry.insert("sums".to_owned(), Json::List(sums));
                }
            }
            let list = if prospect.spread.fight().is_some() { &mut battles } else { &mut others };
            list.push(Json::Map(entry));
        }
        BTreeMap::from([
            ("battles".to_owned(), Json::List(battles)),
            ("others".to_owned(), Json::List(others)),
            ("cut-short".to_owned(), Json::Bool(self.chances.cut_short)),
            ("runs".to_owned(), Json::Int(i64::from(self.chances.runs))),
            ("seed".to_owned(), Json::from(self.seed)),
        ])
    }
}

fn fraction(ratio: Ratio) -> Json {
    Json::Str(ratio.to_string())
}

fn sum_json(entry: &DiaryEntry) -> Option<Json> {
    let DiaryEntry::Sum { text, from, tally, gives, .. } = entry else { return None };
    Some(Json::object([
        ("what".to_owned(), Json::Str(text.clone())),
        ("from".to_owned(), Json::Str(from.clone())),
        ("terms".to_owned(), to_json(tally).ok()?),
        ("gives".to_owned(), Json::Str(gives.clone())),
    ]))
}

fn spread_json(spread: &Spread, how: How) -> BTreeMap<String, Json> {
    let found = match how {
        How::Exact { .. } => "exact",
        How::Apart { .. } => "apart",
        How::Drawn { .. } => "drawn",
    };
    let mut members = BTreeMap::from([
        ("how".to_owned(), Json::from(found)),
        ("error".to_owned(), fraction(how.error())),
        (
            "results".to_owned(),
            Json::Map(spread.results().into_iter().map(|(word, chance)| (word, fraction(chance))).collect()),
        ),
    ]);
    if spread.fight().is_some() {
        members.insert("taken".to_owned(), fraction(spread.chance(|upshot| upshot.taken)));
        members.insert("called-off".to_owned(), fraction(spread.chance(|upshot| upshot.called_off)));
    }
    let falls = |leader: &str| fraction(spread.chance(|upshot| upshot.leaders.contains(leader)));
    let leaders: BTreeMap<String, Json> = spread.leaders().into_iter().map(|l| (l.to_owned(), falls(l))).collect();
    if !leaders.is_empty() {
        members.insert("leaders".to_owned(), Json::Map(leaders));
    }
    let mut lost = BTreeMap::new();
    for side in spread.losers() {
        let numbers = spread.numbers(|upshot| upshot.lost_by(side));
        let numbers = numbers.into_iter().map(|(steps, chance)| (steps.to_string(), fraction(chance))).collect();
        let mean = fraction(spread.expected(|upshot| upshot.lost_by(side)));
        let entry = [("mean".to_owned(), mean), ("steps".to_owned(), Json::Map(numbers))];
        lost.insert(side.to_string(), Json::Map(entry.into()));
    }
    members.insert("lost".to_owned(), Json::Map(lost));
    members
}

/// Affairs with their names, the later ones of a name with their number.
fn numbered(chances: &Chances) -> Vec<(String, &Prospect)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = Vec::new();
    for prospect in &chances.prospects {
        let name = title(prospect);
        let times = seen.entry(name.clone()).or_insert(0);
        *times += 1;
        list.push((if *times == 1 { name } else { format!("{name} ({times})") }, prospect));
    }
    list
}

/// Several plans side by side: affair by affair the chance that it comes off and what it costs.
pub fn side_by_side(plans: &[(String, &Chances)]) -> Diary {
    let mut diary = Diary::new();
    let mut head = vec![""];
    head.extend(plans.iter().map(|(name, _)| name.as_str()));
    // The second shot at a target is set beside the second of the other plan.
    let told: Vec<Vec<(String, &Prospect)>> = plans.iter().map(|(_, chances)| numbered(chances)).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in told.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut sums: BTreeMap<Side, Vec<Ratio>> = BTreeMap::new();
    for name in &names {
        let of: Vec<Option<&Prospect>> =
            told.iter().map(|plan| plan.iter().find(|(told, _)| told == *name).map(|(_, p)| *p)).collect();
        let Some(first) = of.iter().flatten().next() else { continue };
        let cell = |number: &dyn Fn(&Spread) -> String| {
            let told = |p: &&Prospect| match &p.at_worst {
                None => number(&p.spread),
                Some((worst, _)) => format!("{} to {}", number(worst), number(&p.spread)),
            };
            of.iter().map(|p| p.as_ref().map_or("-".to_owned(), told)).collect::<Vec<String>>()
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = |what: String, cells: Vec<String>| rows.push(std::iter::once(what).chain(cells).collect());
        if first.spread.fight().is_some() {
            row("taken".to_owned(), cell(&|spread| spread.chance(|upshot| upshot.taken).percent()));
            row("called off".to_owned(), cell(&|spread| spread.chance(|upshot| upshot.called_off).percent()));
        } else {
            for (word, _) in first.spread.results() {
                row(word.clone(), cell(&|spread| spread.chance(|upshot| upshot.word() == word).percent()));
            }
        }
        let losers: std::collections::BTreeSet<Side> = of.iter().flatten().flat_map(|p| p.spread.losers()).collect();
        for side in losers {
            row(format!("{} loses, mean", side.name()), cell(&|spread| spread.expected(|u| u.lost_by(side)).mean()));
            let all = sums.entry(side).or_insert_with(|| vec![Ratio::ZERO; plans.len()]);
            for (sum, p) in all.iter_mut().zip(&of) {
                let mean = p.map_or(Ratio::ZERO, |p| p.spread.expected(|upshot| upshot.lost_by(side)));
                *sum = sum.plus(mean);
            }
        }
        diary.heading(2, (*name).clone());
        diary.table(&head, rows);
    }
    let all = |(side, sums): (&Side, &Vec<Ratio>)| {
        let name = std::iter::once(format!("{} loses, mean", side.name()));
        name.chain(sums.iter().map(|sum| sum.mean())).collect()
    };
    if names.len() > 1 {
        diary.heading(2, format!("All {} together", count_of(names.len(), "order")));
    }
    let sums = if names.len() > 1 { sums } else { BTreeMap::new() };
    diary.table(&head, sums.iter().map(all).collect());
    diary
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Side = Side("us");

    /// A shot at one target that hits in half the cases and takes no ground.
    fn shot(by: &str, taken: bool) -> Prospect {
        let upshot = |result: &str| Upshot {
            fight: Some((US, "1208".to_owned())),
            result: Some(result.to_owned()),
            taken,
            ..Upshot::default()
        };
        let half = Ratio::new(1u8, 2u8);
        Prospect {
            affair: Affair::Entry(DocPath::root().key("fire").index(0)),
            ordered: by.split(' ').map(str::to_owned).collect(),
            spread: Spread(BTreeMap::from([(upshot("hit"), half), (upshot("missed"), half)])),
            how: How::Exact { left_out: Ratio::ZERO },
            at_worst: None,
        }
    }

    #[test]
    fn fire_that_takes_no_ground_is_told_by_its_results_and_by_who_fires() {
        assert_eq!(in_a_line(&shot("us-1", false)), "US attack on 1208 by us-1: hit 50.0%, missed 50.0% (exact).");
        assert_eq!(in_a_line(&shot("us-1", true)), "US attack on 1208 by us-1: taken 100.0% (exact).");
        assert_eq!(named(&shot("a b c", false)), "US attack on 1208 by a, b, c");
        assert_eq!(named(&shot("a b c d", false)), "US attack on 1208 by a, b and 2 more");
    }

    #[test]
    fn the_second_shot_at_a_target_is_set_beside_the_second() {
        let plan = Chances { prospects: vec![shot("us-1", false), shot("us-2", true)], ..Chances::default() };
        let told = format!("{:?}", side_by_side(&[("a.yaml".to_owned(), &plan), ("b.yaml".to_owned(), &plan)]));
        assert!(told.contains("US attack on 1208 (2)"), "{told}");
    }
}
