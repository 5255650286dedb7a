//! Tests of the module rule with small planted crates.

use super::*;

/// The cycles of a crate, as names of files, and their dependencies.
fn cycles_of(files: &[(&str, &str)]) -> (Vec<Vec<String>>, Vec<String>) {
    let read = |path: &str| {
        let path = path.strip_prefix("src/")?;
        files.iter().find(|f| f.0 == path).map(|f| f.1.to_string())
    };
    let found = cycles(&ModuleTree::new("src/lib.rs", &read));
    let name = |path: &String| path.trim_start_matches("src/").to_string();
    let members = found.iter().map(|cycle| cycle.files.iter().map(name).collect()).collect();
    (members, found.into_iter().flat_map(|cycle| cycle.dependencies).collect())
}

fn assert_cycles(files: &[(&str, &str)], expected: &[&[&str]]) {
    let (found, dependencies) = cycles_of(files);
    assert_eq!(found, expected, "{dependencies:?}");
}

#[test]
fn the_workspace_has_the_recorded_cycles() {
    assert!(crates().len() > 10, "the manifests of the whole workspace are found");
    let found = violations();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_kind_of_path_is_a_dependency() {
    let uses_b = [
        "use crate::b::f;",
        "use crate::b::{self, f};",
        "use super::b as other; pub fn call() { other::f() }",
        "use crate::*; pub fn call() { b::f() }",
        "pub fn call() { crate::b::f() }",
        "pub fn call() { use crate::b; b::f() }",
        "pub type T = Vec<super::b::B>;",
        "macro_rules! call { () => { $crate::b::f() } }",
        "pub fn call<'a>(_: &'a str) -> char { crate::b::f(); 'b' }",
        "#[derive(Clone)] pub struct A { pub b: crate::b::B }",
        "mod inner { pub fn call() { super::super::b::f() } }",
    ];
    for text in uses_b {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", text),
            ("b.rs", "pub struct B; pub fn f() { crate::a::call() }"),
        ];
        assert_cycles(&files, &[&["a.rs", "b.rs"]]);
    }
}

#[test]
fn other_text_is_no_dependency() {
    let no_use_of_b = [
        "// use crate::b::f;",
        "/* use /* nested */ crate::b::f; */",
        "pub fn call() -> &'static str { \"crate::b::f()\" }",
        "pub fn call() -> &'static str { r#\"\" crate::b::f() \"#  }",
        "#[cfg(test)] mod tests { use crate::b::f; }",
        "#[cfg(test)] #[allow(unused)] use crate::b::f; pub fn call() {}",
        "pub fn call(b: B) { b.f(); }",
        "pub use crate::b::f; pub fn call() {}",
        "use std::b::f; use ::b::f as g;",
    ];
    for text in no_use_of_b {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", text),
            ("b.rs", "pub struct B; pub fn f() { crate::a::call() }"),
        ];
        assert_cycles(&files, &[]);
    }
}

#[test]
fn a_re_export_leads_to_the_file_that_defines_the_item() {
    let root = "mod a; mod b; pub use a::A; pub use b::*;";
    let files = [
        ("lib.rs", root),
        ("a.rs", "use crate::B; pub struct A(B);"),
        ("b.rs", "use crate::A; pub struct B(Box<A>);"),
    ];
    assert_cycles(&files, &[&["a.rs", "b.rs"]]);
    // `c` uses a name of `a` whose item is in `d`, so nothing leads back to `c`.
    let files = [
        ("lib.rs", "mod a; mod c;"),
        ("a.rs", "mod d; pub use d::D; use crate::c::C; pub struct A(C);"),
        ("a/d.rs", "pub struct D;"),
        ("c.rs", "use crate::a::D; pub struct C(D);"),
    ];
    assert_cycles(&files, &[]);
    // A module and an item of one name: the last name of a path is the item.
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod f; pub use f::f;"),
        ("a/f.rs", "pub fn f() { crate::b::g() }"),
        ("b.rs", "pub fn g() { crate::a::f() }"),
    ];
    assert_cycles(&files, &[&["a/f.rs", "b.rs"]]);
    // A re-export that its own file uses is a dependency like another.
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B(Box<crate::a::A>);"),
    ];
    assert_cycles(&files, &[&["a.rs", "b.rs"]]);
}

#[test]
fn a_module_is_part_of_its_ancestors() {
    let files = [
        ("lib.rs", "mod a; pub struct Root(a::A);"),
        ("a/mod.rs", "mod b; pub struct A(b::B); pub fn f() { b::g() }"),
        ("a/b.rs", "use super::A; use crate::Root; pub struct B(Box<(A, Root)>); pub fn g() {}"),
    ];
    assert_cycles(&files, &[]);
    // Siblings are not, and a parent that uses its child can be in a cycle with others.
    let files = [
        ("lib.rs", "mod a; mod c;"),
        ("a.rs", "#[path = \"elsewhere.rs\"] mod b; pub fn f() { b::g() }"),
        ("elsewhere.rs", "pub fn g() { crate::c::h() }"),
        ("c.rs", "pub fn h() { crate::a::f() }"),
    ];
    assert_cycles(&files, &[&["a.rs", "elsewhere.rs", "c.rs"]]);
}

#[test]
fn imports_that_lead_to_each_other_end() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::X;"),
        ("b.rs", "pub use crate::a::X; use X::Y;"),
    ];
    assert_cycles(&files, &[]);
}

#[test]
fn separate_cycles_are_separate() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "pub fn f() { crate::b::f(); crate::c::f() }"),
        ("b.rs", "pub fn f() { crate::a::f() }"),
        ("c.rs", "pub fn f() { crate::d::f() }"),
        ("d.rs", "pub fn f() { crate::c::f() }"),
    ];
    assert_cycles(&files, &[&["a.rs", "b.rs"], &["c.rs", "d.rs"]]);
}

#[test]
fn recorded_sizes_only_shrink() {
    let of = |sizes: &[usize], recorded: &[usize]| {
        let cycle = |n: &usize| Cycle { files: vec![String::new(); *n], dependencies: vec![] };
        compared("c", &sizes.iter().map(cycle).collect::<Vec<_>>(), recorded)
    };
    assert_eq!(of(&[], &[]), Vec::<String>::new());
    assert_eq!(of(&[4, 2], &[4, 2]), Vec::<String>::new());
    for (sizes, recorded) in
        [(&[3, 2][..], &[4, 2][..]), (&[4], &[4, 2]), (&[2, 2], &[5]), (&[], &[2])]
    {
        let found = of(sizes, recorded);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(&format!("record {sizes:?}")), "{found:?}");
    }
    for (sizes, recorded) in [(&[5, 2][..], &[4, 2][..]), (&[4, 2, 2], &[4, 2]), (&[3], &[2, 2])] {
        let found = of(sizes, recorded);
        assert!(found[0].contains("move an item"), "{found:?}");
    }
}
