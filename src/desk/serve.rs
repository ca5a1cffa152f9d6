//! The server: bound to this machine, with a secret in the address, deaf to other pages.
//!
//! `oxhttp` reads and writes HTTP: a thread for each connection, no runtime, and it is kept up. Everything that guards the
//! folder stands here, before anything is looked at.

use std::io::Read as _;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use oxhttp::model::{Body, Method, Request, Response, header};
use oxhttp::{ListeningServer, Server};

use super::{Answer, Asked, Desk};

/// The port of a desk, and how many are tried from it on.
const FIRST_PORT: u16 = 1898;
const PORTS: u16 = 40;
/// The most a request may carry: a mail with all records of a long game.
const MOST: u64 = 8 << 20;
/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(120);
/// How many browsers' connections are served at once.
const CONNECTIONS: usize = 64;

/// A desk that is open.
pub struct Listening {
    /// What to type into a browser.
    pub address: String,
    server: ListeningServer,
}

impl Listening {
    /// Serves until the program is ended.
    pub fn stay(self) -> std::io::Result<()> {
        self.server.join()
    }
}

/// Opens a desk at this port, or at the first that is free.
pub fn serve(desk: Desk, port: Option<u16>) -> std::io::Result<Listening> {
    let desk = Arc::new(desk);
    let secret = secret()?;
    let ports = port.map_or(FIRST_PORT..=FIRST_PORT + PORTS, |port| port..=port);
    let mut taken = std::io::Error::other("no port was tried");
    for port in ports {
        let guard = Guard { secret: secret.clone(), port, desk: Arc::clone(&desk) };
        let server = Server::new(move |request| guard.answer(request))
            .with_global_timeout(SILENCE)
            .with_max_concurrent_connections(CONNECTIONS)
            .bind((Ipv4Addr::LOCALHOST, port));
        match server.spawn() {
            Ok(server) => return Ok(Listening { address: format!("http://127.0.0.1:{port}/{secret}/"), server }),
            Err(error) => taken = error,
        }
    }
    Err(taken)
}

/// Sixteen bytes nobody can guess.
fn secret() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

struct Guard {
    secret: String,
    port: u16,
    desk: Arc<Desk>,
}

impl Guard {
    fn answer(&self, request: &mut Request<Body>) -> Response<Body> {
        let answer = self.judged(request);
        let built = Response::builder()
            .status(answer.status)
            .header(header::CONTENT_TYPE, answer.kind)
            .header(header::CONTENT_SECURITY_POLICY, answer.policy)
            .header(header::CACHE_CONTROL, "no-store")
            .header(header::REFERRER_POLICY, "no-referrer")
            .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
            .header("cross-origin-resource-policy", "same-origin")
            .body(Body::from(answer.body));
        built.unwrap_or_else(|_| Response::new(Body::from("an answer that cannot be written")))
    }

    /// The answer of the desk to whoever may ask, and a word to everybody else.
    fn judged(&self, request: &mut Request<Body>) -> Answer {
        let said = |name: header::HeaderName| {
            request.headers().get(name).map(|value| value.to_str().unwrap_or("?").to_owned())
        };
        let names = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let host = said(header::HOST).unwrap_or_default();
        if !names.contains(&host) {
            return Answer::words(403, "This desk answers only under the address that `garcia desk` shows.");
        }
        let own = |origin: &str| names.iter().any(|name| origin == format!("http://{name}"));
        if said(header::ORIGIN).is_some_and(|origin| !own(&origin)) {
            return Answer::words(403, "A page from elsewhere has no business at this desk.");
        }
        let path = request.uri().path().to_owned();
        let mut parts: Vec<&str> = path.split('/').skip(1).collect();
        if parts.first() != Some(&self.secret.as_str()) {
            let words = "This desk opens with the whole address that `garcia desk` has shown, secret included.";
            return Answer::words(403, words);
        }
        parts.remove(0);
        // Another page may lead here, but not look in.
        let site = request.headers().get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return Answer::words(403, "A page from elsewhere has no business at this desk.");
        }
        let post = match *request.method() {
            Method::GET => false,
            Method::POST => true,
            _ => return Answer::words(405, "A desk is looked at (GET) or written on (POST), nothing else."),
        };
        if parts.iter().any(|part| *part == ".." || part.contains('%') || part.contains('\\')) {
            return Answer::words(400, "Nothing outside the desk can be had here.");
        }
        if request.body().len().is_some_and(|length| length > MOST) {
            return Answer::words(413, "That is too much: a request may carry eight megabytes.");
        }
        let mut body = Vec::new();
        match request.body_mut().take(MOST + 1).read_to_end(&mut body) {
            Ok(_) if u64::try_from(body.len()).is_ok_and(|length| length <= MOST) => {}
            Ok(_) => return Answer::words(413, "That is too much: a request may carry eight megabytes."),
            Err(_) => return Answer::words(400, "The request broke off."),
        }
        self.desk.answer(&Asked { post, path: parts, body: &body })
    }
}
