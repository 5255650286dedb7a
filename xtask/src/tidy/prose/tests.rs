//! Planted faults are found at their lines, and what is no prose is left alone.

use super::*;

fn findings(path: &str, text: &str) -> Findings {
    check(path, text, &banned("somebody: the user\nbusy day: the condition\n"))
}

fn sentence(words: usize) -> String {
    vec!["word"; words].join(" ") + "."
}

#[test]
fn a_long_sentence_is_found_in_every_kind_of_prose() {
    let long = sentence(50);
    for (path, text, line) in [
        ("a.md", format!("# Page\n\nShort. {}\n", wrapped(&long)), 3),
        ("a.md", format!("| a | b |\n|---|---|\n| x | {long} |\n"), 3),
        ("a.md", format!("- one\n- {}\n", wrapped(&long)), 2),
        ("a.rs", format!("//! Page.\n\n/// Short.\n/// {long}\nfn f() {{}}\n"), 4),
        ("a.rs", format!("fn f() {{\n    let x = \"//\"; // {long}\n}}\n"), 2),
        ("a.py", format!("x = 1\n\n# {long}\n"), 3),
        ("a.py", format!("def f():\n    \"\"\"Short.\n\n    {long}\n    \"\"\"\n"), 4),
        ("a.py", format!("option(\"-x\", help=(\n    \"Short. \"\n    \"{long}\"))\n"), 3),
    ] {
        let found = findings(path, &text);
        assert_eq!(found.len(), 1, "{text} gave {found:?}");
        assert_eq!(found[0].0, line, "{text} gave {found:?}");
        assert!(found[0].1.contains("50 words"), "{found:?}");
    }
}

/// A long sentence on lines that are short enough.
fn wrapped(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split(' ').collect();
    words.chunks(10).map(|c| c.join(" ")).collect::<Vec<_>>().join("\n  ")
}

#[test]
fn a_sentence_of_the_longest_length_passes() {
    assert_eq!(findings("a.rs", &format!("//! {} {}\n", sentence(WORDS), sentence(WORDS))), []);
    // Joined by an abbreviation, two of them are one.
    let joined = format!("//! {} e.g. {}\n", sentence(20).trim_end_matches('.'), sentence(20));
    assert_eq!(findings("a.rs", &joined).len(), 1);
}

#[test]
fn a_banned_word_is_found_with_its_replacement() {
    for (path, text, line) in [
        ("a.md", "Fine.\nHere Somebody's flow\nends.\n", 2),
        ("a.md", "| a | somebody |\n", 1),
        ("a.md", "[somebody](there.md) ends.\n", 1),
        ("a.rs", "//! Page.\nfn f() {} // for somebody\n", 2),
        ("a.py", "x = f(help=\"For \\\"somebody\\\".\")\n", 1),
        ("a.py", "class A:\n    'For somebody.'\n", 2),
        ("crates/a/Cargo.toml", "[dependencies]\nb = \"1\" # for somebody\n", 2),
        ("Makefile", "# For somebody.\nall:\n\tmake b\n", 1),
    ] {
        let found = findings(path, text);
        assert_eq!(found.len(), 1, "{text} gave {found:?}");
        assert_eq!(found[0].0, line, "{text} gave {found:?}");
        assert!(found[0].1.contains("`somebody`: write the user"), "{found:?}");
    }
    assert_eq!(findings("a.md", "On a busy\nday.\n").len(), 1);
}

#[test]
fn code_strings_and_targets_of_links_are_no_prose() {
    let long = sentence(50);
    for (path, text) in [
        ("a.md", format!("```\n{long} somebody\n```\nA `somebody here` and [it](somebody.md).\n")),
        ("a.md", format!("Text:\n\n    {long}\n")),
        ("a.md", wrapped(&sentence(50).replace("word", "MPI_Send"))),
        ("a.rs", format!("//! Page.\nconst X: &str = \"// somebody {long}\";\n")),
        ("a.rs", "//! Page.\nconst X: &str = r#\"a\"// somebody\"#;\n".into()),
        ("a.rs", "//! Page.\nfn f<'a>(c: char) -> bool { c == '\"' } // fine\n".into()),
        ("a.py", {
            let part = sentence(20).replace('.', "");
            format!("o(help=\"{part}\")\no(help=(\"{part} \"\n\"one.\"))\n")
        }),
        ("a.py", format!("x = \"# somebody\"\nfail('{long}')\n")),
        ("a.py", "def f():\n    \"\"\"Fine.\n\n    \\b\n    somebody\n    \"\"\"\n".into()),
    ] {
        assert_eq!(findings(path, &text), [], "{text}");
    }
}

/// A name's initial, an abbreviation in the middle, and one at the end.
#[test]
fn abbreviations_end_a_sentence_only_before_a_capital() {
    let half = sentence(20).replace('.', "");
    for (between, sentences) in [
        ("etc.", 1),
        ("etc. The", 2),
        ("et al. showed", 1),
        ("et al. The", 2),
        ("e.g. MPI", 1),
        ("in no. 5", 1),
        ("is no. The", 2),
        ("by J. Kim", 1),
        ("of 8 B. The", 2),
        ("of 8 MB. the", 2),
    ] {
        let found = findings("a.md", &wrapped(&format!("{half} {between} {half}.\n")));
        assert_eq!(found.len(), 2 - sentences, "{between}: {found:?}");
    }
}

#[test]
fn comments_beside_code_are_separate() {
    let half = sentence(20).replace('.', "");
    // Each line has its own comment.
    for next in [format!("let b = 2; // {half}"), format!("// {half}")] {
        assert_eq!(findings("a.rs", &format!("//! Page.\nlet a = 1; // {half}\n{next}\n")), []);
    }
    assert_eq!(findings("a.py", &format!("a = 1  # {half}\n# {half}\nb = 2  # {half}\n")), []);
    // A continuation in the same column.
    let continued = format!("//! Page.\nlet a = 1; // {half}\n           // {half}\n");
    assert_eq!(findings("a.rs", &continued).len(), 1);
    assert_eq!(findings("a.py", &format!("a = 1  # {half}\n       # {half}\n")).len(), 1);
}

#[test]
fn a_fence_in_a_comment_opens_no_code() {
    let page = "<!-- shown as\n```\n-->\nHere somebody's flow ends.\n";
    assert_eq!(findings("a.md", page).len(), 1);
    let page = "```\n<!--\n```\nHere somebody's flow ends.\n";
    assert_eq!(findings("a.md", page).len(), 1);
    assert_eq!(findings("a.md", "<!-- for somebody\n```\nsomebody\n```\n-->\nFine.\n"), []);
}

#[test]
fn string_literals_of_help_tables_are_prose() {
    let long = sentence(50);
    let (first, second) = long.split_at(100);
    let rust = format!("//! Page.\nf(\n    \"{first}\\\n     {second}\");\n");
    let python = format!("x = O(\n    \"run bench\", \"n\",\n    \"{first}\"\n    \"{second}\")\n");
    for (path, text, line) in [
        ("crates/api/src/vocabulary/options.rs", &rust, 3),
        ("crates/machine/src/schema.rs", &rust, 3),
        ("python/odonata/_vocabulary.py", &python, 3),
    ] {
        let found = findings(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert_eq!(found[0].0, line, "{path}: {found:?}");
    }
    assert_eq!(findings("a.rs", &rust), []);
    assert_eq!(findings("a.py", &python), []);
}

#[test]
fn paths_without_prose_are_named() {
    let paths = |all: &[&str]| all.iter().map(|p| p.to_string()).collect::<Vec<_>>();
    let files = paths(&["Cargo.lock", "crates/base/src/lib.rs", "pages/a.md", "pages2/b.md"]);
    let chosen = |given: &[&str]| chosen(files.clone(), &paths(given));
    assert_eq!(
        chosen(&["pages", "./crates/"]),
        Ok(paths(&["crates/base/src/lib.rs", "pages/a.md"]))
    );
    assert_eq!(chosen(&[]), chosen(&["."]));
    let wrong = ["WRONG/PATH", "page", "Cargo.lock"];
    assert_eq!(chosen(&["pages/a.md", "WRONG/PATH", "page", "Cargo.lock"]), Err(paths(&wrong)));
}

#[test]
fn a_wide_line_of_markdown_is_found() {
    let wide = format!("{} {}", sentence(12), sentence(12));
    assert_eq!(findings("a.md", &wide).len(), 1);
    assert_eq!(findings("a.md", &format!("| {wide} |")), []);
    assert_eq!(findings("a.md", &format!("```\n{wide}\n```")), []);
    assert_eq!(findings("a.md", &format!("[a page]({}.md) of it", "x".repeat(100))), []);
}

#[test]
fn every_banned_word_has_a_replacement() {
    assert!(banned(BANNED).iter().all(|(words, instead)| !words.is_empty() && instead.len() > 1));
}
