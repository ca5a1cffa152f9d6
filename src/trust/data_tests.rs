use super::*;

fn read(kind: &str, by: &str, data: &str) -> Result<Data, String> {
    Data::read(&Body {
        by: by.parse().expect("role"),
        data: Json::parse_canonical(data.as_bytes()).expect(data),
        game: None,
        kind: RecordKind::from(kind),
        prev: Id::ZERO,
        seq: 0,
    })
}

fn genesis(change: impl Fn(&mut BTreeMap<String, Json>)) -> Result<Data, String> {
    let key = crate::trust::key::PrivateKey::from_seed(&[1; 32]).public();
    let mut json = Json::object([
        ("mode", Json::from("solo")),
        ("ruleset", "toy".into()),
        ("rules_sha256", Id::ZERO.to_string().into()),
        ("engine", "toy 1".into()),
        ("key", key.to_string().into()),
        ("anchor", Id::ZERO.to_string().into()),
        ("links", Json::Int(8)),
        ("note", "García".into()),
    ]);
    change(json.as_map_mut().expect("an object"));
    let by = if json.get("mode") == Some(&"gm".into()) { "gm" } else { "solo" };
    read("genesis", by, &json.to_string())
}

#[test]
fn a_genesis_says_how_it_is_played_and_by_whom() {
    let data = genesis(|_| ()).expect("good");
    assert_eq!(
        Data::read(&Body {
            by: Role::solo(),
            data: data.to_json().expect("canonical"),
            game: None,
            kind: data.kind(),
            prev: Id::ZERO,
            seq: 0
        }),
        Ok(data)
    );
    let refused = |name: &'static str, value: Json| {
        genesis(move |g| drop(g.insert(name.to_owned(), value.clone()))).expect_err(name)
    };
    assert!(refused("director", Id::ZERO.to_string().into()).contains("sound"));
    assert!(refused("recovery", Id::ZERO.to_string().into()).contains("sound"));
    assert!(refused("private", true.into()).contains("game master"));
    assert!(refused("links", 0.into()).contains("links"));
    assert!(refused("links", 70000.into()).contains("links"));
    assert!(refused("engine", "toy one".into()).contains("engine"));
    assert!(refused("engine", "boy 1".into()).contains("engine"));
    assert!(refused("key", Id::ZERO.to_string().into()).contains("sound"));
    assert!(refused("opponent", "us".into()).contains("names nobody else"));
    assert!(refused("mode", "chess".into()).contains("/mode"));
    assert!(refused("extra", 1.into()).contains("unknown field `extra`"));
    assert!(refused("ruleset", "toý".into()).contains("ASCII"));
    assert!(genesis(|g| drop(g.remove("anchor"))).expect_err("anchor").contains("missing field `anchor`"));
    let gm = |players: &[&str]| {
        let players: Vec<Json> = players.iter().map(|p| Json::from(*p)).collect();
        genesis(move |g| {
            g.insert("mode".to_owned(), "gm".into());
            g.insert("players".to_owned(), Json::List(players.clone()));
        })
    };
    assert!(gm(&["us", "spain"]).is_ok());
    assert!(gm(&[]).is_ok());
    assert!(gm(&["us", "us"]).is_err());
    assert!(gm(&["gm"]).is_err());
}

#[test]
fn faults_of_a_result_are_named_with_their_place() {
    let result = |rolls: &str, stop: &str| {
        let zero = Id::ZERO;
        read(
            "result",
            "us",
            &format!(
                r#"{{"index":1,"link":"{zero}","orders":"{zero}","reveals":[],"rolls":{rolls},"state":"{zero}","stop":{stop}}}"#
            ),
        )
    };
    let turn = r#"{"ask":"turn","who":"us"}"#;
    assert!(result("[]", turn).is_ok());
    let roll = r#"{"faces":[2],"label":"a/1","sides":[6]}"#;
    assert!(result(&format!("[{roll}]"), turn).is_ok());
    assert!(result(&format!("[{roll},{roll}]"), turn).expect_err("twice").contains("a/1 stands twice"));
    for (rolls, part) in [
        (r#"[{"faces":[2],"label":"A","sides":[6]}]"#, "/rolls/0/label"),
        (r#"[{"faces":[2],"label":"a","sides":[300]}]"#, "1 to 256"),
        (r#"[{"label":"a","sides":[6]}]"#, "either `faces`"),
        (r#"[{"by":"us","faces":[2],"label":"a","secret":"ticket/1","sides":[6]}]"#, "either `faces`"),
        (r#"[{"faces":[2],"label":"a","luck":1,"sides":[6]}]"#, "/rolls/0"),
    ] {
        let e = result(rolls, turn).expect_err(rolls);
        assert!(e.contains(part), "{e}");
    }
    assert!(result(r#"[{"by":"us","label":"a","secret":"ticket/1","sides":[10]}]"#, turn).is_ok());
    for stop in [
        r#"{"ask":"end","who":"us"}"#,
        r#"{"ask":"answers","who":"us"}"#,
        r#"{"ask":"turn"}"#,
        r#"{"ask":"facts","questions":[{"key":"a","kind":"b"}],"who":"us"}"#,
        r#"{"ask":"Turn","who":"us"}"#,
    ] {
        assert!(result("[]", stop).expect_err(stop).contains("stop"));
    }
    assert!(result("[]", r#"{"ask":"facts","slots":["s-01"],"who":"us"}"#).is_ok());
    assert!(result("[]", r#"{"ask":"end"}"#).is_ok());
}

#[test]
fn a_call_decides_nothing_and_there_are_no_other_kinds() {
    let zero = Id::ZERO;
    let orders = |rest: &str| read("orders", "us", &format!(r#"{{{rest}"state":"{zero}"}}"#));
    assert!(orders(&format!(r#""nonce":"{zero}","orders":{{"call":true}},"#)).is_ok());
    let e = orders(&format!(r#""nonce":"{zero}","orders":{{"call":true}},"policies":{{}},"#)).expect_err("policies");
    assert!(e.contains("call decides nothing"));
    assert!(orders("").expect_err("no nonce").contains("missing field `nonce`"));
    assert!(read("ruling", "gm", "{}").expect_err("ruling").contains("no kind `ruling`"));
    assert!(read("poem", "gm", "{}").expect_err("poem").contains("no kind `poem`"));
}
