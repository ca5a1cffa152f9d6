//! Drawings, held against these limits: the SVG of the campaign map with all counters in 20 ms and 600 kB, its PNG in
//! 500 ms, the page of a turn in 50 ms and 1 MB, a click on the desk in 50 ms.

use divan::{Bencher, black_box};
use garcia::cli::World;
use garcia::desk::{Asked, Desk};
use garcia::draw::{Window, svg_map, text_map};
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::{
    AnyJournal, AnyState, Charter, Dice, Holdings, Match, Questions, Said, Segment, Settled, Tickets, Versions, View,
};
use garcia::games::find;
use garcia::report::{Look, Page, Told, html};
use garcia::scene::Scene;
use serde_json::{Value, json};

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// A match after so many packets by chance: before the last one, after it, and what it brought about.
struct Moment {
    table: Box<dyn Match>,
    before: AnyState,
    after: AnyState,
    holdings: Holdings,
    journal: AnyJournal,
}

fn played(game: &str, packets: u8) -> Moment {
    let table = find(game).expect("a game").open(&Charter::default()).expect("our own data");
    let (mut state, mut stop) = table.begin();
    let (mut holdings, mut chance) = (Holdings::default(), Chance::new("bench"));
    let mut last = None;
    for number in 0..packets {
        let Some(side) = stop.who() else { break };
        let view = View { state: &state, holdings: &holdings, side: Some(side) };
        // What is signed is what the check writes out in full.
        let listed = table.random_orders(view, &stop, &mut chance);
        let (orders, _) = table.check(view, &stop, listed, &DocPath::root());
        let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
        let segment = Segment {
            dice: Dice::Seed(Seed::new([number; 32])),
            settled: Settled::default(),
            said: &said,
            public: &nothing,
            holdings: &holdings,
            versions: &versions,
            tickets: Tickets::NONE,
            closer_holds: table.ruleset().sides(),
            questions: Questions { ask: false, max_asks: None },
        };
        let outcome = table.resolve(&state, &orders, segment).unwrap_or_else(|failure| panic!("{failure}"));
        holdings.0.extend(outcome.kept.0);
        last = Some((std::mem::replace(&mut state, outcome.state), outcome.journal));
        stop = outcome.stop;
    }
    let (before, journal) = last.expect("something was played");
    Moment { table, before, after: state, holdings, journal }
}

impl Moment {
    fn scene(&self, state: &AnyState) -> Scene {
        self.table.scene(View { state, holdings: &self.holdings, side: None })
    }

    fn told(&self) -> Told {
        let mut page = Page::new("bench");
        let mut diary = garcia::engine::Diary::new();
        self.table.tell(&self.journal, 0, None, &mut diary);
        page.section("What happened", diary);
        let happened = self.table.depict(&self.journal, None);
        Told { page, before: self.scene(&self.before), after: self.scene(&self.after), happened }
    }
}

const GAMES: [&str; 5] = ["santiago-1898", "santiago-campaign", "splendid-little-war", "end-of-empire", "lone-warrior"];

#[divan::bench(args = GAMES)]
fn svg(bencher: Bencher<'_, '_>, game: &str) {
    let moment = played(game, 12);
    let draw = || svg_map(&moment.scene(&moment.after), &Window::default());
    let bytes = draw().len();
    assert!(bytes < 600_000, "the map of {game} takes {bytes} bytes");
    bencher.bench_local(|| black_box(draw()));
}

#[divan::bench(args = GAMES)]
fn page(bencher: Bencher<'_, '_>, game: &str) {
    let moment = played(game, 12);
    let draw = || html("bench", &[moment.told()]);
    let bytes = draw().len();
    assert!(bytes < 1_000_000, "the page of {game} takes {bytes} bytes");
    bencher.bench_local(|| black_box(draw()));
}

#[divan::bench(args = GAMES)]
fn characters(bencher: Bencher<'_, '_>, game: &str) {
    let moment = played(game, 12);
    bencher.bench_local(|| black_box(text_map(&moment.scene(&moment.after), &Window::default(), 80)));
}

#[cfg(feature = "png")]
#[divan::bench(args = GAMES, sample_count = 10, sample_size = 1)]
fn png(bencher: Bencher<'_, '_>, game: &str) {
    let moment = played(game, 12);
    let svg = svg_map(&moment.scene(&moment.after), &Window::default());
    bencher.bench_local(|| black_box(garcia::draw::png(&svg, 2400).expect("a picture")));
}

/// A game alone, with both armies on the map, at a desk.
struct Seated {
    desk: Desk,
    _folder: tempfile::TempDir,
}

impl Seated {
    fn at(game: &str) -> Seated {
        let room = tempfile::tempdir().expect("a folder");
        let (folder, home) = (room.path().join("game"), room.path().join("home"));
        let args =
            ["garcia", "new", game, &folder.display().to_string(), "--solo", "--home", &home.display().to_string()];
        garcia::cli::run(args.map(std::ffi::OsString::from));
        let (look, progress) = (Look::PLAIN, Default::default());
        let world = World { look, columns: 80, game: None, home: Some(home), json: false, progress };
        let seated = Seated { desk: Desk::of_game(folder, &world), _folder: room };
        for _ in 0..3 {
            let now = seated.ask("position", None);
            seated.ask("sign", Some(&json!({ "text": now["template"], "stamp": now["stamp"] })));
        }
        seated
    }

    fn ask(&self, what: &str, said: Option<&Value>) -> Value {
        let body = said.map_or_else(String::new, Value::to_string);
        let asked = Asked { post: said.is_some(), path: vec!["game", "0", what], body: body.as_bytes() };
        let answer = self.desk.answer(&asked);
        assert_eq!(answer.status, 200, "{what}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).expect("JSON")
    }
}

/// A click on a unit: where it may go and what it may do.
#[divan::bench(args = GAMES)]
fn click(bencher: Bencher<'_, '_>, game: &str) {
    let seated = Seated::at(game);
    let now = seated.ask("position", None);
    let able = |unit: &&Value| unit["own"] == true && unit["ready"] == true;
    let unit = now["units"].as_array().into_iter().flatten().find(able).expect("somebody may act");
    let said = json!({ "text": now["template"], "units": [unit["id"]], "board": unit["board"] });
    bencher.bench_local(|| black_box(seated.ask("offers", Some(&said))));
}

/// What follows a click: the text is written and checked, the outlook told and drawn.
#[divan::bench(args = GAMES)]
fn check(bencher: Bencher<'_, '_>, game: &str) {
    let seated = Seated::at(game);
    let said = json!({ "text": seated.ask("position", None)["template"] });
    bencher.bench_local(|| black_box(seated.ask("check", Some(&said))));
}
