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

#[test]
fn a_wide_line_of_markdown_is_found() {
    let wide = format!("{} {}", sentence(12), sentence(12));
    assert_eq!(findings("a.md", &wide).len(), 1);
    assert_eq!(findings("a.md", &format!("| {wide} |")), []);
    assert_eq!(findings("a.md", &format!("```\n{wide}\n```")), []);
    assert_eq!(findings("a.md", &format!("[a page]({}.md) of it", "x".repeat(100))), []);
}

#[test]
fn the_lists_are_sorted_and_complete() {
    assert!(banned(BANNED).iter().all(|(words, instead)| !words.is_empty() && instead.len() > 1));
    let exempt: Vec<&str> = entries(EXEMPT).collect();
    assert!(exempt.is_sorted(), "prose_exempt.txt is sorted");
}
