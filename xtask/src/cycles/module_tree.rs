//! The modules of a crate: their items, imports and the paths that their code mentions.
//!
//! A reader of tokens, not a compiler. It sees no item that a macro defines and no method; a path
//! to an item that it does not see depends on the module that the path names. Code under
//! `#[cfg(test)]` is left out.

use crate::tokens::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// The modules of one compilation target, and the files that contain them.
#[derive(Default)]
pub struct ModuleTree {
    pub files: Vec<File>,
    modules: Vec<Module>,
}

pub struct File {
    pub path: String,
    /// The names of the module that the file contains, from the crate's root.
    module: Vec<String>,
}

#[derive(Default)]
struct Module {
    file: usize,
    parent: usize,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths outside `use` declarations.
    mentions: BTreeSet<Vec<String>>,
}

struct Use {
    /// The name that it adds to the module; `None` for a glob.
    name: Option<String>,
    path: Vec<String>,
    public: bool,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    /// An item of a file.
    Item(usize),
}

/// The names being looked up, each with its module: imports may lead to each other.
type Open<'a> = Vec<(usize, &'a str)>;

/// A dependency between files: their indices, and the names that the first uses of the second.
pub type Dependencies = BTreeMap<(usize, usize), BTreeSet<String>>;

impl ModuleTree {
    /// Reads the target whose root module is the file `root`. `read` returns a file's text.
    pub fn new(root: &str, read: &dyn Fn(&str) -> Option<String>) -> ModuleTree {
        let mut reader = Reader { tree: ModuleTree::default(), read };
        reader.file(root, &[], 0, true);
        reader.tree
    }

    /// The files that use items which other files define.
    ///
    /// A use of a re-export is a use of the file that defines the item. So a re-export alone, like
    /// a `mod` declaration, is no use. A module is part of its ancestors, and may use their items.
    pub fn dependencies(&self) -> Dependencies {
        let mut found = Dependencies::new();
        for (at, module) in self.modules.iter().enumerate() {
            let imported = module.uses.iter().filter(|u| !u.public && u.name.is_some());
            for path in imported.map(|u| &u.path).chain(&module.mentions) {
                if let Some(Target::Item(file)) = self.resolve(at, path, &mut Vec::new())
                    && !self.is_within(module.file, file)
                {
                    let is_type = |name: &&String| name.starts_with(char::is_uppercase);
                    let name = path.iter().find(is_type).or(path.last());
                    found.entry((module.file, file)).or_default().extend(name.cloned());
                }
            }
        }
        found
    }

    /// Whether a file's module is the other's, or a descendant of it.
    fn is_within(&self, file: usize, ancestor: usize) -> bool {
        self.files[file].module.starts_with(&self.files[ancestor].module)
    }

    fn resolve<'a>(
        &'a self,
        from: usize,
        path: &'a [String],
        open: &mut Open<'a>,
    ) -> Option<Target> {
        let mut at = from;
        for (i, name) in path.iter().enumerate() {
            let last = i + 1 == path.len();
            match name.as_str() {
                "crate" => at = 0,
                "self" => {}
                "super" => at = self.modules[at].parent,
                name => match self.lookup(at, name, last, open) {
                    Some(Target::Module(child)) => at = child,
                    Some(item) => return Some(item),
                    // Another crate, a local variable, or a name of the standard library.
                    None if i == 0 => return None,
                    None => return Some(Target::Item(self.modules[at].file)),
                },
            }
        }
        Some(Target::Module(at))
    }

    /// What a name is in a module. Before `::` a module goes first, else an item.
    fn lookup<'a>(
        &'a self,
        at: usize,
        name: &'a str,
        last: bool,
        open: &mut Open<'a>,
    ) -> Option<Target> {
        let module = &self.modules[at];
        let child = module.children.get(name).map(|&child| Target::Module(child));
        let item = module.items.contains(name).then_some(Target::Item(module.file));
        if last && item.is_some() {
            return item;
        }
        if !last && child.is_some() || open.contains(&(at, name)) {
            return child;
        }
        open.push((at, name));
        let named = module.uses.iter().filter(|u| u.name.as_deref() == Some(name));
        let mut found = item;
        for import in named {
            found = found.or_else(|| self.resolve(at, &import.path, open));
        }
        for glob in module.uses.iter().filter(|u| u.name.is_none()) {
            found = found.or_else(|| match self.resolve(at, &glob.path, open)? {
                Target::Module(of) if of != at => self.lookup(of, name, last, open),
                _ => None,
            });
        }
        open.pop();
        found.or(child)
    }
}

/// Keywords before the name of an item.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

/// Reads files into a tree.
struct Reader<'a> {
    tree: ModuleTree,
    read: &'a dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    /// Reads a module's file and those of its descendants. `has_own_dir`: the files of its children
    /// are beside it.
    fn file(&mut self, path: &str, names: &[String], parent: usize, has_own_dir: bool) -> bool {
        let Some(text) = (self.read)(path) else { return false };
        let (dir, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file_name.trim_end_matches(".rs");
        let has_own_dir = has_own_dir || stem == "mod";
        let dir = if has_own_dir { dir.to_string() } else { format!("{dir}/{stem}") };
        self.tree.files.push(File { path: path.to_string(), module: names.to_vec() });
        let module = self.module(names, parent, self.tree.files.len() - 1);
        self.contents(&tokens(&text), module, names, &dir);
        true
    }

    fn module(&mut self, names: &[String], parent: usize, file: usize) -> usize {
        let module = self.tree.modules.len();
        if let Some(name) = names.last() {
            self.tree.modules[parent].children.insert(name.clone(), module);
        }
        self.tree.modules.push(Module { file, parent, ..Module::default() });
        module
    }

    /// Reads the contents of a module. `dir` has the files of its children.
    fn contents(&mut self, text: &[Token], module: usize, names: &[String], dir: &str) {
        let (mut at, mut depth, mut path_of_next) = (0, 0, None);
        while at < text.len() {
            let (before, rest) = text.split_at(at);
            at += match rest {
                [Token::Mark('#'), ..] if attribute(rest) > 0 => {
                    let length = attribute(rest);
                    let has = |word: &str| rest[..length].iter().any(|t| t.is(word));
                    if let [_, _, Token::Word(key), _, Token::Text(path), ..] = rest
                        && key == "path"
                    {
                        path_of_next = Some(path.clone());
                    }
                    let test = has("cfg") && has("test") && !has("not");
                    length + if test { item(&rest[length..]) } else { 0 }
                }
                [Token::Word(key), Token::Word(_), Token::Mark(';' | '{'), ..] if key == "mod" => {
                    self.child(rest, module, names, dir, path_of_next.take())
                }
                [Token::Word(key), next, ..] if key == "use" && *next != Token::Mark('<') => {
                    let public = before.last().is_some_and(|t| t.is("pub"))
                        || before.ends_with(&[Token::Mark(')')]);
                    1 + import(&rest[1..], &[], public, &mut self.tree.modules[module].uses)
                }
                [Token::Word(_), ..] => self.path(before, rest, module, depth == 0),
                [Token::Mark('{'), ..] => {
                    depth += 1;
                    1
                }
                [Token::Mark('}'), ..] => {
                    depth -= 1;
                    1
                }
                _ => 1,
            };
        }
    }

    /// Reads the module that is declared at the front of `text`; returns the declaration's length.
    fn child(
        &mut self,
        text: &[Token],
        module: usize,
        names: &[String],
        dir: &str,
        path: Option<String>,
    ) -> usize {
        let name = text[1].word().unwrap_or_default();
        let names = [names, &[name.to_string()]].concat();
        let file = self.tree.modules[module].file;
        if text[2] == Token::Mark('{') {
            let length = item(text);
            let child = self.module(&names, module, file);
            self.contents(&text[3..length - 1], child, &names, &format!("{dir}/{name}"));
            return length;
        }
        if let Some(path) = path {
            let beside = self.tree.files[file].path.rsplit_once('/').map_or("", |(dir, _)| dir);
            self.file(&format!("{beside}/{path}"), &names, module, true);
        } else if !self.file(&format!("{dir}/{name}.rs"), &names, module, false) {
            self.file(&format!("{dir}/{name}/mod.rs"), &names, module, true);
        }
        3
    }

    /// Reads the path at the front of `text`: the name of an item, or a mention of one. Returns its
    /// length. `outer`: it is outside all braces.
    fn path(&mut self, before: &[Token], text: &[Token], module: usize, outer: bool) -> usize {
        let length = path_length(text);
        let words = text[..length].iter().filter_map(Token::word);
        let mut path: Vec<String> = words.map(str::to_string).collect();
        let into = &mut self.tree.modules[module];
        if !declares(before) {
            if is_mention(before, &path, text.get(length)) {
                into.mentions.insert(path);
            }
        } else if outer {
            into.items.insert(path.swap_remove(0));
        }
        length
    }
}

/// The length of the attribute at the front of `text`; 0 if there is none.
fn attribute(text: &[Token]) -> usize {
    match text {
        [Token::Mark('#'), Token::Mark('['), ..] => 1 + group(&text[1..]),
        [Token::Mark('#'), Token::Mark('!'), Token::Mark('['), ..] => 2 + group(&text[2..]),
        _ => 0,
    }
}

/// The length of the item at the front of `text`, with its attributes.
fn item(text: &[Token]) -> usize {
    let mut at = 0;
    while at < text.len() {
        match (attribute(&text[at..]), &text[at]) {
            (0, Token::Mark('{')) => return at + group(&text[at..]),
            (0, Token::Mark('(' | '[')) => at += group(&text[at..]),
            (0, Token::Mark(';')) => return at + 1,
            (length, _) => at += length.max(1),
        }
    }
    at
}

/// The length of the bracketed group at the front of `text`.
fn group(text: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in text.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The number of tokens of the path at the front of `text`.
fn path_length(text: &[Token]) -> usize {
    let pairs = text[1..].chunks_exact(2);
    1 + 2 * pairs.take_while(|p| p[0] == Token::Colons && p[1].word().is_some()).count()
}

/// Whether the next word is the name of an item.
fn declares(before: &[Token]) -> bool {
    match before {
        [.., Token::Word(key), Token::Mark('!')] => key == "macro_rules",
        [.., Token::Word(key), Token::Word(mutable)] if mutable == "mut" => key == "static",
        [.., Token::Word(key)] => ITEMS.contains(&key.as_str()),
        _ => false,
    }
}

/// Whether a path in code can name an item, rather than a field, a method or a local variable.
fn is_mention(before: &[Token], path: &[String], after: Option<&Token>) -> bool {
    let member = before.ends_with(&[Token::Mark('.')])
        && !before.ends_with(&[Token::Mark('.'), Token::Mark('.')]);
    let variable = before.last() == Some(&Token::Mark('$')) && path[0] != "crate";
    let local = before.last().is_some_and(|t| t.is("let") || t.is("mut"));
    let alone = path.len() == 1;
    !member
        && !variable
        && !(alone && (local || after == Some(&Token::Mark(':'))))
        && before.last() != Some(&Token::Colons)
}

/// Adds the imports of the tree at the front of `text`, and returns its length.
fn import(text: &[Token], prefix: &[String], public: bool, uses: &mut Vec<Use>) -> usize {
    let (mut at, mut path) = (0, prefix.to_vec());
    loop {
        let rest = &text[at..];
        let (name, length) = match rest {
            [Token::Word(word), Token::Colons, ..] => {
                path.push(word.clone());
                at += 2;
                continue;
            }
            [Token::Mark('{'), ..] => {
                let length = group(rest);
                let mut inner = &rest[1..length - 1];
                while !inner.is_empty() {
                    let comma = import(inner, &path, public, uses);
                    inner = inner.get(comma + 1..).unwrap_or_default();
                }
                return at + length;
            }
            [Token::Mark('*'), ..] => (None, 1),
            [Token::Word(word), then @ ..] => {
                if word != "self" {
                    path.push(word.clone());
                }
                match then {
                    [Token::Word(key), Token::Word(alias), ..] if key == "as" => {
                        (Some(alias.clone()), 3)
                    }
                    _ => (path.last().cloned(), 1),
                }
            }
            // `::name` is of another crate.
            _ => return text.len(),
        };
        uses.push(Use { name, path, public });
        return at + length;
    }
}
