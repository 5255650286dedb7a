//! Errors in user input, with the place, the value found and what was expected.

use std::fmt;

use toml::Value as Toml;

/// One error in the user's input. All of them are collected before a run starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// Dotted path of the key, or the position in a file.
    pub at: String,
    /// The value found, as written; empty if there is none.
    pub found: String,
    /// What would be legal, completing "expected ...".
    pub expected: String,
    /// Suggested value; two of them are joined as "`one` or `other`" without the outer backticks.
    pub hint: Option<String>,
    /// The file that holds `at`, if it is not the requested file but one that it inherits from.
    pub file: Option<String>,
}

impl InputError {
    pub fn new(
        at: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> InputError {
        let (at, found, expected) = (at.into(), found.into(), expected.into());
        InputError { at, found, expected, hint: None, file: None }
    }
    /// Adds "did you mean `guess`?".
    pub fn with_hint(mut self, guess: Option<impl Into<String>>) -> InputError {
        self.hint = guess.map(Into::into);
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        write!(f, "{}: ", self.at)?;
        if !self.found.is_empty() {
            write!(f, "found `{}`, ", self.found)?;
        }
        write!(f, "expected {}", self.expected)?;
        match &self.hint {
            Some(guess) => write!(f, "; did you mean `{guess}`?"),
            None => Ok(()),
        }
    }
}

/// The legal word most similar to `word`, if any is similar enough to suggest.
pub fn nearest<'a>(word: &str, legal: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    legal
        .into_iter()
        .map(|l| (strsim::jaro_winkler(&folded, &l.to_lowercase()), l))
        // Ties go to the word named first.
        .fold(None, |best: Option<(f64, &str)>, (score, l)| match best {
            Some((most, _)) if most >= score => best,
            _ => Some((score, l)),
        })
        // Below 0.7 Jaro-Winkler pairs words that share little more than letters.
        .filter(|&(score, _)| score > 0.7)
        .map(|(_, l)| l)
}

/// The error of a file that is not TOML.
pub(crate) fn syntax(name: &str, text: &str, error: &toml::de::Error) -> InputError {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
    InputError::new(format!("{name}, line {line}"), "", format!("TOML ({})", error.message()))
}

/// A value for messages.
pub(crate) fn shown(value: &Toml) -> String {
    match value {
        Toml::String(text) => text.clone(),
        Toml::Table(_) => "a table".into(),
        Toml::Array(items) if items.iter().any(Toml::is_table) => "tables".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_only_if_similar() {
        for (word, want) in
            [("auroa", Some("aurora")), ("Frontier", Some("frontier")), ("xyzzy", None)]
        {
            assert_eq!(nearest(word, ["aurora", "frontier", "lumi-g"]), want, "{word}");
        }
    }
}
