//! The tree follows every mechanical rule, and each rule finds its violation.

use super::*;

#[test]
fn the_tree_is_tidy() {
    let found = violations();
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

/// Texts that violate one rule each, and a word of the finding.
#[test]
fn every_rule_for_rust_finds_its_violation() {
    let long_file = format!("//! Page.\n{}", "// x\n".repeat(LINES));
    for (text, word) in [
        ("fn main() {}\n", "front page"),
        (long_file.as_str(), "lines"),
        (concat!("//! Page.\nfn f() { todo", "!() }\n"), "stub"),
        (concat!("//! Page.\n#[", "ignore]\nfn f() {}\n"), "stub"),
        ("//! Page.\npub(crate) struct LinkManager {}\n", "manager"),
        ("//! Page.\npub const fn rank_info() {}\n", "info"),
    ] {
        let found = rust("crates/base/src/x.rs", text);
        assert_eq!(found.len(), 1, "{text:.60} gave {found:?}");
        assert!(found[0].1.contains(word), "{found:?} should contain {word}");
    }
}

#[test]
fn a_test_file_outside_of_the_program_is_found() {
    let all = |_: &str| Some("//! All.\nmod common;\nmod jobs;\n".to_string());
    let found = |path: &str| unlisted_test(path, all).is_some();
    assert!(found("crates/sim/tests/limits.rs"));
    for path in ["jobs", "all", "common/mod"] {
        assert!(!found(&format!("crates/sim/tests/{path}.rs")), "{path}");
    }
    assert!(!found("crates/sim/src/jobs.rs"));
    assert_eq!(unlisted_test("crates/live/tests/memory.rs", |_| None), None);
}

#[test]
fn a_reason_on_top_excuses_a_long_file() {
    let body = "// x\n".repeat(LINES);
    assert_eq!(rust("a.rs", &format!("// long: one table.\n//! Page.\n{body}")), []);
    assert_eq!(rust("a.rs", &format!("// long: \n//! Page.\n{body}")).len(), 2);
}

#[test]
fn every_rule_for_text_finds_its_violation() {
    let long_line = "x".repeat(COLUMNS + 1);
    for (text, word) in [
        ("a\tb", "tab"),
        ("a ", "blanks"),
        (long_line.as_str(), "columns"),
        ("\u{201c}a\u{201d}", "quotes"),
        ("cd /ho\u{6d}e/me", "one machine"),
        (concat!("see https://crates", ".io/x"), "registry"),
    ] {
        let found = any_text("a.py", text);
        assert_eq!(found.len(), 1, "{text:?} gave {found:?}");
        assert!(found[0].1.contains(word), "{found:?} should contain {word}");
    }
    assert_eq!(any_text("a.md", &long_line), []);
    assert_eq!(any_text("Makefile", "\tcargo x demo"), []);
}

#[test]
fn impure_code_is_found() {
    for text in [
        "use std::time::Instant;",
        "let v = std::env::var(\"X\");",
        "std::thread::spawn(|| {});",
        "pub static COUNT: AtomicU32 = AtomicU32::new(0);",
        "thread_local! { static X: u32 = 0; }",
    ] {
        assert!(!pure_layer(text).is_empty(), "{text}");
    }
    for text in ["// std::env is forbidden", "fn f(name: &'static str) {}", "const N: u32 = 1;"] {
        assert_eq!(pure_layer(text), [], "{text}");
    }
}

#[test]
fn names_are_split_into_words() {
    assert_eq!(words("LinkManager"), ["link", "manager"]);
    assert_eq!(words("link_info"), ["link", "info"]);
    assert_eq!(words("MAX_UTIL"), ["max", "util"]);
    assert_eq!(words("LogGpNetwork"), ["log", "gp", "network"]);
    assert_eq!(declared("    pub const fn span(self) -> Span {"), Some("span"));
    assert_eq!(declared("pub unsafe extern \"C\" fn go() {"), Some("go"));
    assert_eq!(declared("impl<T> Queue<T> {"), None);
    assert_eq!(declared("let manager = 1;"), None);
}

#[test]
fn manifests_links_and_paths_are_checked() {
    let root = "[workspace.dependencies]\na = { path = \"a\" }\nb = \"1\" # parses machine files\n";
    assert_eq!(manifest("Cargo.toml", root), []);
    assert_eq!(manifest("Cargo.toml", "[workspace.dependencies]\nb = \"1\"\n").len(), 1);
    assert_eq!(manifest("crates/a/Cargo.toml", "[dependencies]\nb = \"1\"\n").len(), 1);
    assert_eq!(manifest("crates/a/Cargo.toml", "[dependencies]\nb.workspace = true\n"), []);

    let page = "[a](there.md) [b](gone.md#x) [c](https://x.org/y) [d](#here)\n```\n[e](no)\n```\n";
    assert_eq!(links(page, |to| to == "there.md").len(), 1);
    let page = "<!--\n```\n-->\n[a](gone.md)\n";
    assert_eq!(links(page, |_| false).len(), 1);

    let page = "`crates/base` `crates/attic` `crates/*/src` `Cargo.toml` `x crates/no`";
    assert_eq!(paths_named(page, |p| p == "crates/base").len(), 1);

    // Split, so that this line names no page itself.
    let source = concat!("//! Derived in doc", "s/models/x.md, limits in doc", "s/models/y.md.");
    assert_eq!(pages_named(source, |p| p.ends_with("x.md")).len(), 1);
}
