//! A real browser, steered through its driver: Chromium with a window nobody sees.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything on a page may take. The build is a slow one, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(40);

/// What a failure tells of a desk besides the words on the page: what it knows, has in hand and waits for.
const DESK: &str = "typeof pos === 'undefined' || !pos ? '' : JSON.stringify({
    moment: pos.moment, head: pos.head, mine: pos.mine, verdict: pos.verdict, next: pos.next, file: pos.file, asking, acting,
    questions: pos.questions, chosen, cell, armed: armed?.label, offered: offered && {
        deeds: offered.deeds.map((deed) => [deed.label, deed.cells.length, deed.untried]),
        proposals: offered.proposals.map((line) => line.text), barred: offered.barred },
    found: { ok: found.ok, faults: found.faults }, undo: past.length, known,
    tab: document.querySelector('[aria-selected=true]')?.dataset.tab, dialog: document.querySelector('#final')?.open,
}, null, 1) + '\\n' + document.querySelector('#text').value";

/// A browser with one page; closed when dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.call("DELETE", "", &Value::Null).ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

impl Browser {
    /// A browser, if this machine has one. Where `GARCIA_BROWSER=required`, it must.
    pub fn new(wide: u32, high: u32) -> Option<Browser> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let started = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let driver = match started {
            Ok(driver) => driver,
            Err(error) => {
                assert_ne!(std::env::var("GARCIA_BROWSER").ok().as_deref(), Some("required"), "chromedriver: {error}");
                eprintln!("left out: no browser here (Debian's `chromium` and `chromium-driver`)");
                return None;
            }
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let folder = browser._profile.path().display().to_string();
        let args = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            format!("--user-data-dir={folder}"),
            format!("--window-size={wide},{high}"),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": args }, "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let began = Instant::now();
        let told = loop {
            match browser.send("POST", "/session", &wanted) {
                Ok(told) => break told,
                Err(_) if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(200)),
                Err(error) => panic!("the driver does not answer: {error}"),
            }
        };
        browser.session =
            told["value"]["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {told}")).to_owned();
        Some(browser)
    }

    fn send(&self, method: &str, path: &str, said: &Value) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let body = if said.is_null() { String::new() } else { said.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        // The driver keeps the line open: what it says is as long as it says.
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes)?;
        serde_json::from_slice(&bytes).map_err(|error| std::io::Error::other(error.to_string()))
    }

    fn call(&self, method: &str, path: &str, said: &Value) -> std::io::Result<Value> {
        self.send(method, &format!("/session/{}{path}", self.session), said)
    }

    fn told(&self, method: &str, path: &str, said: &Value) -> Value {
        let told = self.call(method, path, said).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(told["value"]["error"].is_null(), "{path}: {}", told["value"]);
        told["value"].clone()
    }

    pub fn open(&self, address: &str) {
        self.told("POST", "/url", &json!({ "url": address }));
    }

    /// What an expression of the page comes to.
    pub fn value(&self, expression: &str) -> Value {
        self.tried(expression).unwrap_or_else(|error| panic!("{expression}\n{error}\n{}", self.shown()))
    }

    fn tried(&self, expression: &str) -> Result<Value, String> {
        let said = json!({ "script": format!("return ({expression});"), "args": [] });
        let told = self.call("POST", "/execute/sync", &said).map_err(|error| error.to_string())?;
        if told["value"]["error"].is_null() { Ok(told["value"].clone()) } else { Err(told["value"].to_string()) }
    }

    /// Everything the page shows and knows, and what the console says: for whoever reads of a failure.
    pub fn shown(&self) -> String {
        let told = |expression: &str| match self.tried(expression) {
            Ok(told) => told.as_str().unwrap_or_default().to_owned(),
            Err(error) => error,
        };
        let words: String = told("document.body.innerText").chars().take(4000).collect();
        format!(
            "{}\n-- the page\n{words}\n-- the desk\n{}\n-- the console\n{:?}",
            told("location.href"),
            told(DESK),
            self.log()
        )
    }

    /// Waits until something holds on the page.
    pub fn until(&self, expression: &str) {
        let began = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            assert!(began.elapsed() < PATIENCE, "never: {expression}\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// Moves the mouse to the middle of the first such thing and clicks.
    pub fn click(&self, selector: &str) {
        self.click_one(selector, 0);
    }

    /// Moves the mouse to the middle of one of several such things and clicks. It has to be there to be seen.
    pub fn click_one(&self, selector: &str, number: u64) {
        let find = format!("document.querySelectorAll({})[{number}]", json!(selector));
        self.until(&format!("{find}?.getClientRects().length"));
        let spot = self.value(&format!(
            "((one) => {{ one.scrollIntoView({{ block: 'center', inline: 'center' }}); \
             const {{ x, y, width, height }} = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; }})({find})"
        ));
        let (x, y) = (spot[0].as_f64().expect("a place") as i64, spot[1].as_f64().expect("a place") as i64);
        self.told(
            "POST",
            "/actions",
            &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": [
            { "type": "pointerMove", "duration": 0, "x": x, "y": y },
            { "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 },
        ] }] }),
        );
    }

    /// Types keys, one after the other, wherever the focus is. Tab is `\u{E004}`, Enter `\u{E007}`.
    pub fn keys(&self, keys: &str) {
        let keys: Vec<Value> = keys
            .chars()
            .flat_map(|key| [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })])
            .collect();
        self.told("POST", "/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] }));
    }

    /// What the console says that is worse than a remark.
    pub fn complaints(&self) -> Vec<String> {
        // What the program refuses in words (422) is an answer, and the browser logs it all the same.
        let refused = |entry: &Value| entry["message"].as_str().is_some_and(|text| text.contains("status of 422"));
        let bad = |entry: &&Value| (entry["level"] == "SEVERE" || entry["level"] == "WARNING") && !refused(entry);
        self.log().iter().filter(bad).map(|entry| entry["message"].to_string()).collect()
    }

    fn log(&self) -> Vec<Value> {
        let log = self.call("POST", "/se/log", &json!({ "type": "browser" })).unwrap_or_default();
        log["value"].as_array().cloned().unwrap_or_default()
    }
}
