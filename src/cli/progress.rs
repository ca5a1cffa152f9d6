//! Progress on standard error, for whoever waits longer than a second; nothing where nobody looks.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How far a piece of work has come.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Work>);

#[derive(Debug, Default)]
struct Work {
    done: AtomicUsize,
    all: AtomicUsize,
    over: AtomicBool,
}

impl Progress {
    /// So many of so many parts are done.
    pub fn at(&self, done: usize, all: usize) {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.all.store(all, Ordering::Relaxed);
    }

    /// Shows it on a terminal, once a second, until the guard is dropped.
    pub fn shown(&self, what: &'static str) -> Shown {
        let work = Arc::clone(&self.0);
        let painter = std::io::stderr().is_terminal().then(|| thread::spawn(move || paint(&work, what)));
        Shown { work: Arc::clone(&self.0), painter }
    }

    fn line(work: &Work, what: &str, seconds: u64) -> String {
        let (done, all) = (work.done.load(Ordering::Relaxed), work.all.load(Ordering::Relaxed));
        let far = if all > 0 { format!("{done} of {all}, ") } else { String::new() };
        format!("{what}: {far}{seconds} s")
    }
}

fn paint(work: &Work, what: &str) {
    let mut seconds = 0;
    loop {
        thread::park_timeout(Duration::from_secs(1));
        if work.over.load(Ordering::Relaxed) {
            break;
        }
        seconds += 1;
        let mut out = std::io::stderr().lock();
        // Progress that cannot be shown is no reason to stop.
        let _ = write!(out, "\r{}\u{1b}[K", Progress::line(work, what, seconds)).and_then(|()| out.flush());
    }
    if seconds > 0 {
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r\u{1b}[K").and_then(|()| out.flush());
    }
}

/// Shows progress as long as it is held.
pub struct Shown {
    work: Arc<Work>,
    painter: Option<JoinHandle<()>>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.work.over.store(true, Ordering::Relaxed);
        if let Some(painter) = self.painter.take() {
            painter.thread().unpark();
            let _ = painter.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let progress = Progress::default();
        assert_eq!(Progress::line(&progress.0, "luck", 3), "luck: 3 s");
        progress.at(4, 30);
        assert_eq!(Progress::line(&progress.0, "luck", 4), "luck: 4 of 30, 4 s");
    }
}
