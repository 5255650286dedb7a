//! Messages of a folded exchange, as tables by instruction and rank.

/// Messages of one instruction: peer and bytes, by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    /// By rank, its first message; and the end.
    starts: Vec<u32>,
    list: Vec<(u32, u64)>,
}

/// Messages of a folded program, by position in the code.
#[derive(Clone, Debug)]
pub(crate) struct Folded(Vec<Option<Messages>>);

impl Folded {
    pub fn new(by_code: Vec<Option<Messages>>) -> Folded {
        Folded(by_code)
    }

    /// The message `nth` of an instruction; `None` if it is not folded.
    pub fn message(&self, code: u32, rank: u32, nth: u32) -> Option<Option<(u32, u64)>> {
        let messages = self.0[code as usize].as_ref()?;
        let at = messages.starts[rank as usize] + nth;
        Some((at < messages.starts[rank as usize + 1]).then(|| messages.list[at as usize]))
    }
}

impl Messages {
    pub fn new(by_rank: &[Vec<(u32, u64)>], ranks: usize) -> Messages {
        let mut made = Messages { starts: vec![0; ranks + 1], list: Vec::new() };
        for (rank, own) in by_rank.iter().enumerate() {
            made.list.extend(own);
            made.starts[rank + 1] = made.list.len() as u32;
        }
        made
    }
}
