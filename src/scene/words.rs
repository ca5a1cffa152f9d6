//! The vocabulary of maps and counters that every drawing understands. A game translates its own words into these;
//! none of them means a rule.

use crate::words;

words! {
    /// What the ground of a cell looks like.
    pub enum Ground {
        /// Open country.
        Clear = "clear",
        /// Jungle.
        Jungle = "jungle",
        /// Woods.
        Woods = "woods",
        /// A hill.
        Hill = "hill",
        /// Swamp.
        Swamp = "swamp",
        /// A beach.
        Beach = "beach",
        /// A few houses.
        Village = "village",
        /// A town.
        Town = "town",
        /// A city.
        City = "city",
        /// A pond or lake.
        Lake = "lake",
        /// A bay or harbour.
        Harbour = "harbour",
        /// The open sea.
        Sea = "sea",
    }

    /// Something built in a cell.
    pub enum Work {
        /// Entrenchments all round.
        Entrenchment = "entrenchment",
        /// A redoubt.
        Redoubt = "redoubt",
        /// A blockhouse.
        Blockhouse = "blockhouse",
        /// A battery of guns in position.
        Battery = "battery",
        /// A fort or fortress.
        Fort = "fort",
    }

    /// Something that lies along the side of a cell.
    pub enum Border {
        /// A river.
        River = "river",
        /// A stream, a ravine: less than a river.
        Stream = "stream",
        /// A ford.
        Ford = "ford",
        /// A bridge.
        Bridge = "bridge",
        /// The ground rises from the first cell to the second.
        Slope = "slope",
        /// A cliff between a low first cell and a high second one.
        Cliff = "cliff",
        /// A trench in the second cell that faces the first.
        Trench = "trench",
        /// Nothing but water: nobody crosses.
        Water = "water",
    }

    /// Something that leads from cell to cell.
    pub enum Track {
        /// A road.
        Road = "road",
        /// A trail or path.
        Trail = "trail",
        /// A railway.
        Railway = "railway",
        /// A pier.
        Pier = "pier",
    }

    /// What is marked in a cell, beside its ground.
    pub enum Flag {
        /// Counts for victory.
        Objective = "objective",
        /// Troops may land here.
        Landing = "landing",
        /// Troops enter the map here.
        Entry = "entry",
        /// A source of supply.
        Source = "source",
    }

    /// What a counter is, for its symbol.
    pub enum Arm {
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry, mounted or not.
        Cavalry = "cavalry",
        /// Guns.
        Artillery = "artillery",
        /// Machineguns.
        MachineGun = "machine-gun",
        /// Engineers.
        Engineer = "engineer",
        /// Guerrillas, insurgents, irregulars.
        Guerrilla = "guerrilla",
        /// Sailors and marines ashore.
        Naval = "naval",
        /// The garrison of a fortress.
        Garrison = "garrison",
        /// A leader.
        Leader = "leader",
        /// Signals.
        Signals = "signals",
        /// A balloon.
        Balloon = "balloon",
        /// Supplies on the move.
        Supply = "supply",
        /// A base or depot.
        Base = "base",
        /// Ships.
        Fleet = "fleet",
        /// A column of more than one arm.
        Column = "column",
        /// Nobody who looks at this scene knows.
        Unknown = "unknown",
    }

    /// How large a counter is, for the sign over its symbol.
    pub enum Echelon {
        /// A detachment or section.
        Detachment = "detachment",
        /// A company, battery or troop.
        Company = "company",
        /// A battalion or squadron.
        Battalion = "battalion",
        /// A regiment.
        Regiment = "regiment",
        /// A brigade.
        Brigade = "brigade",
        /// A division.
        Division = "division",
    }

    /// A state a counter is in.
    pub enum Mark {
        /// Has lost a step or more.
        Reduced = "reduced",
        /// Disorganized or disordered.
        Disorganized = "disorganized",
        /// Broken.
        Broken = "broken",
        /// Out of supply.
        OutOfSupply = "out of supply",
        /// Out of command.
        OutOfCommand = "out of command",
        /// May not move until it is released.
        Frozen = "frozen",
        /// Down with fever.
        Fever = "fever",
        /// Came ashore this turn.
        Landed = "landed",
        /// Has acted, or was stopped: it does no more this turn.
        Spent = "spent",
        /// Lies face down.
        FaceDown = "face down",
        /// Lies face down, and the viewer does not know what it is.
        Unknown = "unknown",
        /// In guerrilla mode.
        Guerrilla = "guerrilla mode",
        /// The balloon is up.
        Up = "balloon up",
        /// A leader is with it.
        Led = "led",
        /// A hero is with it.
        Hero = "hero",
    }

    /// The colours of a force. They differ in lightness, so that a print without colour tells them apart.
    pub enum Livery {
        /// Dark blue, written on in white.
        Navy = "navy",
        /// Light yellow, written on in black.
        Gold = "gold",
        /// A red of middle lightness, written on in white.
        Clay = "clay",
        /// Light grey, written on in black.
        Grey = "grey",
    }

    /// What kind of thing happened.
    pub enum Deed {
        /// Placed on the map before play.
        Placed = "placed",
        /// Came ashore.
        Landed = "landed",
        /// Came onto the map otherwise.
        Entered = "entered",
        /// Went from cell to cell.
        Moved = "moved",
        /// Gave way.
        Retreated = "retreated",
        /// Followed into a vacated cell.
        Advanced = "advanced",
        /// Fired.
        Fired = "fired",
        /// A fight at close quarters, from the attackers' cells against one.
        Fought = "fought",
        /// Lost steps and is still there.
        Suffered = "suffered",
        /// Was eliminated.
        Eliminated = "eliminated",
        /// A cell changed hands.
        Taken = "taken",
        /// Was turned face up.
        Revealed = "revealed",
        /// Something else that happened in a place.
        Noted = "noted",
    }

    /// What a line on the map traces.
    pub enum Trace {
        /// A line of supply.
        Supply = "supply",
        /// A line of sight.
        Sight = "sight",
    }
}

impl Ground {
    /// Is it drawn as water?
    pub const fn is_water(self) -> bool {
        matches!(self, Ground::Lake | Ground::Harbour | Ground::Sea)
    }

    /// Is it drawn with houses?
    pub const fn is_built(self) -> bool {
        matches!(self, Ground::Village | Ground::Town | Ground::City)
    }
}

impl Border {
    /// Does it look different from its two sides, so that the order of the two cells counts?
    pub const fn is_directed(self) -> bool {
        matches!(self, Border::Slope | Border::Cliff | Border::Trench)
    }
}

impl Mark {
    /// The letters that stand for it where there is little room.
    pub const fn letters(self) -> &'static str {
        match self {
            Mark::Reduced => "-",
            Mark::Disorganized => "D",
            Mark::Broken => "B",
            Mark::OutOfSupply => "S",
            Mark::OutOfCommand => "C",
            Mark::Frozen => "Z",
            Mark::Fever => "F",
            Mark::Landed => "L",
            Mark::Spent => "x",
            Mark::FaceDown => "v",
            Mark::Unknown => "?",
            Mark::Guerrilla => "G",
            Mark::Up => "^",
            Mark::Led => "*",
            Mark::Hero => "H",
        }
    }
}
