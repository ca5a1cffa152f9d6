//! Many folders verified at once, and secrets that lie where they should not.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::players::{Pair, lay};
use garcia::engine::Charter;
use garcia::games;
use garcia::trust::data::Genesis;
use garcia::trust::home::Home;
use garcia::trust::many::{verify_folder, verify_folders};
use garcia::trust::replay::Vision;
use garcia::trust::store::{LedgerFolder, Lock};

#[test]
fn folders_are_answered_in_their_order_and_progress_is_told() {
    let root = tempfile::tempdir().expect("a folder");
    let ruleset = games::find("lone-warrior").expect("a game");
    let mut folders: Vec<PathBuf> = Vec::new();
    for number in 0..3usize {
        let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, &number.to_string());
        pair.play(4 + 2 * number);
        let folder = root.path().join(number.to_string());
        let held = Lock::take(&folder).expect("free");
        pair.seats[0].save(0, &LedgerFolder::of_game(&folder), &held).expect("saved");
        pair.seats[0].save(0, &LedgerFolder::of_game(&folder), &held).expect("saved again");
        folders.push(folder);
    }
    folders.push(root.path().join("nothing"));
    folders.push(root.path().join("0").join("ledger"));
    let table = |_: &Path, genesis: &Genesis| lay(genesis);
    let (calls, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers = verify_folders(&folders, &table, &|_| Vision::public(), &|done| {
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(done, Ordering::Relaxed);
    });
    assert_eq!((calls.into_inner(), most.into_inner()), (5, 5));
    let good: Vec<Option<u32>> = answers.iter().map(|answer| answer.as_ref().ok().map(|found| found.good)).collect();
    assert_eq!(good[0], good[4], "a game folder or its ledger");
    assert!(good[0] < good[1] && good[1] < good[2]);
    assert_eq!(good[3], None, "a folder that is not there");
    assert!(answers.iter().flatten().all(|found| found.divergence.is_none()));

    // Somebody keeps his secrets in the folder he hands on.
    let one = verify_folder(&folders[0], &table, &|_| Vision::public()).expect("read");
    assert!(!one.report("").contains("W74"));
    Home::find(Some(&folders[0].join("private"))).expect("given").identity().expect("a key");
    let one = verify_folder(&folders[0], &table, &|_| Vision::public()).expect("read");
    assert!(one.report("").contains("W74-SECRETS  private/identity.yaml"), "{}", one.report(""));
}
