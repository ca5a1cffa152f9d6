//! The options: where the article contradicts itself, and what it invites players to alter (§10i).

use std::collections::BTreeMap;

use crate::engine::doc::{DocPath, Fault, fold};
use crate::engine::{Clause, OptionInfo};

use super::terms::Battlefield;

/// Every option, the default value first.
pub const INFO: &[OptionInfo] = &[
    OptionInfo {
        name: "two-box-move",
        values: &["difficult", "normal"],
        text: "moving two boxes straight ahead is difficult (section 5) or normal (summary)",
        clause: Clause("S1"),
    },
    OptionInfo {
        name: "opening-save",
        values: &["fight", "fall-back"],
        text: "a defender that fails the opening save must fight (section 7) or falls back (summary)",
        clause: Clause("S2"),
    },
    OptionInfo {
        name: "melee-withdrawal",
        values: &["either", "attacker"],
        text: "either unit may break off a melee (section 7) or the attacker alone (summary)",
        clause: Clause("S3"),
    },
    OptionInfo {
        name: "rear-charge",
        values: &["allowed", "barred"],
        text: "a unit may charge the box behind it (section 5) or only move there (summary)",
        clause: Clause("S6"),
    },
    OptionInfo {
        name: "disordered-fire",
        values: &["8", "6"],
        text: "a disordered unit hits by fire on 8 or more (summary) or on 6 or more (section 6)",
        clause: Clause("6.7e"),
    },
    OptionInfo {
        name: "woods",
        values: &["obstacle", "open"],
        text: "entering woods is difficult (summary) or not (section 5 names no woods)",
        clause: Clause("5.D8c"),
    },
    OptionInfo {
        name: "short-withdrawal",
        values: &["allowed", "barred"],
        text: "a defender may withdraw less than three boxes where there is no room, or not at all",
        clause: Clause("A33"),
    },
    OptionInfo {
        name: "spain-needs",
        values: &["6", "4", "5", "7", "8"],
        text: "how many U.S. units Spain must eliminate on a battlefield",
        clause: Clause("10i"),
    },
    OptionInfo {
        name: "us-needs",
        values: &["9", "7", "8", "10", "11"],
        text: "how many Spanish units the U.S. must eliminate on a battlefield",
        clause: Clause("10i"),
    },
    OptionInfo {
        name: "us-terrain",
        values: &["required", "none"],
        text: "whether the U.S. must also capture terrain",
        clause: Clause("10i"),
    },
    OptionInfo {
        name: "flow",
        values: &["direct", "plan"],
        text: "lists of activations are sent openly, or sealed so that only what is carried out is ever seen",
        clause: Clause("4f"),
    },
];

/// The options of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub two_boxes_are_difficult: bool,
    pub failed_opening_falls_back: bool,
    pub defenders_break_off: bool,
    pub rear_charges: bool,
    pub disordered_fire_is_harder: bool,
    pub woods_are_obstacles: bool,
    pub short_withdrawals: bool,
    pub spain_needs: Option<u32>,
    pub us_needs: Option<u32>,
    pub us_need_terrain: bool,
    pub plan: bool,
}

impl Options {
    /// Reads options by name; every unknown name and value is a fault.
    pub fn read(given: &BTreeMap<String, String>) -> Result<Options, Vec<Fault>> {
        let faults = OptionInfo::faults(INFO, given);
        if !faults.is_empty() {
            return Err(faults);
        }
        let is = |name: &str, value: &str| given.get(name).is_some_and(|given| given == value);
        let number = |name: &str| given.get(name).and_then(|value| value.parse().ok());
        Ok(Options {
            two_boxes_are_difficult: !is("two-box-move", "normal"),
            failed_opening_falls_back: is("opening-save", "fall-back"),
            defenders_break_off: !is("melee-withdrawal", "attacker"),
            rear_charges: !is("rear-charge", "barred"),
            disordered_fire_is_harder: !is("disordered-fire", "6"),
            woods_are_obstacles: !is("woods", "open"),
            short_withdrawals: !is("short-withdrawal", "barred"),
            spain_needs: number("spain-needs"),
            us_needs: number("us-needs"),
            us_need_terrain: !is("us-terrain", "none"),
            plan: is("flow", "plan"),
        })
    }
}

/// The battlefields of a scenario (§2b, §2c).
pub fn scenario(name: &str) -> Result<Vec<Battlefield>, Fault> {
    match fold(name).as_str() {
        "" => Ok(vec![Battlefield::SanJuan]),
        "both" | "double" => Ok(vec![Battlefield::SanJuan, Battlefield::ElCaney]),
        _ => Battlefield::from_word(name).map(|field| vec![field]).ok_or_else(|| {
            let at = DocPath::root().key("scenario");
            Fault::new(&at, format!("there is no scenario `{name}`"), "write `san-juan-heights`, `el-caney` or `both`")
        }),
    }
}
