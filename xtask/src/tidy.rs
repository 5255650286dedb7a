//! The mechanical rules of STYLE.md, as functions from a file's text to its violations.
//!
//! Rules that need judgment are not here; they are for the reader of a change.

mod prose;

use crate::layers::{Layer, crates};
use crate::workspace;
use std::fs;
use std::path::Path;

/// Columns of a line of code.
const COLUMNS: usize = 100;
/// Lines of a source file that gives no reason for more.
const LINES: usize = 800;
/// Bytes of a tracked file: a clone stays small.
const FILE_BYTES: u64 = 1 << 20;
/// Highest pure layer: no I/O, environment, globals, threads or clocks.
const PURE: u8 = 3;

/// Words that are too vague for the names of this project's items (STYLE.md has better ones).
/// MPI's names keep MPI's words, so the crates that declare them are exempt.
const VAGUE: [&str; 10] =
    ["server", "manager", "handler", "helper", "util", "utils", "info", "device", "vertex", "misc"];
const MPI_WORDS: [&str; 2] = ["crates/mpiabi/", "crates/mpifort/"];

/// Modules that pure layers may not use. `clippy.toml` forbids single items, and sees through
/// renames.
const IMPURE: [&str; 9] = [
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "std::os",
    "thread_local!",
];

/// Every violation in the tree, one line each: `path:line: what`.
pub fn violations() -> Vec<String> {
    let mut found = Vec::new();
    let files = workspace::files();
    let pure = pure_crates();
    for path in &files {
        let bytes = fs::read(workspace::root().join(path)).unwrap_or_default();
        if bytes.len() as u64 > FILE_BYTES {
            found.push(format!("{path}: {} bytes; tracked files stay below 1 MiB", bytes.len()));
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let say = |(line, what): (usize, String)| format!("{path}:{line}: {what}");
        found.extend(any_text(path, &text).into_iter().map(say));
        if path.ends_with(".rs") {
            found.extend(rust(path, &text).into_iter().map(say));
            if pure.iter().any(|dir| path.starts_with(&format!("{dir}src/"))) {
                found.extend(pure_layer(&text).into_iter().map(say));
            }
            let read = |path: &str| fs::read_to_string(workspace::root().join(path)).ok();
            found.extend(unlisted_test(path, read).into_iter().map(say));
        }
        if path.ends_with(".md") {
            found.extend(links(&text, |to| resolves(path, to)).into_iter().map(say));
        } else {
            let exists = |page: &str| workspace::root().join(page).exists();
            found.extend(pages_named(&text, exists).into_iter().map(say));
        }
        if path.ends_with("Cargo.toml") {
            found.extend(manifest(path, &text).into_iter().map(say));
        }
    }
    let architecture = fs::read_to_string(workspace::root().join("ARCHITECTURE.md"));
    let exists = |p: &str| workspace::root().join(p).exists();
    found.extend(
        paths_named(&architecture.unwrap_or_default(), exists)
            .into_iter()
            .map(|(line, what)| format!("ARCHITECTURE.md:{line}: {what}")),
    );
    found.extend(clippy_lists());
    found.extend(prose::violations());
    found
}

pub use prose::print as print_prose;

/// A finding: its line, counted from 1, and what is wrong.
type Findings = Vec<(usize, String)>;

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}

/// Rules for every text file.
fn any_text(path: &str, text: &str) -> Findings {
    let mut found = Vec::new();
    let tabs_belong = path.ends_with("Makefile") || path.ends_with(".tsv");
    let lock = path.ends_with(".lock");
    // Split, so that this file does not violate its own rules.
    let machine_paths =
        ["/wo\u{72}k/", "/fa\u{72}m/", "/ro\u{6f}t/", "/ho\u{6d}e/", "/Use\u{72}s/"];
    let registries = [
        concat!("crates", ".io"),
        concat!("py", "pi.org"),
        concat!("python", "hosted.org"),
        concat!("npm", "js."),
        concat!("proxy.", "golang"),
        concat!("maven", ".apache"),
        concat!("deb.", "debian"),
    ];
    let code = [".rs", ".py", ".pyi"].iter().any(|end| path.ends_with(end));
    for (n, line) in lines(text) {
        let columns = line.chars().count();
        if code && columns > COLUMNS {
            found.push((n, format!("{columns} columns; at most {COLUMNS}")));
        }
        if !tabs_belong && line.contains('\t') {
            found.push((n, "a tab; indent with spaces".into()));
        }
        if line.ends_with([' ', '\t']) && !path.ends_with(".svg") {
            found.push((n, "blanks at the end of the line".into()));
        }
        if let Some(c) = line.chars().find(|c| "\u{2018}\u{2019}\u{201c}\u{201d}".contains(*c)) {
            found.push((n, format!("`{c}`; quotes are ' and \"")));
        }
        if let Some(p) = machine_paths.iter().find(|p| line.contains(**p)) {
            found.push((n, format!("`{p}`: a path of one machine")));
        }
        if !lock && let Some(r) = registries.iter().find(|r| line.contains(**r)) {
            found.push((n, format!("`{r}`: the host of a package registry")));
        }
    }
    found
}

/// In crates whose tests are one program (`tests/all.rs`), a file that is not a module of it would
/// never run.
fn unlisted_test(path: &str, read: impl Fn(&str) -> Option<String>) -> Option<(usize, String)> {
    let (crate_, file) = path.strip_suffix(".rs")?.split_once("/tests/")?;
    let all = read(&format!("{crate_}/tests/all.rs"))?;
    let is_listed = file.contains('/') || all.lines().any(|line| line == format!("mod {file};"));
    (file != "all" && !is_listed).then(|| (1, "not a module of tests/all.rs: it never runs".into()))
}

/// Rules for Rust sources.
fn rust(path: &str, text: &str) -> Findings {
    let mut found = Vec::new();
    let mut top = text.lines().skip_while(|l| l.trim().is_empty());
    let mut first = top.next().unwrap_or_default();
    let reason = first.strip_prefix("// long: ").is_some_and(|r| !r.trim().is_empty());
    if reason {
        first = top.next().unwrap_or_default();
    }
    if !first.starts_with("//! ") {
        found.push((1, "no front page: begin with `//!` and the purpose of the file".into()));
    }
    let length = text.lines().count();
    if length > LINES && !reason {
        let what = format!("{length} lines; split it, or begin with `// long: ` and the reason");
        found.push((1, what));
    }
    // Split for the same reason as above.
    let stubs = [concat!("todo", "!"), concat!("unimplemented", "!"), concat!("#[", "ignore")];
    for (n, line) in lines(text) {
        if let Some(s) = stubs.iter().find(|s| line.contains(**s)) {
            found.push((n, format!("`{s}`: a stub or a test switched off")));
        }
        if !MPI_WORDS.iter().any(|dir| path.starts_with(dir))
            && let Some(name) = declared(line)
            && let Some(word) = words(name).into_iter().find(|w| VAGUE.contains(&w.as_str()))
        {
            found.push((n, format!("`{name}`: `{word}` is too vague; see STYLE.md")));
        }
    }
    found
}

/// The name of the item a line declares, if it declares one.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "pub" | "pub(crate)" | "pub(super)" | "async" | "unsafe" | "extern" | "\"C\"" => {}
            "const" if words.peek() == Some(&"fn") => {}
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "mod" | "const" | "static" => {
                let name = words.next()?;
                let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
                return Some(&name[..end.unwrap_or(name.len())]);
            }
            _ => return None,
        }
    }
    None
}

/// The words of a name: `LinkId`, `link_id` and `LINK_ID` are all `link`, `id`.
fn words(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in name.split('_') {
        let shouted = !part.chars().any(char::is_lowercase);
        let mut word = String::new();
        for c in part.chars() {
            if c.is_uppercase() && !shouted && !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        }
        out.push(word);
    }
    out
}

/// Directories, each with a final `/`, of the crates of pure layers.
fn pure_crates() -> Vec<String> {
    let low = |layer| matches!(layer, Some(Layer::At(n)) if n <= PURE);
    crates().iter().filter(|c| low(c.layer)).map(|c| format!("crates/{}/", c.name)).collect()
}

/// Rules for pure layers: a run is a function of its inputs.
fn pure_layer(text: &str) -> Findings {
    let mut found = Vec::new();
    for (n, line) in lines(text) {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(what) = IMPURE.iter().find(|w| code.contains(**w)) {
            found.push((n, format!("`{what}` in a pure layer (0 to {PURE})")));
        }
        let words: Vec<&str> = code.split_whitespace().collect();
        let held = words
            .iter()
            .position(|w| *w == "static")
            .filter(|&i| i == 0 || words[..i].iter().all(|w| w.starts_with("pub")));
        if held.is_some() {
            found.push((n, "a global in a pure layer: use `const` or a field".into()));
        }
    }
    found
}

/// Checks that the pure crates share one list of forbidden items, and that no other crate has it.
fn clippy_lists() -> Vec<String> {
    let list = fs::read_to_string(workspace::root().join("crates/base/clippy.toml"));
    let Ok(list) = list else { return vec!["crates/base/clippy.toml: missing".into()] };
    let pure = pure_crates();
    let mut found = Vec::new();
    for each in crates() {
        let dir = format!("crates/{}/", each.name);
        let path = format!("{dir}clippy.toml");
        let own = fs::read_to_string(workspace::root().join(&path)).ok();
        if pure.contains(&dir) && own.as_ref() != Some(&list) {
            found
                .push(format!("{path}: layers 0 to {PURE} share crates/base/clippy.toml; link it"));
        }
        if !pure.contains(&dir) && own.as_ref() == Some(&list) {
            found.push(format!("{path}: this list is for layers 0 to {PURE} only"));
        }
    }
    found
}

/// Rules for manifests: versions are in the root manifest only, each with its reason.
fn manifest(path: &str, text: &str) -> Findings {
    let mut found = Vec::new();
    let mut section = "";
    for (n, line) in lines(text) {
        let line = line.trim();
        if line.starts_with('[') {
            section = line;
        } else if section == "[workspace.dependencies]" && line.contains('=') {
            let reason = line.split_once('#').is_some_and(|(_, r)| r.trim().len() > 10);
            if !reason && !line.contains("path =") && !line.starts_with('#') {
                found.push((n, "a dependency without its reason beside it".into()));
            }
        } else if path != "Cargo.toml"
            && section.trim_end_matches(']').ends_with("dependencies")
            && line.contains('=')
            && !line.starts_with('#')
            && !line.contains("workspace = true")
        {
            found.push((n, "a version outside the root manifest; use `.workspace = true`".into()));
        }
    }
    found
}

/// Links of a Markdown page to files that do not exist. `resolves` is called for each target that
/// is neither a URL nor an anchor of the same page.
fn links(text: &str, resolves: impl Fn(&str) -> bool) -> Findings {
    let mut found = Vec::new();
    for ((n, line), part) in lines(text).zip(prose::parts(text.lines())) {
        if part == prose::Part::Fenced {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', ' ', '#']).next().unwrap_or_default();
            let away = target.contains("://") || target.starts_with("mailto:");
            if !target.is_empty() && !away && !resolves(target) {
                found.push((n, format!("a link to `{target}`, which does not exist")));
            }
        }
    }
    found
}

/// Pages of `docs/` that sources and machine files cite and that do not exist.
fn pages_named(text: &str, exists: impl Fn(&str) -> bool) -> Findings {
    let mut found = Vec::new();
    for (n, line) in lines(text) {
        for (at, _) in line.match_indices("docs/") {
            let page = &line[at..];
            let end = page.find(|c: char| !c.is_alphanumeric() && !"/._-".contains(c));
            let page = page[..end.unwrap_or(page.len())].trim_end_matches('.');
            if page.ends_with(".md") && !exists(page) {
                found.push((n, format!("`{page}` does not exist")));
            }
        }
    }
    found
}

fn resolves(page: &str, target: &str) -> bool {
    let dir = Path::new(page).parent().unwrap_or(Path::new(""));
    workspace::root().join(dir).join(target).exists()
}

/// Paths in backquotes below one of the project's directories that do not exist.
fn paths_named(text: &str, exists: impl Fn(&str) -> bool) -> Findings {
    let roots = [
        "conformance/",
        "crates/",
        "docs/",
        "examples/",
        "fuzz/",
        "machines/",
        "python/",
        "testdata/",
        "validation/",
        "xtask/",
    ];
    let mut found = Vec::new();
    for (n, line) in lines(text) {
        for path in line.split('`').skip(1).step_by(2) {
            let plain = !path.contains(['*', '<', ' ', '{']);
            if plain && roots.iter().any(|r| path.starts_with(r)) && !exists(path) {
                found.push((n, format!("`{path}` does not exist")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
