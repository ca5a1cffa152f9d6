//! What the rulebook says about the data, held against the files: `garcia data check`.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::{Clause, DataFinding};

use super::data::{Along, Data, Mp};
use super::movement::Mover;
use super::play::{Known, Position};
use super::state::State;
use super::terms::{Arm, CombatResult, Flag, Group, Land, Nation, Odds, Piece, UnitId};
use super::{Options, SantiagoCampaign};

/// Checks a player's own files, the shipped ones where he gives none.
pub fn findings(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
    let data = match Data::load(files) {
        Ok(data) => data,
        Err(faults) => {
            let finding = |fault: crate::engine::doc::Fault| DataFinding {
                file: fault.at.to_string(),
                place: String::new(),
                clause: fault.clause,
                what: fault.what,
                remedy: fault.remedy,
                holds: false,
            };
            return faults.into_iter().map(finding).collect();
        }
    };
    let game = SantiagoCampaign { data, options: Options::default() };
    let mut facts = Facts { game: &game, found: Vec::new() };
    facts.map();
    facts.counters();
    facts.tables();
    facts.found
}

struct Facts<'g> {
    game: &'g SantiagoCampaign,
    found: Vec<DataFinding>,
}

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

impl Facts<'_> {
    fn say(
        &mut self,
        file: &str,
        clause: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
        holds: bool,
    ) {
        self.found.push(DataFinding {
            file: file.to_owned(),
            place: String::new(),
            clause: Some(Clause(clause)),
            what: what.into(),
            remedy: remedy.into(),
            holds,
        });
    }

    fn cost(&self, from: u16, to: u16) -> Option<Mp> {
        let known = Known::default();
        let state = State::new(&self.game.data);
        let position = Position { game: self.game, state: &state, known: &known };
        let mover = Mover {
            piece: Piece::named("us-6r"),
            nation: Nation::Us,
            arm: Some(Arm::Infantry),
            light: false,
            purse: Mp::whole(8),
            lost: false,
            landing: false,
        };
        position.price(&mover, hex(from), hex(to)).ok().map(|(cost, _)| cost)
    }

    fn map(&mut self) {
        let data = &self.game.data;
        let file = "map.yaml";
        let land = |number: u16| data.land(hex(number));
        let facts: Vec<(&'static str, &str, bool)> = vec![
            ("errata.1", "a bridge crosses the river between 2705 and 2805", {
                let side = data.between(hex(2705), hex(2805));
                side.has(Along::River) && side.has(Along::Bridge)
            }),
            ("2.2b", "5324 is land and has a name", land(5324).is_land() && data.place_name(hex(5324)).is_some()),
            ("2.12d", "1322 and 1522 are the fortresses", data.is_fortress(hex(1322)) && data.is_fortress(hex(1522))),
            ("10.4d", "4913 to 4912 costs 2", self.cost(4913, 4912) == Some(Mp::whole(2))),
            ("10.4d", "4912 to 4913 costs 1", self.cost(4912, 4913) == Some(Mp::whole(1))),
            ("11.3c", "4913 to 5311 is range 4", data.grid().distance(hex(4913), hex(5311)) == 4),
            ("11.9c", "5624 to 5724 crosses a river and goes up into jungle", {
                let side = data.between(hex(5624), hex(5724));
                side.has(Along::River) && side.has(Along::Up) && land(5724) == Land::Jungle
            }),
            ("5.4b", "Daiquiri is a beach in 5926", data.is_beach(hex(5926))),
            ("12.11c", "there are five beaches", data.beaches.len() == 5),
            (
                "4.4e",
                "1022 and 6028 are land on the map edge",
                data.edge.contains(&hex(1022)) && data.edge.contains(&hex(6028)),
            ),
            ("12.10e", "a road leaves the map at 1011", data.has_road(hex(1011)) && data.off_map_road.0 == hex(1011)),
            ("23.1h", "a road comes on the map at 3801", data.has_road(hex(3801)) && data.guantanamo == hex(3801)),
            ("23.2e", "a road comes on the map at 1003", data.has_road(hex(1003)) && data.manzanillo == hex(1003)),
            ("16.2b", "both fortresses lie on the open coast", {
                let coast = |number| data.map.ground(hex(number)).is_some_and(|ground| ground.coast);
                coast(1322) && coast(1522)
            }),
            ("16.2a", "1321 and 1521 lie on the shore of the bay", {
                let shore = |number| data.map.ground(hex(number)).is_some_and(|ground| ground.harbour_shore);
                shore(1321) && shore(1521)
            }),
            (
                "4.1a",
                "Santiago has several hexes",
                data.city.len() > 1 && data.city.iter().all(|hex| data.is_city(*hex)),
            ),
            ("5.2b", "every zone has jungle for five Cuban units", {
                (1..=4).all(|zone| {
                    data.map.cells().filter(|(_, ground)| ground.zone == zone && ground.land == Land::Jungle).count()
                        >= 5
                })
            }),
            ("5.1h", "no beach is within two hexes of a fortress", {
                let far = |beach: &Hex| data.fortresses.iter().all(|fort| data.grid().distance(*beach, *fort) >= 3);
                data.beaches.iter().all(far)
            }),
        ];
        let said: Vec<(&'static str, String, bool)> =
            facts.into_iter().map(|(c, what, holds)| (c, what.to_owned(), holds)).collect();
        for (clause, what, holds) in said {
            self.say(file, clause, what, "draw the map so", holds);
        }
    }

    fn counters(&mut self) {
        let data = &self.game.data;
        let count = |test: &dyn Fn(&super::data::Counter) -> bool| data.counters.values().filter(|c| test(c)).count();
        let (found, printed) = data.counter_total;
        let one_step = |c: &super::data::Counter| c.nation != Nation::Us && c.steps() != 1;
        let lower = data.counters.values().all(|c| c.reduced.is_none_or(|reduced| Some(reduced) < c.factor));
        let has = |id: &str| data.counter(UnitId::named(id)).is_some();
        let facts: Vec<(&'static str, String, bool)> = vec![
            ("2.3a", format!("{found} of {printed} counters are accounted for"), found == printed && printed == 98),
            ("2.13b", "Spanish and Cuban units have one step".into(), count(&one_step) == 0),
            ("2.13c", "every reduced side is weaker than the full one".into(), lower),
            ("15.1b", "six units have black powder".into(), count(&|c| c.has(Flag::BlackPowder)) == 6),
            ("5.2e", "there are fourteen Cuban units".into(), count(&|c| c.nation == Nation::Cuban) == 14),
            ("18.1", "one unit is Roosevelt's".into(), count(&|c| c.has(Flag::Roosevelt)) == 1),
            ("5.3b", "one unit is the Marines".into(), count(&|c| c.has(Flag::Marine)) == 1),
            ("21.1c", "there is more than one engineer unit".into(), count(&|c| c.kind == Arm::Engineer) > 1),
            ("20.1a", "one unit is the Gatling detachment".into(), count(&|c| c.kind == Arm::Gatling) == 1),
            ("17.2a", "one unit is the balloon".into(), count(&|c| c.kind == Arm::Balloon) == 1),
            ("2.12d", "two garrisons".into(), count(&|c| c.group == Group::Fortress) == 2),
            ("2.11", "the battery A/2 is in the game".into(), has("us-a-2")),
            (
                "6.2a",
                "at most 45 US units, 15 for each of three turns".into(),
                count(&|c| c.group == Group::Pool) <= 45,
            ),
            ("2.14b", "artillery has a factor to attack with".into(), {
                data.counters.values().filter(|c| c.kind == Arm::Artillery).all(|c| c.factor.is_some_and(|f| f > 0))
            }),
        ];
        for (clause, what, holds) in facts {
            self.say("counters.yaml", clause, what, "list the counters so", holds);
        }
    }

    fn tables(&mut self) {
        let data = &self.game.data;
        let tables = &data.tables;
        let crt = &tables.combat_results;
        let columns = (0..=6).all(|rung| crt.columns.contains(&Odds(rung)));
        let ladder = crt.columns.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        let worth = |result: &CombatResult| match result {
            CombatResult::Stalled => 0,
            CombatResult::Bloodbath => 1,
            CombatResult::Retreat => 2,
            CombatResult::Eliminated => 3,
        };
        let rising = crt.rows.values().all(|row| row.windows(2).all(|pair| worth(&pair[0]) <= worth(&pair[1])));
        let chart = &tables.terrain_effects;
        let (river, upslope) = chart.side_left();
        let landing = &tables.landing_sites;
        let cubans = &tables.cuban_deployment.rows;
        let row_sum = |row: &[u32; 4]| row.iter().sum::<u32>();
        let no_site = |word: &str| landing.second.values().any(|entry| entry == word);
        let facts: Vec<(&'static str, &str, bool)> = vec![
            ("tbl.crt", "the columns 1:1 to 7:1 are there, in unbroken order", columns && ladder),
            ("tbl.crt", "six rows, results that improve with the odds", crt.rows.len() == 6 && rising),
            (
                "11.9c",
                "river, upslope and jungle together are three columns",
                river + upslope + chart.hex_left(Land::Jungle) == 3,
            ),
            ("tbl.tec.move", "clear costs 1, a road a half, river and upslope 1 more", {
                chart.enter(Land::Clear, false) == Some(Mp::whole(1))
                    && chart.road() == Mp::from_parts(1)
                    && chart.river() == Mp::whole(1)
                    && chart.upslope() == Mp::whole(1)
            }),
            ("10.9a", "jungle costs 1 for Cubans and more for others", {
                chart.enter(Land::Jungle, true) == Some(Mp::whole(1))
                    && chart.enter(Land::Jungle, false) > Some(Mp::whole(1))
            }),
            ("22.2c", "a fortress has at least one column", chart.works_left().2 >= 1),
            ("5.4b", "a first landing roll of 5 or 6 is Daiquiri", {
                [5, 6].iter().all(|die| landing.first.get(die) == Some(&hex(5926)))
            }),
            ("tbl.landing", "the first roll always gives a beach", {
                (1..=6).all(|die| landing.first.get(&die).is_some_and(|site| data.is_beach(*site)))
            }),
            (
                "6.3a",
                "the second roll can pick no locale and can be cancelled",
                no_site("none-picked") && no_site("cancelled"),
            ),
            ("5.2e", "a deployment roll of 1 is 2, 5, 5, 2", cubans.get(&1) == Some(&[2, 5, 5, 2])),
            ("tbl.cuban", "six rows of 2 to 5, each deploying every Cuban unit", {
                cubans.len() == 6
                    && cubans.values().all(|row| row_sum(row) == 14 && row.iter().all(|n| (2..=5).contains(n)))
            }),
            ("13.2b", "fever 23 is the 71NY", tables.fever.entry(2, 3) == [UnitId::named("us-71ny")]),
            ("13.3b", "no fever entry names more than two units", {
                (1..=6).all(|tens| (1..=6).all(|ones| tables.fever.entry(tens, ones).len() <= 2))
            }),
            ("tbl.guantanamo", "six rows", (1..=6).all(|die| tables.guantanamo.rows.contains_key(&die))),
            ("2.12a", "US and Cuban units have 8 movement points", {
                data.movement_factor(Nation::Us) == Mp::whole(8) && data.movement_factor(Nation::Cuban) == Mp::whole(8)
            }),
            ("2.12b", "Spanish units have 4", data.movement_factor(Nation::Spanish) == Mp::whole(4)),
        ];
        let said: Vec<(&'static str, String, bool)> =
            facts.into_iter().map(|(c, what, holds)| (c, what.to_owned(), holds)).collect();
        for (clause, what, holds) in said {
            self.say("tables.yaml", clause, what, "set the tables so", holds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_data_keep_every_fact_of_the_rulebook() {
        let broken: Vec<String> = findings(&BTreeMap::new())
            .into_iter()
            .filter(|finding| !finding.holds)
            .map(|finding| finding.what)
            .collect();
        assert_eq!(broken, Vec::<String>::new());
    }

    #[test]
    fn a_map_without_the_bridge_of_the_erratum_is_found_out() {
        let (_, map) = super::super::data::FILES[0];
        let changed =
            map.replace("{side: [\"2705\", \"2805\"], source: text}", "{side: [\"2704\", \"2804\"], source: text}");
        assert_ne!(map, changed);
        let files = [("map.yaml".to_owned(), changed)].into();
        let broken: Vec<Option<Clause>> =
            findings(&files).into_iter().filter(|finding| !finding.holds).map(|finding| finding.clause).collect();
        assert_eq!(broken, [Some(Clause("errata.1"))]);
    }
}
