//! A room with a desk in it: folders of their own, the program itself, and requests as bytes.
#![allow(dead_code, reason = "each test uses what it needs of it")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// Folders that vanish with the test.
pub struct Room {
    folder: tempfile::TempDir,
}

impl Room {
    pub fn new() -> Room {
        Room { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, with the secrets of one player.
    pub fn command(&self, player: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garcia"));
        command.env("GARCIA_HOME", self.path(&format!("home-{player}"))).current_dir(self.folder.path());
        command.env_remove("BROWSER").env("COLUMNS", "100");
        command
    }

    /// Runs the program; it has to succeed.
    pub fn run(&self, player: &str, args: &[&str]) -> String {
        let output = self.command(player).args(args).output().expect("garcia runs");
        assert!(output.status.success(), "garcia {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A game alone in a folder of its own name.
    pub fn solo(&self, game: &str) -> PathBuf {
        self.run("me", &["new", game, "--solo"]);
        self.path(game)
    }

    /// Two folders, `us` and `spain`, with an offer accepted.
    pub fn by_mail(&self, game: &str) -> (PathBuf, PathBuf) {
        let (us, spain) = (self.path("us"), self.path("spain"));
        self.run("us", &["new", game, &us.display().to_string(), "--as", "us"]);
        let offer = us.join("outbox/0000-garcia.txt").display().to_string();
        self.run("spain", &["join", &offer, "--folder", &spain.display().to_string()]);
        (us, spain)
    }

    /// Opens a desk.
    pub fn desk(&self, player: &str, folder: &Path, more: &[&str]) -> Open {
        let mut command = self.command(player);
        command.arg("desk").arg(folder).args(["--no-browser", "--json"]).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("garcia runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no address: {line:?}"));
        let address = told["address"].as_str().expect("an address").to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:").expect("this machine alone");
        let (port, secret) = rest.trim_end_matches('/').split_once('/').expect("port and secret");
        Open { child, port: port.parse().expect("a port"), secret: secret.to_owned(), address: address.clone() }
    }

    /// What a desk says that does not open.
    pub fn refused_desk(&self, player: &str, folder: &Path, more: &[&str]) -> Output {
        self.command(player).arg("desk").arg(folder).arg("--no-browser").args(more).output().expect("garcia runs")
    }
}

/// A desk that is open; closed when dropped.
pub struct Open {
    pub child: Child,
    pub port: u16,
    pub secret: String,
    pub address: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// An answer: its status, its head and what it carries.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {} {}", self.status, self.text()))
    }
}

impl Open {
    /// Sends a request as it stands.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the desk listens");
        stream.write_all(request).expect("it takes a request");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Reply { status, body: bytes[end + 4..].to_vec(), head }
    }

    /// A request with these lines in its head.
    pub fn request(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !lines.iter().any(|line| line.starts_with("Host:")) {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        lines.iter().for_each(|line| head.push_str(&format!("{line}\r\n")));
        self.raw(&[head.as_bytes(), b"\r\n", body].concat())
    }

    pub fn path(&self, below: &str) -> String {
        format!("/{}/{below}", self.secret)
    }

    pub fn get(&self, below: &str) -> Reply {
        self.request("GET", &self.path(below), &[], b"")
    }

    pub fn post(&self, below: &str, said: &Value) -> Reply {
        self.request("POST", &self.path(below), &[], said.to_string().as_bytes())
    }

    /// The position of the one game at the desk.
    pub fn position(&self) -> Value {
        let reply = self.get("game/0/position");
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// Asks something of the one game; it has to be granted.
    pub fn ask(&self, what: &str, said: &Value) -> Value {
        let reply = self.post(&format!("game/0/{what}"), said);
        assert_eq!(reply.status, 200, "{what}: {}", reply.text());
        reply.json()
    }

    /// Saves a text as a page would that knows this position.
    pub fn save(&self, position: &Value, text: &str) -> Reply {
        let said = json!({ "text": text, "stamp": position["stamp"], "on-disk": position["on-disk"] });
        self.post("game/0/save", &said)
    }

    /// Signs a text as a page would that knows this position.
    pub fn sign(&self, position: &Value, text: &str) -> Reply {
        let said = json!({ "text": text, "stamp": position["stamp"], "on-disk": position["on-disk"] });
        self.post("game/0/sign", &said)
    }
}

/// Everything in a folder, by name: to see that nothing was touched.
pub fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.clone(), std::fs::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

/// The file orders of this position are kept in.
pub fn order_file(folder: &Path, position: &Value) -> PathBuf {
    folder.join("orders").join(position["file"].as_str().expect("a name"))
}
