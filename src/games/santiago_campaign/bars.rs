//! Why something may not be done, with the remedy that goes with each clause.

use crate::engine::{Bar, Subject};

/// The one reason why something may not be done; what would be legal follows from the clause.
pub fn bar(clause: &'static str, why: impl Into<String>) -> Bar {
    Bar::new(clause, why, remedy(clause))
}

/// What would be legal instead.
fn remedy(clause: &str) -> &'static str {
    match clause {
        "1.1a" => "order your own units",
        "2.2a" => "place every unit once",
        "2.12d" | "5.1a" | "5.1b" | "5.1d" => "put it where it belongs",
        "3.1b" | "3.2b" => "leave it out of this packet",
        "5.1e" | "5.1f" | "5.1h" => "choose a hex of dry land three hexes or more from every beach",
        "5.2a" => "only Cuban units are deployed now, as many in each zone as the chart allots",
        "5.2b" | "5.2c" | "5.2d" | "23.1m" => "choose a free jungle hex of its zone, one Cuban unit to a hex",
        "5.4a" => "name one of the five beaches",
        "6.2a" => "name a unit that is still at sea",
        "6.2l" => "give hexes of dry land that touch, one after another",
        "6.3c" => "leave `split` out",
        "6.5a" => "see the template for the beaches where units can land",
        "6.5b" => "make the numbers add up",
        "6.6e" => "never more than 15 land in a turn",
        "9.2a" | "9.2b" | "9.2e" | "9.3a" => "two units and a battery fit into a hex, a single unit into jungle",
        "9.4c" => "let one of them stop elsewhere",
        "10.1b" => "one move a unit",
        "10.3d" => "stop earlier or take a road",
        "11.1c" => "name an attack that stands before this one",
        "11.2a" => "each unit attacks once in a phase",
        "11.14h" | "11.17g" => "name units that attack",
        "12.10a" => "stay within the off-road supply length of a road or source free of enemy zones of control",
        "17.2a" | "17.2c" => "leave `balloon` or the path out",
        "17.2d" => "bring it down first: `balloon: down`",
        "23.1c" => "the Spanish player names counters in the Guantanamo box",
        clause if clause.starts_with("11.") || clause.starts_with("14.") || clause.starts_with("12.9") => {
            "choose another target or other attackers"
        }
        "12.10d" | "19.3c" | "20.2" | "13.2c" => "choose another target or other units",
        _ => "`garcia reach` lists where a unit can go",
    }
}

/// Bars that rest on what these units and hexes are.
pub fn resting(bars: Vec<Bar>, on: &[Subject]) -> Vec<Bar> {
    bars.into_iter().map(|bar| bar.about(on.iter().cloned())).collect()
}
