//! Documents of ours in the form they have inside the program: `src/build.rs` makes it from their YAML.
//!
//! A list is its items in brackets, a map its keys and values by turns in braces. A text is `p` (plain) or `q` (quoted),
//! its length in bytes, a colon, and the text.

use super::node::Node;

/// What a tree says, if it is one.
pub fn read_tree(tree: &str) -> Option<Node> {
    let mut rest = tree;
    node(&mut rest).filter(|_| rest.is_empty())
}

fn node(rest: &mut &str) -> Option<Node> {
    let kind = rest.chars().next()?;
    *rest = &rest[kind.len_utf8()..];
    match kind {
        '[' => {
            let mut items = Vec::new();
            while !ends(rest, ']') {
                items.push(node(rest)?);
            }
            Some(Node::List(items))
        }
        '{' => {
            let mut entries = Vec::new();
            while !ends(rest, '}') {
                let Node::Text { text, .. } = node(rest)? else {
                    return None;
                };
                entries.push((text, node(rest)?));
            }
            Some(Node::Map(entries))
        }
        'p' | 'q' => {
            let (length, after) = rest.split_once(':')?;
            let (text, after) = after.split_at_checked(length.parse().ok()?)?;
            *rest = after;
            Some(Node::Text { text: text.to_owned(), quoted: kind == 'q' })
        }
        _ => None,
    }
}

fn ends(rest: &mut &str, bracket: char) -> bool {
    match rest.strip_prefix(bracket) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_whole_or_not_at_all() {
        let text = |text: &str, quoted| Node::Text { text: text.to_owned(), quoted };
        let whole = Node::Map(vec![
            ("hex".to_owned(), text("08:16", true)),
            ("to".to_owned(), Node::List(vec![text("é", false), Node::List(Vec::new())])),
        ]);
        let tree = "{p3:hexq5:08:16p2:to[p2:é[]]}";
        assert_eq!(read_tree(tree), Some(whole));
        for end in (0..tree.len()).filter(|end| tree.is_char_boundary(*end)) {
            assert_eq!(read_tree(&tree[..end]), None, "cut at {end}");
        }
        for wrong in ["p1:ab", "p9:a", "p1:é", "x", "{[]p1:a}", "pz:a"] {
            assert_eq!(read_tree(wrong), None, "{wrong}");
        }
    }
}
