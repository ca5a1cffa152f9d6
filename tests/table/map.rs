//! The map of every game: the scene is sound, every drawing fits, and nobody sees what he may not know.

use std::collections::BTreeSet;

use garcia::draw::{Window, svg_map, text_map};
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::{
    AnyJournal, AnyState, Charter, Dice, Holdings, Match, Questions, Said, Segment, Settled, Side, Stop, Tickets,
    Versions, View,
};
use garcia::games::{GAMES, find};
use garcia::report::{Look, Page, Told, html, picture_text};
use garcia::scene::{Mark, Scene};

/// A match by chance.
struct Played {
    table: Box<dyn Match>,
    state: AnyState,
    stop: Stop,
    holdings: Holdings,
    journal: Option<AnyJournal>,
}

impl Played {
    fn new(game: &str) -> Played {
        let table = find(game).expect("a game").open(&Charter::default()).expect("our own data");
        let (state, stop) = table.begin();
        Played { table, state, stop, holdings: Holdings::default(), journal: None }
    }

    /// Plays so many packets.
    fn on(mut self, packets: u8) -> Played {
        let mut chance = Chance::new("map");
        for number in 0..packets {
            let Some(side) = self.stop.who() else { break };
            let view = View { state: &self.state, holdings: &self.holdings, side: Some(side) };
            let orders = self.table.random_orders(view, &self.stop, &mut chance);
            let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
            let segment = Segment {
                dice: Dice::Seed(Seed::new([number; 32])),
                settled: Settled::default(),
                said: &said,
                public: &nothing,
                holdings: &self.holdings,
                versions: &versions,
                tickets: Tickets::NONE,
                closer_holds: self.table.ruleset().sides(),
                questions: Questions { ask: false, max_asks: None },
            };
            let Ok(outcome) = self.table.resolve(&self.state, &orders, segment) else { break };
            self.holdings.0.extend(outcome.kept.0);
            self.state = outcome.state;
            self.stop = outcome.stop;
            self.journal = Some(outcome.journal);
        }
        self
    }

    fn scene(&self, side: Option<Side>) -> Scene {
        self.table.scene(View { state: &self.state, holdings: &self.holdings, side })
    }
}

#[test]
fn every_counter_lies_in_a_cell_of_its_map_or_in_a_box() {
    for game in GAMES {
        let played = Played::new(game.id()).on(6);
        let scene = played.scene(None);
        let mut seen = BTreeSet::new();
        for board in &scene.boards {
            for counter in &board.counters {
                let cell = counter.cell.as_deref().and_then(|cell| board.cell(cell));
                assert!(cell.is_some(), "{}: {} lies nowhere", game.id(), counter.id);
            }
            for edge in &board.sides {
                let [a, b] = edge.between.each_ref().map(|cell| board.cell(cell).map(|cell| cell.at));
                let (Some(a), Some(b)) = (a, b) else { panic!("{}: {edge:?} leads off the map", game.id()) };
                assert!(board.shape.side(a, b).is_some(), "{}: {edge:?} joins no neighbours", game.id());
            }
        }
        for counter in scene.counters() {
            assert!(seen.insert(counter.id.clone()), "{}: {} is there twice", game.id(), counter.id);
            assert!(scene.force(counter.force).is_some(), "{}: nobody leads {}", game.id(), counter.id);
        }
        assert!(!scene.boards.is_empty() && seen.len() > 10, "{}", game.id());
    }
}

#[test]
fn the_map_in_characters_fits_and_shows_every_name() {
    for game in GAMES {
        let scene = Played::new(game.id()).on(6).scene(None);
        for width in [60, 80, 160] {
            let text = picture_text(&text_map(&scene, &Window::default(), width), Look::PLAIN);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{} at {width}: {line}", game.id());
            }
            for cell in scene.boards.iter().flat_map(|board| &board.cells) {
                let Some(name) = &cell.name else { continue };
                assert!(text.contains(&format!("{name} {}", cell.id)), "{}: {name} is missing", game.id());
            }
        }
    }
}

#[test]
fn a_road_a_river_a_work_and_a_counter_in_one_hex_are_all_seen() {
    // 1308 is Santiago: a city with roads, a railway, a river along it, an objective, and somebody in it.
    let played = Played::new("santiago-1898").on(1);
    let scene = played.scene(None);
    let window = Window { board: Some(0), centre: Some("1308".into()), radius: 1 };
    let text = picture_text(&text_map(&scene, &window, 80), Look::PLAIN);
    let lines: Vec<&str> = text.lines().collect();
    let row = lines.iter().position(|line| line.starts_with("13")).expect("the row of Santiago");
    assert!(lines[row].contains("$*s"), "city, objective and who holds it: {text}");
    assert!(lines[row + 1].contains('s'), "its garrison: {text}");
    assert!(lines[row + 2].contains("Santiago"), "its name: {text}");
    assert!(lines[row - 1].contains('#') || lines[row - 1].contains('~'), "the river above it: {text}");
}

#[test]
fn a_drawing_is_well_formed_and_names_every_counter_and_hex() {
    for game in GAMES {
        let scene = Played::new(game.id()).on(6).scene(None);
        let svg = svg_map(&scene, &Window::default());
        assert!(svg.len() < 600_000, "{}: {} bytes", game.id(), svg.len());
        for counter in scene.counters() {
            assert!(svg.contains(&format!("data-id=\"{}\"", counter.id)), "{}: {}", game.id(), counter.id);
        }
        for cell in scene.boards.iter().flat_map(|board| &board.cells) {
            assert!(svg.contains(&format!("<title>{}", cell.id)), "{}: {}", game.id(), cell.id);
        }
        #[cfg(feature = "png")]
        {
            let png = garcia::draw::png(&svg, 300).expect("a picture");
            assert!(png.starts_with(b"\x89PNG"), "{}", game.id());
        }
    }
}

/// A line of supply leads from a unit over neighbouring cells to where it is supplied from, in every game that knows one.
#[test]
fn lines_of_supply_are_drawn_from_cell_to_cell() {
    use garcia::engine::Query;
    use garcia::scene::{Overlay, Trace};
    for game in ["santiago-1898", "santiago-campaign", "splendid-little-war", "end-of-empire"] {
        let mut longest = 0;
        for packets in [4, 6, 8] {
            let played = Played::new(game).on(packets);
            let mut scene = played.scene(None);
            let view = View { state: &played.state, holdings: &played.holdings, side: None };
            let reply = played.table.query(view, &Query::Supply { unit: None }).expect("an answer");
            for overlay in &reply.drawn {
                let Overlay::Line { what: Trace::Supply, cells, open, unit, board, .. } = overlay else { continue };
                let lies = |cell: &String| scene.boards[*board].cell(cell).expect("a cell of the map").at;
                for step in cells.windows(2) {
                    let touch = scene.boards[*board].shape.side(lies(&step[0]), lies(&step[1]));
                    assert!(touch.is_some(), "{game}: {unit:?} {cells:?}");
                }
                if *open {
                    longest = longest.max(cells.len());
                } else {
                    assert_eq!(cells.len(), 1, "{game}: {unit:?} {cells:?}");
                }
            }
            scene.could = reply.drawn;
            let drawn = svg_map(&scene, &Window::default()).contains("class=\"supply\"");
            assert_eq!(
                drawn,
                scene.could.iter().any(|overlay| matches!(overlay, Overlay::Line { cells, .. } if cells.len() > 1))
            );
        }
        assert!(longest > 2, "{game}: no line is longer than {longest}");
    }
}

#[test]
fn a_page_of_a_turn_needs_nothing_else() {
    for game in GAMES {
        let before = Played::new(game.id()).on(5);
        let after = Played::new(game.id()).on(6);
        let Some(journal) = &after.journal else { continue };
        let happened = after.table.depict(journal, None);
        let told = Told { page: Page::new("A turn"), before: before.scene(None), after: after.scene(None), happened };
        let page = html("A turn", &[told]);
        assert!(page.len() < 1_000_000, "{}: {} bytes", game.id(), page.len());
        for outside in ["http:", "https:", "src=", "@import", "url(h"] {
            let foreign = page.matches(outside).count()
                - page.matches("http://www.w3.org").count().min(page.matches(outside).count());
            assert_eq!(foreign, 0, "{}: {outside}", game.id());
        }
    }
}

#[test]
fn what_lies_face_down_is_nowhere_in_the_opponents_scene() {
    for (game, hides, looks) in
        [("santiago-campaign", "spain", "us"), ("end-of-empire", "spain", "us"), ("end-of-empire", "us", "spain")]
    {
        let played = Played::new(game).on(4);
        let side = |name: &str| played.table.ruleset().side(name).expect("a side");
        // The opponent holds nothing of it.
        let nothing = Holdings::default();
        let own = played.scene(Some(side(hides)));
        let view = View { state: &played.state, holdings: &nothing, side: Some(side(looks)) };
        let other = serde_json::to_string(&played.table.scene(view)).expect("data");
        let svg = svg_map(&played.table.scene(view), &Window::default());
        let hidden: Vec<_> = (own.boards.iter().flat_map(|board| &board.counters))
            .filter(|counter| counter.marks.contains(&Mark::FaceDown))
            .filter(|counter| own.force(counter.force).is_some_and(|force| force.side == side(hides)))
            .collect();
        if game == "santiago-campaign" {
            assert!(!hidden.is_empty(), "nothing is hidden in {game}");
        }
        for counter in hidden.iter().filter(|counter| game == "santiago-campaign" && !counter.name.is_empty()) {
            let lost = own.boxes.iter().filter(|held| held.id == "lost").flat_map(|held| &held.counters);
            if lost.into_iter().all(|fallen| fallen.name != counter.name) {
                assert!(!other.contains(&counter.name), "{}: {} is told", game, counter.name);
                assert!(!svg.contains(&counter.name), "{}: {} is drawn", game, counter.name);
            }
        }
        for counter in hidden.iter().filter(|_| game == "end-of-empire") {
            for note in counter.notes.iter().filter(|note| note.starts_with("holds")) {
                assert!(!other.contains(note.as_str()), "{game}: {note}");
            }
        }
    }
}

#[test]
fn fire_comes_from_where_the_units_stood_by_then() {
    use garcia::scene::{Deed, Incident, trace};
    let scene = Played::new("lone-warrior").on(1).scene(None);
    let board = scene.boards.first().expect("a map");
    let [one, other] = [0, 1].map(|at| board.counters.get(at).expect("a counter"));
    let (stood, target) = (one.cell.clone().expect("a cell"), other.cell.clone().expect("a cell"));
    let fired = || Incident::new(Deed::Fired, [&one.id]).at(&target);
    let mut happened = vec![fired(), Incident::new(Deed::Moved, [&one.id]).at("0101"), fired(), fired().from(["0707"])];
    trace(&mut happened, &scene);
    let from: Vec<&[String]> = happened.iter().map(|incident| incident.from.as_slice()).collect();
    assert_eq!(from, [&[stood][..], &[], &["0101".to_owned()], &["0707".to_owned()]]);
}
