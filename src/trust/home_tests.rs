//! Keys, secrets and what was signed with them.

use std::collections::BTreeSet;

use super::*;

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::find(Some(folder.path())).expect("given");
    (folder, home)
}

fn body(note: &str) -> Body {
    Body {
        by: "us".parse().expect("role"),
        data: Json::object([("note", note)]),
        game: Some(Id::ZERO),
        kind: RecordKind::Orders,
        prev: Id::hash("record", &["prev"]),
        seq: 1,
    }
}

#[test]
fn the_folder_is_the_one_given_then_the_variable_then_the_systems() {
    let chosen = |given: Option<&str>, set: &[(&str, &str)]| {
        let set: BTreeMap<String, PathBuf> = set.iter().map(|(k, v)| ((*k).to_owned(), PathBuf::from(v))).collect();
        Home::choose(given.map(Path::new), |name| set.get(name).cloned()).map(|home| home.path).ok()
    };
    assert_eq!(chosen(Some("/a"), &[("GARCIA_HOME", "/b")]), Some("/a".into()));
    assert_eq!(chosen(None, &[("GARCIA_HOME", "/b"), ("HOME", "/h")]), Some("/b".into()));
    assert_eq!(chosen(None, &[]), None);
    if std::env::consts::OS == "linux" {
        assert_eq!(chosen(None, &[("HOME", "/h")]), Some("/h/.config/garcia".into()));
        assert_eq!(chosen(None, &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]), Some("/x/garcia".into()));
    }
}

#[test]
fn a_key_is_made_once() {
    let (_folder, home) = home();
    let first = home.identity().expect("made").public();
    assert_eq!(home.identity().expect("read").public(), first);
    // A player at work in another game does not stand in the way.
    let _held = Lock::take(&home.path).expect("free");
    assert_eq!(home.identity().expect("read").public(), first);
}

#[test]
fn the_same_place_is_signed_once_even_after_a_restart() {
    let (_folder, home) = home();
    let (key, us) = (home.identity().expect("made"), "us".parse::<Role>().expect("role"));
    let secret = GameSecret::fresh().expect("randomness");
    let mut file = home.begin_game(Id::ZERO, us.clone(), secret.clone(), 8).expect("begun");
    let mut other = home.game(&Id::ZERO, &us).expect("read");
    let sealed = (Slot::standing("retreat"), 1, Json::object([("policy", "ask")]));
    let record = file.sign(body("a"), &[sealed], &key).expect("signed");
    assert_eq!(file.sign(body("a"), &[], &key).expect("the same again"), record);
    assert!(matches!(file.sign(body("b"), &[], &key), Err(NotSigned::Twice(id)) if id == record.id()));
    assert!(matches!(other.sign(body("b"), &[], &key), Err(NotSigned::Twice(id)) if id == record.id()));
    let again = home.game(&Id::ZERO, &us).expect("read");
    assert_eq!(again.last(), Some(&record), "an interrupted player finds what he signed");
    assert_eq!(*again.secret().text(), *secret.text());
    assert_eq!(again.value(&Slot::standing("retreat"), 1), Some(&Json::object([("policy", "ask")])));
    assert!(home.begin_game(Id::ZERO, us.clone(), secret, 8).is_err(), "a secret is never replaced");
    assert_eq!(home.roles(&Id::ZERO).expect("listed"), [us]);
    assert!(home.game(&Id::ZERO, &Role::gm()).is_err());
}

#[test]
fn two_copies_of_a_folder_with_one_home_lose_nothing_that_was_signed() {
    let (_folder, home) = home();
    let (key, us) = (home.identity().expect("made"), "us".parse::<Role>().expect("role"));
    let secret = GameSecret::fresh().expect("randomness");
    let mut one = home.begin_game(Id::ZERO, us.clone(), secret, 8).expect("begun");
    let mut other = home.game(&Id::ZERO, &us).expect("read");
    let later = |note: &str| Body { prev: Id::hash("record", &["later"]), seq: 2, ..body(note) };
    let sealed = (Slot::standing("retreat"), 1, Json::object([("policy", "ask")]));
    one.sign(body("a"), &[sealed], &key).expect("signed");
    // The other copy was read before that, and signs elsewhere.
    other.sign(later("b"), &[], &key).expect("signed");
    let (spain, opening) = ("spain".parse::<Role>().expect("role"), |slot: &str| Reveal {
        slot: Slot::parse(slot).expect("a slot"),
        version: 1,
        salt: Id::ZERO,
        value: Json::map(),
        by: None,
    });
    one.entrust(&spain, vec![opening("sp-01")]).expect("kept");
    other.entrust(&spain, vec![opening("sp-02")]).expect("kept");
    let mut now = home.game(&Id::ZERO, &us).expect("read");
    assert_eq!(now.signed.len(), 2);
    assert_eq!(now.values.len(), 1);
    assert_eq!(now.entrusted.len(), 2);
    assert!(matches!(one.sign(later("c"), &[], &key), Err(NotSigned::Twice(_))));
    assert!(matches!(now.sign(body("d"), &[], &key), Err(NotSigned::Twice(_))));
}

#[test]
fn openings_that_are_kept_already_are_not_written_again() {
    let (folder, home) = home();
    let spain = "spain".parse::<Role>().expect("role");
    let mut file = home.begin_game(Id::ZERO, Role::gm(), GameSecret::fresh().expect("randomness"), 8).expect("begun");
    let opening = |slot: &str, salt: &str| Reveal {
        slot: Slot::parse(slot).expect("a slot"),
        version: 1,
        salt: Id::hash("salt", &[salt]),
        value: Json::map(),
        by: None,
    };
    let given = || vec![opening("sp-02", "b"), opening("sp-01", "a"), opening("sp-02", "b")];
    file.entrust(&spain, given()).expect("kept");
    file.keep_deposit(&spain, (3, Id::ZERO), given()).expect("kept");
    assert_eq!(file.entrusted.len(), 2, "each once");
    assert_eq!(file.unknown(&spain, vec![opening("sp-01", "c"), opening("sp-01", "a")]), [opening("sp-01", "c")]);
    assert_eq!(file.unknown(&Role::gm(), given()).len(), 3, "of somebody else");
    let forged = Reveal { value: Json::from("another"), ..opening("sp-01", "a") };
    assert_eq!(
        file.unknown(&spain, vec![forged.clone()]),
        [forged],
        "who says something else of it is heard, and refused"
    );
    // Nothing is written where nothing is new: what is gone from the disk stays away.
    drop(folder);
    let path = file.path.clone().expect("a file");
    file.entrust(&spain, given()).expect("nothing to do");
    file.keep_deposit(&spain, (3, Id::ZERO), given()).expect("nothing to do");
    assert!(!path.exists());
}

#[test]
fn a_link_is_opened_for_one_order_and_nothing_is_signed_before_what_is_known() {
    let (_folder, home) = home();
    let (key, us) = (home.identity().expect("made"), "us".parse::<Role>().expect("role"));
    let mut file = home.begin_game(Id::ZERO, us, GameSecret::fresh().expect("randomness"), 8).expect("begun");
    let result = |prev: &str, orders: &str| Body {
        data: Json::object([
            ("index", Json::from(1u32)),
            ("link", Json::from(Id::ZERO.to_string())),
            ("orders", Json::from(Id::hash("record", &[orders]).to_string())),
        ]),
        kind: RecordKind::Result,
        prev: Id::hash("record", &[prev]),
        ..body("")
    };
    file.sign(result("a", "a"), &[], &key).expect("signed");
    assert!(matches!(file.sign(result("b", "b"), &[], &key), Err(NotSigned::LinkTwice(1))));
    // A record two places on is known: something was signed here before, and only that may be signed again.
    file.note_later(vec![(2, body("mine").id())]);
    assert!(matches!(file.sign(body("another"), &[], &key), Err(NotSigned::Missing(1))));
    file.sign(body("mine"), &[], &key).expect("the same once more");
}

#[test]
fn the_secrets_of_a_seeded_home_are_the_same_in_every_run_and_those_of_an_ordinary_one_never() {
    let drawn = |home: &dyn Fn(&Path) -> Home| {
        let folder = tempfile::tempdir().expect("a folder");
        let home = home(folder.path());
        let first = home.fresh_secret().expect("a secret").text().to_string();
        let mut game =
            home.begin_game(Id::ZERO, "us".parse().expect("a role"), home.fresh_secret().expect("the same"), 8);
        let game = game.as_mut().expect("begun");
        let next = game.next_secret().expect("a secret").text().to_string();
        let second = home.fresh_secret().expect("a secret").text().to_string();
        let texts = BTreeSet::from([first, next, second, home.identity().expect("a key").public().to_string()]);
        assert_eq!(texts.len(), 4, "no two draws are alike");
        texts
    };
    let seeded = |seed: &'static str| move |folder: &Path| Home::seeded(folder, seed);
    let ordinary = |folder: &Path| Home::find(Some(folder)).expect("given");
    assert_eq!(drawn(&seeded("one")), drawn(&seeded("one")));
    assert!(drawn(&seeded("one")).is_disjoint(&drawn(&seeded("two"))));
    assert!(drawn(&ordinary).is_disjoint(&drawn(&ordinary)));
}
