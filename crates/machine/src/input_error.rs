//! What a person did wrong, said so that they can put it right.

use std::fmt;

/// One thing wrong with what the user wrote. All of them are collected before a run starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// Dotted path of the key, or the place in a file.
    pub at: String,
    /// What stands there, as written; empty if nothing does.
    pub found: String,
    /// What would be legal.
    pub wanted: String,
    /// A guess at what was meant; of two, "`one` or `other`" without the outer ticks.
    pub hint: Option<String>,
    /// The file `at` is a key of, if that is not the one asked for but one it is like.
    pub file: Option<String>,
}

impl InputError {
    pub fn new(
        at: impl Into<String>,
        found: impl Into<String>,
        wanted: impl Into<String>,
    ) -> InputError {
        let (at, found, wanted) = (at.into(), found.into(), wanted.into());
        InputError { at, found, wanted, hint: None, file: None }
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
        write!(f, "expected {}", self.wanted)?;
        match &self.hint {
            Some(guess) => write!(f, "; did you mean `{guess}`?"),
            None => Ok(()),
        }
    }
}

/// The legal word nearest to `word`, if one is near enough to be what was meant.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_the_one_meant_or_none() {
        for (word, want) in
            [("auroa", Some("aurora")), ("Frontier", Some("frontier")), ("xyzzy", None)]
        {
            assert_eq!(nearest(word, ["aurora", "frontier", "lumi-g"]), want, "{word}");
        }
    }
}
