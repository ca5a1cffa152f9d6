//! Counters as wargamers know them: designation, size, arm, values, and what is wrong with them.

use std::fmt::Write as _;

use crate::scene::{Arm, Counter, Echelon, Livery, Mark, Point, Scene};

use super::{escape, ratio};

/// The width of a counter as it is drawn before it is scaled.
const FULL: i32 = 54;

/// A counter with its middle at a point, so wide.
pub fn counter(scene: &Scene, counter: &Counter, (x, y): Point, size: i32) -> String {
    let livery = scene.force(counter.force).map_or(Livery::Grey, |force| force.livery);
    let scale = if size == FULL { String::new() } else { format!(" scale({})", ratio(size, FULL)) };
    let mut out = format!(
        "<g class=\"c\" data-id=\"{}\" transform=\"translate({x},{y}){scale}\"><title>{}</title>\
         <rect class=\"{livery}\" x=\"-26\" y=\"-26\" width=\"52\" height=\"52\" rx=\"5\" stroke-width=\"2\"/><g class=\"{livery}-i\">",
        escape(&counter.id),
        escape(&title_of(scene, counter))
    );
    let label: String = counter.label.chars().take(9).collect();
    let class = if label.chars().count() > 7 { "l t" } else { "l" };
    let _ = write!(out, "<text class=\"{class}\" y=\"-15\">{}</text>", escape(&label));
    if let Some(echelon) = counter.echelon {
        let _ = write!(out, "<path class=\"s\" d=\"{}\"/>", size_sign(echelon));
    }
    out.push_str(symbol(counter.arm));
    let values: Vec<&str> = counter.values.iter().map(|value| value.is.as_str()).collect();
    if !values.is_empty() {
        let values = values.join("-");
        let class = if values.chars().count() > 5 { "v t" } else { "v" };
        let _ = write!(out, "<text class=\"{class}\" y=\"23\">{}</text>", escape(&values));
    }
    if let Some([left, full]) = counter.steps.filter(|[_, full]| *full > 1) {
        for step in 0..i32::from(full.min(6)) {
            let class = if step < i32::from(left) { "f" } else { "s" };
            let _ = write!(out, "<circle class=\"{class}\" cx=\"-21\" cy=\"{}\" r=\"2\"/>", 8 - 6 * step);
        }
    }
    out.push_str("</g>");
    if let Some(degrees) = counter.facing {
        let _ = write!(out, "<path class=\"{livery}\" transform=\"rotate({degrees})\" d=\"M-9-27L0-38L9-27z\"/>");
    }
    let shown = counter.marks.iter().filter(|mark| !matches!(mark, Mark::Reduced | Mark::Unknown));
    for (at, mark) in (0..).zip(shown.take(4)) {
        // At the corner, where they leave the designation to be read.
        let y = -24 + 15 * at;
        let _ = write!(
            out,
            "<circle class=\"{}\" cx=\"25\" cy=\"{y}\" r=\"7\"/><text class=\"m\" x=\"25\" y=\"{}\">{}</text>",
            if is_good(*mark) { "ok" } else { "bad" },
            y + 4,
            escape(mark.letters())
        );
    }
    out.push_str("</g>");
    out
}

/// Is it nothing to worry about?
pub fn is_good(mark: Mark) -> bool {
    matches!(mark, Mark::Led | Mark::Hero | Mark::Up | Mark::Guerrilla | Mark::FaceDown)
}

/// The signs of size over a symbol.
fn size_sign(echelon: Echelon) -> &'static str {
    match echelon {
        Echelon::Detachment => "M-1-11h2",
        Echelon::Company => "M0-13v4",
        Echelon::Battalion => "M-2-13v4M2-13v4",
        Echelon::Regiment => "M-4-13v4M0-13v4M4-13v4",
        Echelon::Brigade => "M-2-13l4 4m0-4l-4 4",
        Echelon::Division => "M-6-13l4 4m0-4l-4 4M2-13l4 4m0-4l-4 4",
    }
}

/// The symbol of an arm.
pub fn symbol(arm: Arm) -> &'static str {
    match arm {
        Arm::Infantry => "<path class=\"s\" d=\"M-14-7h28v16h-28zl28 16m0-16l-28 16\"/>",
        Arm::Cavalry => "<path class=\"s\" d=\"M-14-7h28v16h-28zM14-7l-28 16\"/>",
        Arm::Artillery => "<path class=\"s\" d=\"M-14-7h28v16h-28z\"/><circle class=\"f\" cy=\"1\" r=\"4.5\"/>",
        Arm::MachineGun => "<path class=\"s\" d=\"M-14-7h28v16h-28zM0 8V-5M-4-1L0-5L4-1M-6 6h12\"/>",
        Arm::Engineer => "<path class=\"s\" d=\"M-14-7h28v16h-28zM-8 6V-2H8V6M0-2V6\"/>",
        Arm::Guerrilla => {
            "<path class=\"s\" stroke-dasharray=\"4 2.5\" d=\"M-14-7h28v16h-28z\"/><path class=\"s\" d=\"M-14-7l28 16m0-16l-28 16\"/>"
        }
        Arm::Naval => "<path class=\"s\" d=\"M-14-7h28v16h-28zM0-4V8M-4-2h8M-7 3Q-6 8 0 8Q6 8 7 3\"/>",
        Arm::Garrison => "<path class=\"s\" d=\"M-14 9v-16h6v4h5v-4h6v4h5v-4h6v16zM-9-1L9 8M9-1L-9 8\"/>",
        Arm::Leader => "<path class=\"f\" d=\"M0-10L3-2H12L5 3L8 12L0 6L-8 12L-5 3L-12-2H-3Z\"/>",
        Arm::Signals => "<path class=\"s\" d=\"M-14-7h28v16h-28zl16 9v-4l12 11\"/>",
        Arm::Balloon => {
            "<circle class=\"s\" cy=\"-3\" r=\"8\"/><path class=\"s\" d=\"M-5 4l3 6M5 4l-3 6M-3 10h6v4h-6z\"/>"
        }
        Arm::Supply => "<path class=\"s\" d=\"M-14-7h28v16h-28zM-14 4h28\"/>",
        Arm::Base => "<path class=\"s\" d=\"M-14 10v-12l14-9 14 9v12zM-4 10v-8h8v8\"/>",
        Arm::Fleet => "<path class=\"f\" d=\"M-18 3h36l-6 9h-24zM-8 2v-6h5v-6h4v6h7v6z\"/>",
        Arm::Column => {
            "<path class=\"s\" d=\"M-14-7h28v16h-28zl28 16m0-16l-28 16\"/><circle class=\"f\" cy=\"1\" r=\"4\"/>"
        }
        Arm::Unknown => "<text class=\"q\" y=\"12\">?</text>",
    }
}

/// What a counter is, in words.
pub fn title_of(scene: &Scene, counter: &Counter) -> String {
    let force = scene.force(counter.force).map_or(counter.force, |force| force.name);
    let mut words = vec![counter.id.clone()];
    if counter.name != counter.id {
        words.push(counter.name.clone());
    }
    words.push(format!("{force}, {}", counter.arm));
    let values: Vec<String> = counter.values.iter().map(|value| format!("{} {}", value.what, value.is)).collect();
    if !values.is_empty() {
        words.push(values.join(", "));
    }
    if let Some([left, full]) = counter.steps {
        words.push(format!("{left} of {full} step{}", if full == 1 { "" } else { "s" }));
    }
    words.extend(counter.marks.iter().map(|mark| mark.as_str().to_owned()));
    words.extend(counter.notes.iter().cloned());
    words.join(" · ")
}
