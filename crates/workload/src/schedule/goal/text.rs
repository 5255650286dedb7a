//! GOAL as text: one operation per line, inside `rank R { ... }`.

use super::{ANY, Edge, GoalOp, OpKind, RankOps, ScheduleErrors, is_valid_rank_count};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Word(&'a [u8]),
    /// `None`: exceeds 64 bits.
    Number(Option<u64>),
    /// `-1`.
    Any,
    Colon,
    Open,
    Close,
    Line,
    End,
    Unknown(&'a [u8]),
}

struct Reader<'a, 'f> {
    text: &'a [u8],
    at: usize,
    line: u32,
    errors: &'f mut ScheduleErrors,
}

/// An error has been added; the caller skips the line.
struct Wrong;

/// The content of a rank's block so far.
struct Block<'a> {
    rank: u32,
    opened: u32,
    part: RankOps,
    labels: Vec<(&'a [u8], u32)>,
    /// Label, needed label, whether only its begin, line.
    needs: Vec<(&'a [u8], &'a [u8], bool, u32)>,
}

/// All parts, in rank order; not to be used if there are errors.
pub(super) fn read(text: &[u8], errors: &mut ScheduleErrors) -> Vec<RankOps> {
    let mut reader = Reader { text, at: 0, line: 1, errors };
    let mut ranks: Option<u32> = None;
    let mut parts: BTreeMap<u32, RankOps> = BTreeMap::new();
    let mut block: Option<Block> = None;
    loop {
        let line = reader.line;
        let before = reader.at;
        let token = reader.next();
        let result = match (token, &mut block) {
            (Token::End, _) => break,
            (Token::Line, _) => Ok(()),
            (Token::Word(b"num_ranks"), None) => reader.num_ranks(&mut ranks),
            (Token::Word(b"rank"), None) => reader.open(ranks, &parts).map(|rank| {
                block = Some(Block {
                    rank,
                    opened: line,
                    part: RankOps::default(),
                    labels: Vec::new(),
                    needs: Vec::new(),
                });
            }),
            (Token::Close, Some(_)) => {
                let block = block.take().expect("looked at");
                parts.insert(block.rank, reader.close(block));
                Ok(())
            }
            (Token::Word(_), Some(block)) => reader.statement(token, line, block),
            (_, Some(_)) => reader.wrong(before, line, "`send`, `recv`, `calc`, a label, or `}`"),
            (_, None) if ranks.is_none() => {
                // For a file of another kind, one error is enough.
                let expected = "`num_ranks N`, with which a GOAL schedule begins";
                _ = reader.wrong(before, line, expected);
                return Vec::new();
            }
            (_, None) => reader.wrong(before, line, "`rank R {`"),
        };
        if let Err(Wrong) = result {
            reader.skip_line();
        }
    }
    if let Some(block) = block {
        let at = format!("line {}", block.opened);
        reader.errors.add(at, "the end of the file", "`}`, which ends the block begun here");
        return Vec::new();
    }
    let Some(ranks) = ranks else {
        reader.errors.add("line 1", "nothing", "`num_ranks N` before the first block");
        return Vec::new();
    };
    let mut missing = (0..ranks).filter(|rank| !parts.contains_key(rank));
    if let Some(rank) = missing.next() {
        let more = match missing.count() {
            0 => String::new(),
            n => format!(", and one of each of {n} others"),
        };
        let expected = format!("a block `rank {rank} {{ ... }}`{more}");
        reader.errors.add("the end", "none", &expected);
    }
    parts.into_values().collect()
}

impl<'a> Reader<'a, '_> {
    fn num_ranks(&mut self, ranks: &mut Option<u32>) -> Result<(), Wrong> {
        let (line, found) = (self.line, self.number("a number of ranks")?);
        if ranks.is_some() {
            self.errors.add(format!("line {line}"), "a second `num_ranks`", "only one");
        } else if is_valid_rank_count(found, &format!("line {line}"), self.errors) {
            *ranks = Some(found as u32);
        } else {
            // Reported once; blocks are still read.
            *ranks = Some(0);
        }
        Ok(())
    }

    /// After `rank`: reads its number and the opening brace.
    fn open(&mut self, ranks: Option<u32>, parts: &BTreeMap<u32, RankOps>) -> Result<u32, Wrong> {
        let line = self.line;
        let rank = self.number("the number of a rank")?.min(u64::from(ANY)) as u32;
        let at = format!("line {line}");
        match ranks {
            None => self.errors.add(at, "a block", "`num_ranks N` before the first block"),
            Some(_) if parts.contains_key(&rank) => {
                self.errors.add(at, format!("rank {rank} again"), "one block per rank");
            }
            Some(ranks @ 1..) if rank >= ranks => {
                self.errors.add(at, format!("rank {rank}"), &format!("a rank below {ranks}"));
            }
            _ => {}
        }
        self.skip_blanks();
        let (before, line) = (self.at, self.line);
        match self.next() {
            Token::Open => Ok(rank),
            _ => self.wrong(before, line, "`{`").map(|()| 0),
        }
    }

    /// Resolves labels.
    fn close(&mut self, mut block: Block<'a>) -> RankOps {
        block.labels.sort();
        for pair in block.labels.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let line = block.part.ops[pair[1].1 as usize].position;
            let found = format!("label `{}` again", shown(pair[0].0));
            self.errors.add(format!("line {line}"), found, "labels of a rank that differ");
        }
        for &(op, needed, needs_begin_only, line) in &block.needs {
            let position = |label: &[u8]| {
                let at = block.labels.binary_search_by(|l| l.0.cmp(label));
                at.ok().map(|at| block.labels[at].1)
            };
            match (position(op), position(needed)) {
                (Some(op), Some(needed)) => {
                    block.part.edges.push(Edge { op, needed, needs_begin_only })
                }
                (known, _) => {
                    let label = if known.is_none() { op } else { needed };
                    let found = format!("label `{}`", shown(label));
                    let expected = format!("the label of an operation of rank {}", block.rank);
                    self.errors.add(format!("line {line}"), found, &expected);
                }
            }
        }
        block.part
    }

    fn statement(
        &mut self,
        token: Token<'a>,
        line: u32,
        block: &mut Block<'a>,
    ) -> Result<(), Wrong> {
        let Token::Word(word) = token else { unreachable!("a statement begins with a word") };
        if let Some(kind) = kind(word) {
            return self.operation(kind, line, block);
        }
        self.skip_blanks();
        let before = self.at;
        match self.next() {
            Token::Colon => {
                self.skip_blanks();
                let before = self.at;
                let Token::Word(op) = self.next() else {
                    return self.wrong(before, line, "`send`, `recv` or `calc`");
                };
                let Some(kind) = kind(op) else {
                    return self.wrong(before, line, "`send`, `recv` or `calc`");
                };
                block.labels.push((word, block.part.ops.len() as u32));
                self.operation(kind, line, block)
            }
            Token::Word(how @ (b"requires" | b"irequires")) => {
                self.skip_blanks();
                let before = self.at;
                let Token::Word(needed) = self.next() else {
                    return self.wrong(before, line, "the label of an operation");
                };
                block.needs.push((word, needed, how == b"irequires", line));
                self.end_of_line(line)
            }
            _ => self.wrong(before, line, "`:`, `requires` or `irequires` after a label"),
        }
    }

    fn operation(&mut self, kind: OpKind, line: u32, block: &mut Block<'a>) -> Result<(), Wrong> {
        let mut op = GoalOp { kind, cpu: 0, nic: 0, peer: 0, tag: 0, size: 0, position: line };
        let result = self.operands(&mut op, line);
        // The label of an invalid operation is still known.
        block.part.ops.push(op);
        result
    }

    fn operands(&mut self, op: &mut GoalOp, line: u32) -> Result<(), Wrong> {
        let (what, towards): (&str, &[u8]) = match op.kind {
            OpKind::Send => ("a number of bytes", b"to"),
            OpKind::Recv => ("a number of bytes", b"from"),
            OpKind::Calc => ("a number of nanoseconds", b""),
        };
        op.size = self.number(what)?;
        if op.kind != OpKind::Calc {
            self.word(b"b", line)?;
            self.word(towards, line)?;
            op.peer = match op.kind {
                OpKind::Recv => self.number_or_any("a rank, or -1 for any", u64::from(ANY))?,
                _ => self.number_up_to("a rank", u64::from(ANY) - 1)?,
            };
        }
        loop {
            self.skip_blanks();
            let before = self.at;
            match self.next() {
                Token::Line | Token::End => return Ok(()),
                Token::Close => {
                    self.at = before;
                    return Ok(());
                }
                Token::Word(b"tag") if op.kind != OpKind::Calc => {
                    op.tag = self.tag()?;
                }
                Token::Word(b"cpu") => op.cpu = self.number_up_to("a cpu, 0 to 255", 255)? as u8,
                Token::Word(b"nic") => op.nic = self.number_up_to("a NIC, 0 to 255", 255)? as u8,
                _ if op.kind == OpKind::Calc => {
                    return self.wrong(before, line, "`cpu N` or the end of the line");
                }
                _ => {
                    return self.wrong(before, line, "`tag N`, `cpu N`, `nic N` or the line's end");
                }
            }
        }
    }

    fn end_of_line(&mut self, line: u32) -> Result<(), Wrong> {
        self.skip_blanks();
        let before = self.at;
        match self.next() {
            Token::Line | Token::End => Ok(()),
            Token::Close => {
                self.at = before;
                Ok(())
            }
            _ => self.wrong(before, line, "the end of the line"),
        }
    }

    fn word(&mut self, word: &[u8], line: u32) -> Result<(), Wrong> {
        self.skip_blanks();
        let before = self.at;
        match self.next() {
            Token::Word(found) if found == word => Ok(()),
            _ => self.wrong(before, line, &format!("`{}`", shown(word))),
        }
    }

    fn number(&mut self, what: &str) -> Result<u64, Wrong> {
        self.skip_blanks();
        let (before, line) = (self.at, self.line);
        match self.next() {
            Token::Number(Some(number)) => Ok(number),
            Token::Number(None) => {
                self.wrong(before, line, &format!("{what}, below 2^64")).map(|()| 0)
            }
            _ => self.wrong(before, line, what).map(|()| 0),
        }
    }

    fn number_up_to(&mut self, what: &str, most: u64) -> Result<u32, Wrong> {
        self.skip_blanks();
        let (before, line) = (self.at, self.line);
        match self.next() {
            Token::Number(Some(number)) if number <= most => Ok(number as u32),
            _ => self.wrong(before, line, what).map(|()| 0),
        }
    }

    fn number_or_any(&mut self, what: &str, most: u64) -> Result<u32, Wrong> {
        self.skip_blanks();
        let before = self.at;
        if self.next() == Token::Any {
            return Ok(ANY);
        }
        self.at = before;
        self.number_up_to(what, most)
    }

    /// A tag modulo 2^32, of any length: `txt2bin` sums its digits in 64 bits and keeps 32.
    fn tag(&mut self) -> Result<u32, Wrong> {
        self.skip_blanks();
        let (before, line) = (self.at, self.line);
        let add = |tag: u32, digit: &u8| tag.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        match self.next() {
            Token::Any => Ok(ANY),
            Token::Number(_) => {
                let read = &self.text[..self.at];
                let digits = read.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
                Ok(read[self.at - digits..].iter().fold(0, add))
            }
            _ => self.wrong(before, line, "a tag, or -1 for any").map(|()| 0),
        }
    }

    /// Adds an error about the token at `before`, and returns there so that no line is skipped.
    fn wrong(&mut self, before: usize, line: u32, expected: &str) -> Result<(), Wrong> {
        self.at = before;
        self.line = line;
        self.skip_blanks();
        let start = self.at;
        let found = match self.next() {
            Token::Line => "the end of the line".to_string(),
            Token::End => "the end of the file".to_string(),
            _ => format!("`{}`", shown(&self.text[start..self.at])),
        };
        self.at = start;
        self.line = line;
        self.errors.add(format!("line {line}"), found, expected);
        Err(Wrong)
    }

    fn skip_line(&mut self) {
        while !matches!(self.next(), Token::Line | Token::End) {}
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// The next token; comments are blanks, but their lines count.
    fn next(&mut self) -> Token<'a> {
        loop {
            self.skip_blanks();
            match (self.text.get(self.at), self.text.get(self.at + 1)) {
                (Some(b'/'), Some(b'/')) => {
                    while !matches!(self.text.get(self.at), None | Some(b'\n')) {
                        self.at += 1;
                    }
                }
                (Some(b'/'), Some(b'*')) => self.skip_comment(),
                _ => break,
            }
        }
        let start = self.at;
        let Some(&first) = self.text.get(start) else { return Token::End };
        self.at += 1;
        match first {
            b'\n' => {
                self.line += 1;
                Token::Line
            }
            b':' => Token::Colon,
            b'{' => Token::Open,
            b'}' => Token::Close,
            b'0'..=b'9' => {
                let mut number = Some(u64::from(first - b'0'));
                while let Some(digit @ b'0'..=b'9') = self.text.get(self.at) {
                    let digit = u64::from(digit - b'0');
                    number = number.and_then(|n| n.checked_mul(10)?.checked_add(digit));
                    self.at += 1;
                }
                Token::Number(number)
            }
            b'-' if self.text.get(self.at) == Some(&b'1') => {
                self.at += 1;
                match self.text.get(self.at) {
                    Some(b'0'..=b'9') => Token::Unknown(&self.text[start..self.at]),
                    _ => Token::Any,
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while let Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') =
                    self.text.get(self.at)
                {
                    self.at += 1;
                }
                Token::Word(&self.text[start..self.at])
            }
            _ => Token::Unknown(&self.text[start..self.at]),
        }
    }

    fn skip_comment(&mut self) {
        let first_line = self.line;
        self.at += 2;
        loop {
            match (self.text.get(self.at), self.text.get(self.at + 1)) {
                (Some(b'*'), Some(b'/')) => {
                    self.at += 2;
                    return;
                }
                (Some(&byte), _) => {
                    self.line += u32::from(byte == b'\n');
                    self.at += 1;
                }
                (None, _) => {
                    let at = format!("line {first_line}");
                    self.errors.add(at, "the end of the file", "`*/`, which ends the comment");
                    return;
                }
            }
        }
    }
}

fn kind(word: &[u8]) -> Option<OpKind> {
    match word {
        b"send" => Some(OpKind::Send),
        b"recv" => Some(OpKind::Recv),
        b"calc" => Some(OpKind::Calc),
        _ => None,
    }
}

/// The beginning of a token, as text.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short += "...";
    }
    short
}
