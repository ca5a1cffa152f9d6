//! Makes our own data files ready while the program is built, so that no start of it has to read them as YAML: each
//! becomes a tree of texts, `OUT_DIR/<game>/<file>`, in the form that `engine/doc/tree.rs` describes and reads.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for game in fs::read_dir("src/games")? {
        let game = game?;
        let data = game.path().join("data");
        if !data.is_dir() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", data.display());
        let trees = out.join(game.file_name());
        fs::create_dir_all(&trees)?;
        for file in fs::read_dir(&data)? {
            let file = file?;
            if file.path().extension().is_some_and(|extension| extension == "yaml") {
                fs::write(trees.join(file.file_name()), tree(&file.path())?)?;
            }
        }
    }
    Ok(())
}

fn tree(file: &Path) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let mut parser = Parser::new_from_str(&text);
    let mut tree = String::new();
    loop {
        match parser.next_token().map_err(|broken| format!("{}: {broken}", file.display()))?.0 {
            Event::SequenceStart(..) => tree.push('['),
            Event::SequenceEnd => tree.push(']'),
            Event::MappingStart(..) => tree.push('{'),
            Event::MappingEnd => tree.push('}'),
            Event::Scalar(text, style, ..) => {
                let kind = if style == TScalarStyle::Plain { 'p' } else { 'q' };
                write!(tree, "{kind}{}:{text}", text.len())?;
            }
            Event::StreamEnd => return Ok(tree),
            _ => {}
        }
    }
}
