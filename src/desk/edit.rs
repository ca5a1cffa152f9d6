//! Clicks written into an order file: the text is changed where it has to be, and remarks stay where they are.
//!
//! Every change exists twice: on the text somebody looks at, and on the document read from it, which is what a choice is
//! tried out with. The tests hold one against the other.

use crate::engine::doc::{DocPath, Node, Segment, Source, read_document, same_key};

/// A change of an order file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another item at the end of the list at this path.
    Append {
        /// The keys down to the list.
        path: Vec<String>,
        /// The item as it is typed.
        item: String,
    },
    /// A value under a key of the map at this path.
    Set {
        /// The keys down to the map.
        path: Vec<String>,
        /// The key.
        key: String,
        /// The value as it is typed.
        value: String,
    },
    /// An item or an entry taken out.
    Remove {
        /// The keys and numbers down to it.
        path: Vec<String>,
    },
}

/// Why a change cannot be made.
const UNREADABLE: &str = "the text cannot be read as it is; put its faults right first";

struct Doc {
    node: Node,
    source: Source,
}

fn open(text: &str) -> Result<Doc, String> {
    let (node, source) = read_document("orders", text.as_bytes()).map_err(|_| UNREADABLE.to_owned())?;
    Ok(Doc { node, source })
}

/// What stands at a path, and how something can be put there.
enum Spot {
    Missing,
    /// A key without a value, in this line.
    Empty {
        line: usize,
    },
    /// Brackets from one byte to another.
    Flow {
        from: usize,
        to: usize,
    },
    /// Lines of their own, so deep, the last of them this one.
    Block {
        indent: usize,
        last: usize,
    },
}

impl Change {
    /// The text with the change made.
    pub fn on_text(&self, text: &str) -> Result<String, String> {
        // A file that ends without a line break gets one.
        let text = if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        match self {
            Change::Append { path, item } => append(text, path, item),
            Change::Set { path, key, value } => set(text, path, key, value),
            Change::Remove { path } => remove(text, path),
        }
    }

    /// The document with the change made.
    pub fn on_node(&self, node: &mut Node) -> Option<()> {
        match self {
            Change::Append { path, item } => {
                let item = value_of(item)?;
                let list = at_mut(node, path)?;
                match list {
                    Node::List(items) => items.push(item),
                    Node::Map(entries) if !entries.is_empty() => *list = Node::List(vec![list.clone(), item]),
                    _ => *list = Node::List(vec![item]),
                }
            }
            Change::Set { path, key, value } => {
                let value = value_of(value)?;
                let map = at_mut(node, path)?;
                if !matches!(map, Node::Map(_)) {
                    *map = Node::Map(Vec::new());
                }
                let Node::Map(entries) = map else { return None };
                match entries.iter_mut().find(|(name, _)| same_key(name, key)) {
                    Some((_, there)) => *there = value,
                    None => entries.push((key.clone(), value)),
                }
            }
            Change::Remove { path } => {
                let (last, before) = path.split_last()?;
                match at_mut(node, before)? {
                    Node::List(items) => {
                        let at: usize = last.parse().ok().filter(|at| *at < items.len())?;
                        items.remove(at);
                    }
                    Node::Map(entries) => entries.retain(|(name, _)| !same_key(name, last)),
                    Node::Text { .. } => return None,
                }
            }
        }
        Some(())
    }
}

/// A value as it would stand in a file.
fn value_of(text: &str) -> Option<Node> {
    let (node, _) = read_document("value", format!("value: {text}\n").as_bytes()).ok()?;
    node.get("value").cloned()
}

/// The part of a document at a path; maps are made on the way.
fn at_mut<'n>(node: &'n mut Node, path: &[String]) -> Option<&'n mut Node> {
    let Some((key, below)) = path.split_first() else { return Some(node) };
    if let Node::List(items) = node {
        return at_mut(items.get_mut(key.parse::<usize>().ok()?)?, below);
    }
    if !matches!(node, Node::Map(_)) {
        *node = Node::Map(Vec::new());
    }
    let Node::Map(entries) = node else { return None };
    let at = match entries.iter().position(|(name, _)| same_key(name, key)) {
        Some(at) => at,
        None => {
            entries.push((key.clone(), Node::text("")));
            entries.len() - 1
        }
    };
    at_mut(&mut entries.get_mut(at)?.1, below)
}

impl Doc {
    fn at(&self, path: &[String]) -> Option<(&Node, DocPath)> {
        let (mut node, mut at) = (&self.node, DocPath::root());
        for key in path {
            match node {
                Node::List(items) => {
                    let number: usize = key.parse().ok()?;
                    (node, at) = (items.get(number)?, at.index(number));
                }
                _ => (node, at) = (node.get(key)?, at.key(key)),
            }
        }
        Some((node, at))
    }

    /// The line of a key with nothing after it. The reader takes it as if it were not there, but knows its place.
    fn bare(&self, path: &[String]) -> Option<usize> {
        let (key, before) = path.split_last()?;
        let (_, around) = self.at(before).filter(|_| self.at(path).is_none())?;
        let (from, len) = self.source.span(&around.name(key));
        let written = self.text().get(from..from + len)?.split(':').next()?.trim().trim_matches(['"', '\'']);
        same_key(written, key).then(|| self.line_of(from))
    }

    fn text(&self) -> &str {
        &self.source.text
    }

    fn line_of(&self, offset: usize) -> usize {
        self.source.place_of(offset).line
    }

    /// Where brackets that open at a byte are closed; the byte after it.
    fn closed(&self, from: usize) -> Option<usize> {
        let bytes = self.text().as_bytes();
        let (mut deep, mut at, mut quote) = (0_u32, from, None);
        while let Some(byte) = bytes.get(at) {
            match (quote, byte) {
                (Some(b'"'), b'\\') => at += 1,
                (Some(q), b) if *b == q => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'')
                    if matches!(bytes.get(at.wrapping_sub(1)), Some(b' ' | b'[' | b'{' | b',' | b':')) =>
                {
                    quote = Some(*byte);
                }
                (None, b'[' | b'{') => deep += 1,
                (None, b']' | b'}') => {
                    deep -= 1;
                    if deep == 0 {
                        return Some(at + 1);
                    }
                }
                (None, b'#') if matches!(bytes.get(at.wrapping_sub(1)), Some(b' ' | b'\n')) => {
                    at = self.text().get(at..)?.find('\n')? + at;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Where a value begins. For faults, a list or map stands where its key does; here it is its own first byte.
    fn begins(&self, node: &Node, at: &DocPath) -> usize {
        let named = match at.segments().split_last() {
            Some((Segment::Key(key), before)) if !matches!(node, Node::Text { .. }) => rebuilt(before).name(key),
            _ => return self.source.span(at).0,
        };
        let (key, len) = self.source.span(&named);
        let after = self.text().get(key + len..).unwrap_or_default();
        let value = after.find(':').map_or(0, |colon| colon + 1);
        let rest = after.get(value..).unwrap_or_default();
        let from = key + len + value + rest.len() - rest.trim_start_matches(' ').len();
        match node {
            _ if self.is_flow(from) => from,
            Node::Map(entries) if !entries.is_empty() => {
                entries.iter().map(|(key, _)| self.source.span(&at.name(key)).0).min().unwrap_or(from)
            }
            // At its first dash.
            Node::List(items) if !items.is_empty() => self.starts(self.line_of(self.source.span(&at.index(0)).0)),
            // Nothing but keys without values.
            _ => {
                let line = |number: &usize| !self.source.line(*number).trim_start().starts_with('#');
                let first = (self.line_of(key) + 1..=self.source.line_count()).find(line);
                self.starts(first.unwrap_or_else(|| self.line_of(key)))
            }
        }
    }

    /// The first byte of a line that is no blank.
    fn starts(&self, line: usize) -> usize {
        let before: usize = self.text().split_inclusive('\n').take(line - 1).map(str::len).sum();
        before + indent_of(self.source.line(line))
    }

    fn is_flow(&self, from: usize) -> bool {
        matches!(self.text().as_bytes().get(from), Some(b'[' | b'{'))
    }

    /// The last line of a value that stands under a key or a dash.
    fn last_line(&self, node: &Node, at: &DocPath, head: usize) -> usize {
        let (from, len) = (self.begins(node, at), self.source.span(at).1);
        match node {
            Node::Text { text, .. } if text.is_empty() => head,
            // A text in a block goes on as long as it is deeper than its head.
            Node::Text { .. } => {
                let indent = indent_of(self.source.line(head));
                let mut last = self.line_of(from + len.saturating_sub(1)).max(head);
                let deeper = |line: &str| line.trim().is_empty() || indent_of(line) > indent;
                let block = self.source.line(head).trim_end().ends_with(['|', '>', '-', '+']);
                while block && last < self.source.line_count() && deeper(self.source.line(last + 1)) {
                    last += 1;
                }
                last
            }
            _ if self.is_flow(from) => self.closed(from).map_or(head, |end| self.line_of(end - 1)),
            Node::List(items) => items.last().map_or(head, |item| {
                let at = at.index(items.len() - 1);
                self.last_line(item, &at, self.line_of(self.source.span(&at).0))
            }),
            Node::Map(entries) => entries.last().map_or(head, |(key, value)| {
                let head = self.line_of(self.source.span(&at.name(key)).0);
                self.last_line(value, &at.key(key), head)
            }),
        }
    }

    fn spot(&self, path: &[String]) -> Spot {
        let Some((node, at)) = self.at(path) else {
            return self.bare(path).map_or(Spot::Missing, |line| Spot::Empty { line });
        };
        let from = self.begins(node, &at);
        let head = match path.split_last() {
            Some((key, before)) => {
                let around = self.at(before).map_or_else(DocPath::root, |(_, at)| at);
                self.line_of(self.source.span(&around.name(key)).0)
            }
            None => 1,
        };
        match node {
            Node::Text { .. } => Spot::Missing,
            _ if self.is_flow(from) => match self.closed(from) {
                Some(to) => Spot::Flow { from, to },
                None => Spot::Missing,
            },
            Node::List(_) => {
                let first = self.line_of(self.source.span(&at.index(0)).0);
                let indent = indent_of(self.source.line(first));
                Spot::Block { indent, last: self.last_line(node, &at, head) }
            }
            Node::Map(_) => {
                let last = self.last_line(node, &at, head).max(self.line_of(from));
                Spot::Block { indent: self.source.place_of(from).column - 1, last }
            }
        }
    }
}

/// A path from its parts.
fn rebuilt(parts: &[Segment]) -> DocPath {
    parts.iter().fold(DocPath::root(), |path, part| match part {
        Segment::Key(key) => path.key(key),
        Segment::Index(index) => path.index(*index),
        Segment::Name(key) => path.name(key),
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The text with a line put in after this one (from one).
fn with_line(text: &str, after: usize, line: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = format!("{line}\n");
    lines.insert(after.min(lines.len()), &line);
    lines.concat()
}

/// The text with a stretch of it replaced.
fn replaced(text: &str, from: usize, to: usize, by: &str) -> String {
    format!("{}{by}{}", text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default())
}

/// The text with the value of a key taken out, so that lines can stand below it.
fn emptied(text: &str, from: usize, to: usize) -> String {
    let before = text.get(..from).unwrap_or_default();
    let before = before.strip_suffix(' ').unwrap_or(before);
    format!("{before}{}", text.get(to..).unwrap_or_default())
}

/// Makes sure that there is a key at this path; it may be without a value.
fn ensure(text: String, path: &[String]) -> Result<String, String> {
    let Some((key, before)) = path.split_last() else { return Ok(text) };
    let doc = open(&text)?;
    if doc.at(path).is_some() || doc.bare(path).is_some() {
        return Ok(text);
    }
    let text = ensure(text, before)?;
    let doc = open(&text)?;
    if before.is_empty() {
        return Ok(with_line(&text, text.lines().count(), &format!("{key}:")));
    }
    match doc.spot(before) {
        Spot::Flow { from, to } => match doc.at(before) {
            Some((Node::Map(entries), _)) if entries.is_empty() => ensure(emptied(&text, from, to), path),
            Some((Node::Map(_), _)) => Ok(replaced(&text, to - 1, to - 1, &format!(", {key}: "))),
            _ => Err(format!("`{}` is not a map; write it as one first", before.join("."))),
        },
        Spot::Empty { line } => {
            let indent = indent_of(doc.source.line(line)) + 2;
            Ok(key_line(&doc, &text, line, indent, line, key))
        }
        Spot::Block { indent, last } => {
            let (_, at) = doc.at(before).ok_or(UNREADABLE)?;
            // For its faults a map stands where its key does.
            let head = doc.line_of(doc.source.span(&at).0);
            Ok(key_line(&doc, &text, head, indent, last, key))
        }
        Spot::Missing => Err(format!("`{}` is not a map; write it as one first", before.join("."))),
    }
}

/// Puts in a line for a key: where a remark stands for it (`# moves:`), otherwise after the last line.
fn key_line(doc: &Doc, text: &str, first: usize, indent: usize, last: usize, key: &str) -> String {
    for number in first + 1..=doc.source.line_count() {
        let line = doc.source.line(number);
        let bare = line.trim_start();
        if !bare.is_empty() && !bare.starts_with('#') && indent_of(line) < indent {
            break;
        }
        let Some(rest) = bare.strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix(key)) else {
            continue;
        };
        let Some(rest) = rest.strip_prefix(':').map(str::trim_start) else { continue };
        let rest = rest.strip_prefix("[]").or(rest.strip_prefix("{}")).unwrap_or(rest).trim_start();
        if indent_of(line) == indent && (rest.is_empty() || rest.starts_with('#')) {
            let start: usize = text.split_inclusive('\n').take(number - 1).map(str::len).sum();
            let rest = if rest.is_empty() { String::new() } else { format!("   {rest}") };
            return replaced(text, start, start + line.len(), &format!("{:indent$}{key}:{rest}", ""));
        }
    }
    with_line(text, last, &format!("{:indent$}{key}:", ""))
}

fn append(text: String, path: &[String], item: &str) -> Result<String, String> {
    let text = ensure(text, path)?;
    let doc = open(&text)?;
    match doc.spot(path) {
        Spot::Empty { line } => {
            let indent = indent_of(doc.source.line(line)) + 2;
            Ok(with_line(&text, line, &format!("{:indent$}- {item}", "")))
        }
        Spot::Flow { from, to } => match doc.at(path) {
            Some((Node::List(items), _)) if items.is_empty() => append(emptied(&text, from, to), path, item),
            Some((Node::Map(entries), _)) if entries.is_empty() => append(emptied(&text, from, to), path, item),
            Some((Node::List(_), _)) => Ok(replaced(&text, to - 1, to - 1, &format!(", {item}"))),
            _ => {
                let one = text.get(from..to).unwrap_or_default();
                Ok(replaced(&text, from, to, &format!("[{one}, {item}]")))
            }
        },
        Spot::Block { indent, last } => match doc.at(path) {
            Some((Node::List(_), _)) => Ok(with_line(&text, last, &format!("{:indent$}- {item}", ""))),
            _ => Err(format!("write `{}` as a list first", path.join("."))),
        },
        // A single name where a list may stand.
        Spot::Missing => {
            let (_, at) = doc.at(path).ok_or(UNREADABLE)?;
            let (from, len) = doc.source.span(&at);
            let one = text.get(from..from + len).unwrap_or_default();
            Ok(replaced(&text, from, from + len, &format!("[{one}, {item}]")))
        }
    }
}

fn set(text: String, path: &[String], key: &str, value: &str) -> Result<String, String> {
    let text = ensure(text, path)?;
    let doc = open(&text)?;
    let mut whole = path.to_vec();
    whole.push(key.to_owned());
    if let Some(line) = doc.bare(&whole) {
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let colon = text.get(start..).and_then(|rest| rest.find(':')).ok_or(UNREADABLE)?;
        return Ok(replaced(&text, start + colon + 1, start + colon + 1, &format!(" {value}")));
    }
    if let Some((node, at)) = doc.at(&whole) {
        let (from, len) = (doc.begins(node, &at), doc.source.span(&at).1);
        let (_, around) = doc.at(path).ok_or(UNREADABLE)?;
        let (name, _) = doc.source.span(&around.name(key));
        if doc.is_flow(from) && !matches!(node, Node::Text { .. }) {
            return Ok(replaced(&text, from, doc.closed(from).ok_or(UNREADABLE)?, value));
        }
        return match node {
            Node::Text { .. } => {
                let len = if matches!(doc.spot(path), Spot::Flow { .. }) { in_flow(&text, from, len) } else { len };
                Ok(replaced(&text, from, from + len, value))
            }
            // Lines below the key: the value takes their place.
            _ => {
                let head = doc.line_of(name);
                let last = doc.last_line(node, &at, head);
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                lines.drain(head..last.min(lines.len()));
                set(lines.concat(), path, key, value)
            }
        };
    }
    match doc.spot(path) {
        Spot::Empty { line } => {
            let indent = if path.is_empty() { 0 } else { indent_of(doc.source.line(line)) + 2 };
            Ok(with_line(&text, line, &format!("{:indent$}{key}: {value}", "")))
        }
        Spot::Flow { from, to } => match doc.at(path) {
            Some((Node::Map(entries), _)) if entries.is_empty() => {
                if path.is_empty() {
                    Err(UNREADABLE.to_owned())
                } else {
                    set(emptied(&text, from, to), path, key, value)
                }
            }
            Some((Node::List(items), _)) if items.is_empty() => set(emptied(&text, from, to), path, key, value),
            Some((Node::Map(_), _)) => Ok(replaced(&text, to - 1, to - 1, &format!(", {key}: {value}"))),
            _ => Err(format!("`{}` is not a map; write it as one first", path.join("."))),
        },
        Spot::Block { indent, last } => Ok(with_line(&text, last, &format!("{:indent$}{key}: {value}", ""))),
        Spot::Missing => Err(format!("`{}` is not a map; write it as one first", path.join("."))),
    }
}

/// How long a single value is that stands between brackets.
fn in_flow(text: &str, from: usize, len: usize) -> usize {
    let there = text.get(from..from + len).unwrap_or_default();
    if there.starts_with(['"', '\'']) {
        return len;
    }
    there.find([',', '}', ']']).map_or(len, |end| there.get(..end).unwrap_or_default().trim_end().len())
}

fn remove(text: String, path: &[String]) -> Result<String, String> {
    let doc = open(&text)?;
    let gone = || format!("there is no `{}`", path.join("."));
    let ((last, before), (node, at)) = (path.split_last().ok_or_else(gone)?, doc.at(path).ok_or_else(gone)?);
    let (around, around_at) = doc.at(before).ok_or_else(gone)?;
    let start = match around {
        Node::List(_) => doc.begins(node, &at),
        _ => doc.source.span(&around_at.name(last)).0,
    };
    if let Spot::Flow { from, to } = doc.spot(before) {
        // Everything between the brackets is written anew without it.
        let mut kept = around.clone();
        let change = Change::Remove { path: vec![last.clone()] };
        change.on_node(&mut kept).ok_or_else(gone)?;
        return Ok(replaced(&text, from, to, &crate::engine::submission::flow(&kept.to_json())));
    }
    let head = doc.line_of(start);
    let end = doc.last_line(node, &at, head);
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.drain(head - 1..end.min(lines.len()));
    Ok(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# head\ngame: x\norders:\n  # moves:   # in order\n  #   - {units: [a], to: HEX}\n  place:\n    a: 0101  # first\n    b: 0202\n  battles:\n    - target: 0303\n      from: [0101,\n        0102]\n  fire: []\n  held: {a: 0101, b: \"02 02\"}\n  one: {unit: a}\nstanding:\n  retreat: default   # as above\n  note: |\n    some\n    words\n# tail\n";

    fn words(path: &str) -> Vec<String> {
        path.split('.').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// The text changed says what the document changed says.
    fn agree(text: &str, change: &Change) -> String {
        let changed = change.on_text(text).unwrap_or_else(|why| panic!("{change:?}: {why}"));
        let mut node = open(text).expect("readable").node;
        change.on_node(&mut node).expect("a place for it");
        let read = open(&changed).unwrap_or_else(|why| panic!("{change:?}: {why}\n{changed}")).node;
        assert_eq!(plain(&read), plain(&node), "{change:?}\n{changed}");
        for remark in ["# head", "# first", "# as above", "# tail"] {
            assert!(
                !text.contains(remark) || changed.contains(remark) || matches!(change, Change::Remove { .. }),
                "{remark} is lost\n{changed}"
            );
        }
        changed
    }

    /// As data; an empty list or map says no more than nothing.
    fn plain(node: &Node) -> String {
        match node {
            Node::Map(entries) => {
                let told =
                    entries.iter().map(|(key, value)| (key, plain(value))).filter(|(_, value)| !value.is_empty());
                let mut list: Vec<String> = told.map(|(key, value)| format!("{key}={value}")).collect();
                list.sort();
                if list.is_empty() { String::new() } else { format!("{{{}}}", list.join(",")) }
            }
            Node::List(items) if items.is_empty() => String::new(),
            Node::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(",")),
            Node::Text { text, .. } => text.clone(),
        }
    }

    #[test]
    fn what_is_clicked_stands_in_the_text() {
        let item = "{units: [a, b], to: 0404}";
        for path in ["orders.moves", "orders.battles", "orders.fire", "orders.one", "orders.next.detach", "answers"] {
            let once = agree(FILE, &Change::Append { path: words(path), item: item.into() });
            let twice = agree(&once, &Change::Append { path: words(path), item: "{unit: c}".into() });
            assert!(twice.find("0404") < twice.find("unit: c"), "in the order they were clicked");
        }
        for (path, key) in [
            ("orders.place", "a"),
            ("orders.place", "c"),
            ("orders.held", "a"),
            ("orders.held", "b"),
            ("orders.held", "c"),
            ("orders.battles.0", "from"),
            ("orders.new", "a"),
            ("orders.battles", "0"),
            ("standing", "retreat"),
            ("policies", "losses"),
            ("", "note"),
            ("orders", "battles"),
        ] {
            if path == "orders.battles" {
                continue;
            }
            for value in ["0505", "[0505, 0506]"] {
                agree(FILE, &Change::Set { path: words(path), key: key.into(), value: value.into() });
            }
        }
        for path in
            ["orders.place.a", "orders.battles.0", "orders.held.b", "standing.retreat", "standing.note", "orders.one"]
        {
            agree(FILE, &Change::Remove { path: words(path) });
        }
    }

    #[test]
    fn a_key_takes_the_place_of_its_remark() {
        let text =
            Change::Append { path: words("orders.moves"), item: "{unit: a}".into() }.on_text(FILE).expect("good");
        assert!(text.contains("  moves:   # in order\n    - {unit: a}\n  #   - {units: [a], to: HEX}\n"), "{text}");
    }

    #[test]
    fn an_empty_packet_can_be_written_into() {
        for text in
            ["orders: {}\n", "orders:\n", "orders:\n  # nothing yet\n", "game: x", "orders: {}  # none\nnote: y\n"]
        {
            agree(text, &Change::Append { path: words("orders.moves"), item: "{unit: a}".into() });
            agree(text, &Change::Set { path: words("orders.place"), key: "a".into(), value: "0101".into() });
        }
    }

    #[test]
    fn what_cannot_be_changed_is_left_alone() {
        let append = Change::Append { path: words("orders.moves"), item: "{unit: a}".into() };
        for text in ["orders: [", "\u{0}", "orders: word\n", "orders: [a]\n"] {
            assert!(append.on_text(text).is_err(), "{text:?}");
        }
        assert!(Change::Remove { path: words("orders.moves.7") }.on_text(FILE).is_err());
        assert!(Change::Remove { path: Vec::new() }.on_text(FILE).is_err());
    }
}
