//! The desk and the reports in a real browser, by clicks and keys. Without one these are left out, and say so.

use std::time::{Duration, Instant};

use crate::chromium::Browser;
use crate::room::{Room, order_file};
use serde_json::Value;

/// The longest a match may take.
const LONGEST: Duration = Duration::from_secs(480);

/// How long units are clicked in a match.
const ENOUGH: Duration = Duration::from_secs(60);

/// Units that can be clicked: those of the side due, the ready ones first.
const ABLE: &str = "[...pos.units.filter((u) => u.own && u.ready), ...pos.boxes.flatMap((b) => b.units).filter((u) => u.own)].map((u) => u.id)";

/// Waits until every answer is there: the second one to a click, the check of what was written, the page's own looking
/// round. From here on nothing moves that nobody touches.
fn settled(browser: &Browser) {
    browser.until("pos && asking === 0 && !acting");
}

/// The first line that is offered.
fn line(in_the_place: bool) -> &'static str {
    match in_the_place {
        true => {
            "(offered && !offered.deeds.length && document.querySelector('#offers li button') || document.createElement('i'))"
        }
        false => "(document.querySelector('#offers li button') || document.createElement('i'))",
    }
}

/// Clicks a unit, then a place it is offered or a line of the template. Was there something to click?
fn order(browser: &Browser, unit: &str, choice: usize) -> bool {
    let boxed = browser.value(&format!("Boolean(document.querySelector('#boxes .piece[data-id=\"{unit}\"]'))")) == true;
    browser.value("document.querySelectorAll('#boxes details').forEach((box) => { box.open = true; })");
    let at = if boxed {
        format!("#boxes .piece[data-id=\"{unit}\"]")
    } else {
        format!("#map .counters .c[data-id=\"{unit}\"]")
    };
    browser.value("document.querySelector('#whole').click()");
    browser.click(&at);
    settled(browser);
    // Another counter or a name may lie over it, and what was clicked then may do nothing.
    let before = browser.value("document.querySelector('#text').value");
    let unchanged = || browser.value("document.querySelector('#text').value") == before;
    let cells = browser.value("document.querySelectorAll('.could use').length").as_u64().unwrap_or(0);
    if cells > 0 {
        browser.click_one(".could use", u64::try_from(choice).unwrap_or(0) % cells);
        settled(browser);
    }
    // Written at once, or one of the template's lines is still to be taken.
    if unchanged() {
        browser.value(&format!("{}.click()", line(cells > 0)));
        settled(browser);
    }
    let written = !unchanged();
    if !written {
        browser.value("choose([])");
        settled(browser);
    }
    written
}

/// Takes the last change back if it made something wrong. Did it stand?
fn stands(browser: &Browser) -> bool {
    settled(browser);
    let good = browser.value("found.ok") == true;
    if !good {
        browser.click("#undo");
        settled(browser);
        assert_eq!(browser.value("found.ok"), true, "undone, it is as good as it was\n{}", browser.shown());
    }
    good
}

/// Signs what stands in the file.
fn sign(browser: &Browser) {
    let head = browser.value("pos.head");
    browser.click("[data-tab=orders]");
    browser.until("!document.querySelector('#sign').disabled");
    browser.click("#sign");
    browser.until("document.querySelector('#final').open");
    browser.click("#final-yes");
    browser.until(&format!("pos.head !== {head}"));
    settled(browser);
    browser.click("[data-tab=orders]");
}

/// Answers each question with the first choice that is listed, where the rules list one.
fn answer(browser: &Browser) {
    let asked = browser.value("pos.questions.length").as_u64().unwrap_or(0);
    for number in 0..asked {
        let listed = format!("document.querySelectorAll('#questions .question')[{number}].querySelectorAll('button')");
        if browser.value(&format!("{listed}.length < 2")) == true {
            continue;
        }
        browser.value(&format!("{listed}[1].setAttribute('id', 'this-one')"));
        browser.click("[data-tab=questions]");
        browser.click("#this-one");
        browser.value("document.querySelector('#this-one').removeAttribute('id')");
        settled(browser);
        assert_eq!(browser.value("dirty()"), true, "the answer stands in the file\n{}", browser.shown());
        browser.click("[data-tab=orders]");
        stands(browser);
    }
}

/// Gives a packet of orders: so many units get one by clicks; what turns out wrong is undone.
fn packet(browser: &Browser, orders: usize, seed: usize) -> usize {
    answer(browser);
    let able: Vec<String> = serde_json::from_value(browser.value(ABLE)).expect("names");
    let mut given = 0;
    for step in 0..able.len().min(orders * 3) {
        if given == orders {
            break;
        }
        let unit = &able[(seed * 7 + step * 5) % able.len()];
        if order(browser, unit, seed + step * 3) && stands(browser) {
            given += 1;
        }
    }
    given
}

#[test]
fn a_match_of_santiago_1898_is_played_by_clicks() {
    let Some(browser) = Browser::new(1400, 900) else { return };
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    browser.open(&desk.address);
    settled(&browser);
    let (began, mut packets, mut clicked) = (Instant::now(), 0, 0);
    while browser.value("pos.mine") == true {
        assert!(began.elapsed() < LONGEST, "the match is too slow: {packets} packets");
        // On a slow machine the rest of the match is what the template proposes.
        let orders = usize::from(began.elapsed() < ENOUGH || clicked < 3);
        clicked += packet(&browser, orders, packets);
        sign(&browser);
        packets += 1;
    }
    let verdict = browser.value("pos.verdict").as_str().unwrap_or_default().to_owned();
    assert!(!verdict.is_empty(), "the match has an end\n{}", browser.shown());
    // Fifteen days; but an unguarded base may fall to a click, and Congress or Toral may lose heart (§4.1 to §4.5).
    let whole = verdict.starts_with("The fifteenth day");
    assert!(packets >= if whole { 30 } else { 4 }, "{packets} packets: {verdict}");
    assert!(clicked >= if whole { 3 } else { 1 }, "{clicked} orders by clicks");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    room.run("me", &["-C", &folder.display().to_string(), "verify"]);
    println!("{packets} packets, {clicked} orders by clicks, {:?}: {verdict}", began.elapsed());
}

#[test]
fn the_hidden_spanish_set_up_is_made_by_clicks() {
    let Some(browser) = Browser::new(1400, 900) else { return };
    let room = Room::new();
    let (us, spain) = room.by_mail("santiago-campaign");
    let theirs = room.desk("spain", &spain, &[]);
    browser.open(&theirs.address);
    settled(&browser);
    let able: Vec<String> = serde_json::from_value(browser.value(ABLE)).expect("names");
    let mut placed = 0;
    for (number, unit) in able.iter().enumerate() {
        if placed == 5 {
            break;
        }
        if order(&browser, unit, number * 11 + 3) && stands(&browser) {
            placed += 1;
        }
    }
    assert!(placed == 5, "{placed} units were placed");
    let text = browser.value("document.querySelector('#text').value").as_str().unwrap_or_default().to_owned();
    assert_ne!(text, theirs.position()["template"], "the set-up is his own");
    browser.click("#save");
    browser.until("!dirty() && known");
    let file = order_file(&spain, &theirs.position());
    assert_eq!(std::fs::read_to_string(&file).expect("saved"), text);
    room.run("spain", &["-C", &spain.display().to_string(), "check", &file.display().to_string()]);
    sign(&browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.value("pos.mine"), false);
    // The mail is taken on the other page, by pasting it.
    let mail = std::fs::read_dir(spain.join("outbox")).expect("a mail").flatten().map(|entry| entry.path()).max();
    let mail = std::fs::read_to_string(mail.expect("a mail")).expect("a text");
    let ours = room.desk("us", &us, &[]);
    let other = Browser::new(1400, 900).expect("there was one");
    other.open(&ours.address);
    settled(&other);
    other.click("[data-tab=ledger]");
    other.value(&format!("document.querySelector('#mail').value = {}", Value::from(mail)));
    other.click("#take");
    other.until("pos.mine");
    settled(&other);
    // Nothing in the whole page says which unit lies where.
    let source =
        other.value("document.documentElement.outerHTML + JSON.stringify(pos)").as_str().unwrap_or_default().to_owned();
    let mut searched = 0;
    for name in able.iter().filter(|name| name.starts_with("sp-")) {
        assert!(!source.contains(name.as_str()), "the page tells of {name}");
        searched += 1;
    }
    assert!(searched > 25, "{able:?}");
    assert_eq!(other.complaints(), Vec::<String>::new());
}

/// A report that is read in while nobody sees it has no size yet; its maps are fitted when it is shown.
fn opened_out_of_sight(browser: &Browser) {
    browser.value(
        "document.body.append(Object.assign(document.createElement('iframe'), \
         { id: 'unseen', hidden: true, src: document.querySelector('#told').src }))",
    );
    let board = "document.querySelector('#unseen').contentDocument.querySelector('svg.board')";
    browser.until(&format!("{board} && document.querySelector('#unseen').contentDocument.readyState === 'complete'"));
    assert_eq!(browser.value(&format!("{board}.style.aspectRatio")), "");
    browser.value("document.querySelector('#unseen').hidden = false");
    browser.until(&format!("{board}.style.aspectRatio !== ''"));
}

/// In a report: a line lights its cells, a cell its lines, a counter tells what it is; sums fold, and paper folds nothing.
fn lines_and_cells_light_each_other(browser: &Browser, game: &str) {
    browser.value("document.querySelector('[data-view=whole]').click()");
    let tied = "[...document.querySelectorAll('.diary [data-cells]')].find((line) => line.dataset.cells)";
    assert_eq!(browser.value(&format!("Boolean({tied})")), true, "{game}: lines name cells");
    browser.value(&format!("{tied}.dispatchEvent(new Event('mouseenter'))"));
    assert_eq!(
        browser.value("document.querySelectorAll('.map use.lit').length > 0"),
        true,
        "{game}: a line lights a cell"
    );
    browser.value(&format!("{tied}.dispatchEvent(new Event('mouseleave'))"));
    let named = browser.value(&format!("{tied}.dataset.cells.split(' ')[0]"));
    // The page may still be on its way to a line: what is clicked is told by its name, not by its place.
    let click = |selector: &str| {
        browser.value(&format!(
            "document.querySelector({}).dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))",
            Value::from(selector)
        ))
    };
    click(&format!("use[data-cell=\"{}\"]", named.as_str().unwrap_or_default()));
    let lit = format!("document.querySelectorAll('.diary .lit').length > 0 && {tied}.classList.contains('lit')");
    assert_eq!(browser.value(&lit), true, "{game}: a cell lights its lines");
    click("g.after .c");
    let told =
        "document.querySelector('.story-of').textContent.includes(document.querySelector('g.after .c').dataset.id)";
    browser.until(told);
    if browser.value("Boolean(document.querySelector('details.sum'))") == true {
        assert_eq!(browser.value("document.querySelector('details.sum').open"), false, "{game}: sums are folded");
        click("details.sum summary");
        browser.until("document.querySelector('details.sum').open");
    }
    browser.value("dispatchEvent(new Event('beforeprint'))");
    let unfolded =
        "[...document.querySelectorAll('details')].every((sum) => sum.open) && !document.querySelector('.near')";
    assert_eq!(browser.value(unfolded), true, "{game}: paper shows everything");
}

#[test]
fn every_game_gives_a_turn_by_clicks_and_a_report_from_a_file() {
    let Some(browser) = Browser::new(1400, 900) else { return };
    for game in ["santiago-campaign", "splendid-little-war", "end-of-empire", "lone-warrior"] {
        let room = Room::new();
        let folder = room.solo(game);
        let desk = room.desk("me", &folder, &[]);
        browser.open(&desk.address);
        settled(&browser);
        let mut clicked = 0;
        for number in 0..3 {
            clicked += packet(&browser, 1, number);
            sign(&browser);
        }
        assert!(clicked >= 1, "{game}: {clicked} orders by clicks");
        browser.click("[data-tab=reports]");
        browser.until("document.querySelector('#told').src.includes('/report/')");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{game}");
        opened_out_of_sight(&browser);
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{game}: out of sight");
        let page = room.path("turn.html");
        room.run("me", &["-C", &folder.display().to_string(), "report", "-o", &page.display().to_string()]);
        browser.open(&format!("file://{}", page.display()));
        browser.until("document.querySelector('svg.board')");
        browser.keys("\u{E012}\u{E012}");
        browser.until("document.querySelector('.steps output').textContent !== 'after'");
        browser.keys("\u{E010}");
        browser.until("document.querySelector('.steps output').textContent === 'after'");
        lines_and_cells_light_each_other(&browser, game);
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{game}: the report");
    }
}

#[test]
fn keys_alone_suffice_and_faults_show_at_their_line() {
    let Some(browser) = Browser::new(1400, 900) else { return };
    let room = Room::new();
    let folder = room.solo("santiago-1898");
    let desk = room.desk("me", &folder, &[]);
    browser.open(&desk.address);
    settled(&browser);
    // A unit in its box, a hex from the list: Tab and Enter.
    browser.value("document.querySelector('#boxes details[open] .piece:not(.idle)').focus()");
    browser.keys("\u{E007}");
    settled(&browser);
    browser.until("offered");
    let mut tabs = 0;
    while browser.value("Boolean(document.activeElement.dataset.to)") != true {
        browser.keys("\u{E004}");
        tabs += 1;
        assert!(tabs < 90, "the list of hexes is reached by Tab");
    }
    // The nearest hex is the one it is placed in already.
    browser.keys("\u{E004}");
    let before = browser.value("document.querySelector('#text').value");
    browser.keys("\u{E007}");
    browser.until(&format!("document.querySelector('#text').value !== {before}"));
    // A fault is shown at its line as it is typed; what is typed is undone like anything else.
    browser.value("goTo(4, 1)");
    browser.keys("x");
    browser.until("document.querySelector('#lines b')");
    assert_eq!(browser.value("document.querySelector('#lines b.fault').textContent"), "4");
    assert_eq!(browser.value("document.querySelector('#sign').disabled"), true);
    // The folder goes on meanwhile: the page notices, and what was typed is kept.
    let typed = browser.value("document.querySelector('#text').value");
    let name = folder.display().to_string();
    room.run("me", &["-C", &name, "template", "--write"]);
    let file = order_file(&folder, &desk.position());
    room.run("me", &["-C", &name, "resolve", &file.display().to_string()]);
    browser.until("document.querySelector('#kept textarea')");
    assert_eq!(browser.value("document.querySelector('#kept textarea').value"), typed);
    // The page without the secret gets nothing.
    browser.open(&format!("http://127.0.0.1:{}/", desk.port));
    let words = browser.value("document.body.innerText");
    assert!(words.as_str().is_some_and(|words| words.contains("secret")), "{words}");
}
