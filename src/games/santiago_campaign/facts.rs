//! What the rulebook says about the data, held against the files: `garcia data check`.

use crate::board::{Grid, Hex};
use crate::engine::data::{Loader, at};

use super::data::{Along, COUNTERS, Data, MAP, Mp, TABLES};
use super::movement::Mover;
use super::play::{Known, Position};
use super::state::State;
use super::terms::{Arm, Flag, Group, Land, Nation, Odds, Piece, UnitId};
use super::{Options, SantiagoCampaign};

/// What the rulebook says, the key of the file that says so, and whether it does.
type Fact = (&'static str, &'static str, &'static str, bool);

/// States every fact.
pub fn state(data: &Data, loader: &mut Loader<'_>) {
    let game = SantiagoCampaign { data: data.clone(), options: Options::default() };
    let facts = Facts { game: &game };
    for (file, facts, remedy) in [
        (MAP, facts.map(), "draw the map so"),
        (COUNTERS, facts.counters(), "list the counters so"),
        (TABLES, facts.tables(), "set the tables so"),
    ] {
        for (clause, key, what, holds) in facts {
            loader.fact(clause, file, at(key), holds, what, remedy);
        }
    }
}

struct Facts<'g> {
    game: &'g SantiagoCampaign,
}

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

impl Facts<'_> {
    fn cost(&self, from: u16, to: u16) -> Option<Mp> {
        let known = Known::default();
        let state = State::new(&self.game.data);
        let position = Position { game: self.game, state: &state, known: &known };
        let mover = Mover::new(Piece::of("us-6r"), Nation::Us, Some(Arm::Infantry), Mp::whole(8));
        position.price(&mover, hex(from), hex(to)).ok().map(|(cost, _)| cost)
    }

    fn map(&self) -> Vec<Fact> {
        let data = &self.game.data;
        let land = |number: u16| data.land(hex(number));
        vec![
            ("errata.1", "bridges", "a bridge crosses the river between 2705 and 2805", {
                let side = data.between(hex(2705), hex(2805));
                side.has(Along::River) && side.has(Along::Bridge)
            }),
            (
                "2.2b",
                "places",
                "5324 is land and has a name",
                land(5324).is_land() && data.place_name(hex(5324)).is_some(),
            ),
            (
                "2.12d",
                "fortresses",
                "1322 and 1522 are the fortresses",
                data.is_fortress(hex(1322)) && data.is_fortress(hex(1522)),
            ),
            ("10.4d", "elevation", "4913 to 4912 costs 2", self.cost(4913, 4912) == Some(Mp::whole(2))),
            ("10.4d", "elevation", "4912 to 4913 costs 1", self.cost(4912, 4913) == Some(Mp::whole(1))),
            ("11.3c", "frame", "4913 to 5311 is range 4", data.grid().distance(hex(4913), hex(5311)) == 4),
            ("11.9c", "rivers", "5624 to 5724 crosses a river and goes up into jungle", {
                let side = data.between(hex(5624), hex(5724));
                side.has(Along::River) && side.has(Along::Up) && land(5724) == Land::Jungle
            }),
            ("5.4b", "beaches", "Daiquiri is a beach in 5926", data.is_beach(hex(5926))),
            ("12.11c", "beaches", "there are five beaches", data.beaches.len() == 5),
            (
                "4.4e",
                "land-edge",
                "1022 and 6028 are land on the map edge",
                data.edge.contains(&hex(1022)) && data.edge.contains(&hex(6028)),
            ),
            (
                "12.10e",
                "off-map-road",
                "a road leaves the map at 1011",
                data.has_road(hex(1011)) && data.off_map_road.0 == hex(1011),
            ),
            (
                "23.1h",
                "entries",
                "a road comes on the map at 3801",
                data.has_road(hex(3801)) && data.guantanamo == hex(3801),
            ),
            (
                "23.2e",
                "entries",
                "a road comes on the map at 1003",
                data.has_road(hex(1003)) && data.manzanillo == hex(1003),
            ),
            ("16.2b", "coast", "both fortresses lie on the open coast", {
                let coast = |number| data.map.ground(hex(number)).is_some_and(|ground| ground.coast);
                coast(1322) && coast(1522)
            }),
            ("16.2a", "harbour-shore", "1321 and 1521 lie on the shore of the bay", {
                let shore = |number| data.map.ground(hex(number)).is_some_and(|ground| ground.harbour_shore);
                shore(1321) && shore(1521)
            }),
            (
                "4.1a",
                "city",
                "Santiago has several hexes",
                data.city.len() > 1 && data.city.iter().all(|hex| data.is_city(*hex)),
            ),
            ("5.2b", "zones", "every zone has jungle for five Cuban units", {
                (1..=4).all(|zone| {
                    data.map.cells().filter(|(_, ground)| ground.zone == zone && ground.land == Land::Jungle).count()
                        >= 5
                })
            }),
            ("5.1h", "beaches", "no beach is within two hexes of a fortress", {
                let far = |beach: &Hex| data.fortresses.iter().all(|fort| data.grid().distance(*beach, *fort) >= 3);
                data.beaches.iter().all(far)
            }),
        ]
    }

    fn counters(&self) -> Vec<Fact> {
        let data = &self.game.data;
        let count = |test: &dyn Fn(&super::data::Counter) -> bool| data.counters.values().filter(|c| test(c)).count();
        let (found, printed) = data.counter_total;
        let one_step = |c: &super::data::Counter| c.nation != Nation::Us && c.steps() != 1;
        let lower = data.counters.values().all(|c| c.reduced.is_none_or(|reduced| Some(reduced) < c.factor));
        let has = |id: &str| data.counter(UnitId::of(id)).is_some();
        vec![
            ("2.3a", "total", "98 counters and markers, as many as the total says", found == printed && printed == 98),
            ("2.13b", "units", "Spanish and Cuban units have one step", count(&one_step) == 0),
            ("2.13c", "units", "every reduced side is weaker than the full one", lower),
            ("15.1b", "units", "six units have black powder", count(&|c| c.has(Flag::BlackPowder)) == 6),
            ("5.2e", "units", "there are fourteen Cuban units", count(&|c| c.nation == Nation::Cuban) == 14),
            ("18.1", "units", "one unit is Roosevelt's", count(&|c| c.has(Flag::Roosevelt)) == 1),
            ("5.3b", "units", "one unit is the Marines", count(&|c| c.has(Flag::Marine)) == 1),
            ("21.1c", "units", "there is more than one engineer unit", count(&|c| c.kind == Arm::Engineer) > 1),
            ("20.1a", "units", "one unit is the Gatling detachment", count(&|c| c.kind == Arm::Gatling) == 1),
            ("17.2a", "units", "one unit is the balloon", count(&|c| c.kind == Arm::Balloon) == 1),
            ("2.12d", "units", "two garrisons", count(&|c| c.group == Group::Fortress) == 2),
            ("2.11", "units", "the battery A/2 is in the game", has("us-a-2")),
            (
                "6.2a",
                "units",
                "at most 45 US units, 15 for each of three turns",
                count(&|c| c.group == Group::Pool) <= 45,
            ),
            ("2.14b", "units", "artillery has a factor to attack with", {
                data.counters.values().filter(|c| c.kind == Arm::Artillery).all(|c| c.factor.is_some_and(|f| f > 0))
            }),
        ]
    }

    fn tables(&self) -> Vec<Fact> {
        let data = &self.game.data;
        let tables = &data.tables;
        let crt = &tables.combat_results.results;
        let columns = (0..=6).all(|rung| crt.columns.contains(&Odds(rung)));
        let ladder = crt.columns.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        let rising = crt.rows.iter().all(|(_, row)| row.windows(2).all(|pair| pair[0].worth() <= pair[1].worth()));
        let chart = &tables.terrain_effects;
        let (river, upslope) = chart.side_left();
        let landing = &tables.landing_sites;
        let cubans = &tables.cuban_deployment.rows;
        let row_sum = |row: &[u32; 4]| row.iter().sum::<u32>();
        let no_site = |word: &str| landing.second.values().any(|entry| entry == word);
        vec![
            ("tbl.crt", "combat-results", "the columns 1:1 to 7:1 are there, in unbroken order", columns && ladder),
            (
                "tbl.crt",
                "combat-results",
                "six rows, results that improve with the odds",
                crt.rows.len() == 6 && rising,
            ),
            (
                "11.9c",
                "terrain-effects",
                "river, upslope and jungle together are three columns",
                river + upslope + chart.hex_left(Land::Jungle) == 3,
            ),
            ("tbl.tec.move", "terrain-effects", "clear costs 1, a road a half, river and upslope 1 more", {
                chart.enter(Land::Clear, false) == Some(Mp::whole(1))
                    && chart.road() == Mp::from_parts(1)
                    && chart.river() == Mp::whole(1)
                    && chart.upslope() == Mp::whole(1)
            }),
            ("10.9a", "terrain-effects", "jungle costs 1 for Cubans and more for others", {
                chart.enter(Land::Jungle, true) == Some(Mp::whole(1))
                    && chart.enter(Land::Jungle, false) > Some(Mp::whole(1))
            }),
            ("22.2c", "terrain-effects", "a fortress has at least one column", chart.works_left().2 >= 1),
            ("5.4b", "landing-sites", "a first landing roll of 5 or 6 is Daiquiri", {
                [5, 6].iter().all(|die| landing.first.get(die) == Some(&hex(5926)))
            }),
            ("tbl.landing", "landing-sites", "the first roll always gives a beach", {
                (1..=6).all(|die| landing.first.get(&die).is_some_and(|site| data.is_beach(*site)))
            }),
            (
                "6.3a",
                "landing-sites",
                "the second roll can pick no locale and can be cancelled",
                no_site("none-picked") && no_site("cancelled"),
            ),
            ("5.2e", "cuban-deployment", "a deployment roll of 1 is 2, 5, 5, 2", cubans.at(1) == Some(&[2, 5, 5, 2])),
            ("tbl.cuban", "cuban-deployment", "six rows of 2 to 5, each deploying every Cuban unit", {
                cubans.len() == 6
                    && cubans.iter().all(|(_, row)| row_sum(row) == 14 && row.iter().all(|n| (2..=5).contains(n)))
            }),
            ("13.2b", "fever", "fever 23 is the 71NY", tables.fever.entry(2, 3) == [UnitId::of("us-71ny")]),
            ("13.3b", "fever", "no fever entry names more than two units", {
                (1..=6).all(|tens| (1..=6).all(|ones| tables.fever.entry(tens, ones).len() <= 2))
            }),
            ("tbl.guantanamo", "guantanamo", "six rows", tables.guantanamo.rows.len() == 6),
            ("2.12a", "movement-factors", "US and Cuban units have 8 movement points", {
                data.movement_factor(Nation::Us) == Mp::whole(8) && data.movement_factor(Nation::Cuban) == Mp::whole(8)
            }),
            (
                "2.12b",
                "movement-factors",
                "Spanish units have 4",
                data.movement_factor(Nation::Spanish) == Mp::whole(4),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::games::santiago_campaign::data::{FILES, SHELF};

    #[test]
    fn the_shipped_data_keep_every_fact_of_the_rulebook() {
        let broken: Vec<String> = SHELF
            .findings(&BTreeMap::new())
            .into_iter()
            .filter(|finding| !finding.holds)
            .map(|finding| finding.what)
            .collect();
        assert_eq!(broken, Vec::<String>::new());
        assert_eq!(SHELF.load(&BTreeMap::new()).unwrap().loaded.check(), Ok(()));
    }

    /// File, place and clause of everything wrong with a folder in which one text of a file is replaced.
    fn wrong(file: &str, from: &str, to: &str) -> Vec<(String, String, Option<&'static str>)> {
        let text = FILES.iter().find(|ours| ours.name == file).unwrap().text;
        assert!(text.contains(from), "`{from}` is not in {file}");
        let files = BTreeMap::from([(file.to_owned(), text.replacen(from, to, 1))]);
        let broken = SHELF.findings(&files).into_iter().filter(|finding| !finding.holds);
        broken.map(|finding| (finding.file, finding.place, finding.clause.map(|clause| clause.0))).collect()
    }

    #[test]
    fn a_players_own_files_are_faulted_by_line_and_column() {
        let line = |file: &str, text: &str| {
            let shipped = FILES.iter().find(|ours| ours.name == file).unwrap().text;
            shipped.lines().position(|line| line.contains(text)).unwrap() + 1
        };
        let places =
            |file, from, to| -> Vec<String> { wrong(file, from, to).into_iter().map(|found| found.1).collect() };
        // Of form: an unknown word, and two faults at once.
        let at = line(COUNTERS, "id: us-6r,");
        let unknown = places(COUNTERS, "nation: us, kind: infantry, factor: 5", "nation: uk, kind: foot, factor: 5");
        let column = |text: &str| FILES[1].text.lines().nth(at - 1).unwrap().find(text).unwrap();
        assert_eq!(unknown, [format!("{at}:{}", column("us, kind") + 1), format!("{at}:{}", column("infantry") + 1)]);
        // Of sense: a road with a gap, a hex off the map, a sign nobody explained, a unit nobody has.
        let at = line(MAP, "path: [\"3216\"");
        assert_eq!(places(MAP, "[\"3216\", \"3215\"", "[\"3216\", \"3218\""), [format!("{at}:20"), format!("{at}:28")]);
        let at = line(MAP, "Boniato");
        assert_eq!(places(MAP, "[Boniato], hex: \"2406\"", "[Boniato], hex: \"7006\""), [format!("{at}:29")]);
        let at = line(MAP, "\"10\": \"jjjjjjjjjj....");
        assert_eq!(places(MAP, "\"10\": \"jjjj", "\"10\": \"jj?j"), [format!("{at}:11")]);
        let at = line(TABLES, "\"35\": [us-22r]");
        assert_eq!(places(TABLES, "[us-22r]", "[us-23r]"), [format!("{at}:12")]);
        // Of fact.
        let at = line(MAP, "bridges:");
        let bridge = wrong(MAP, "[[\"2705\", \"2805\"]], source: text", "[[\"2704\", \"2804\"]], source: text");
        assert_eq!(bridge, [(MAP.to_owned(), format!("{at}:1"), Some("errata.1"))]);
    }
}
