//! Calls on files of simulated file systems as rows of a recording: their arguments are the list
//! `lengths` of the row.
//!
//! A text is its length in bytes and the bytes, eight per word, little-endian.

use crate::{FileCall, FileCallKind, FileId, FileSystemId, LayoutComponent, LayoutRequest, Op};

/// What was found, and what was expected.
type Wrong = (String, &'static str);

/// Longest text of a layout, bytes.
const LONGEST: usize = 256;

/// Most components of a layout; Lustre's layouts have fewer.
const COMPONENTS: usize = 1024;

/// Arguments of a call on a file; empty for others.
pub fn arguments(op: &Op) -> Vec<u64> {
    match op {
        Op::File(call) => vec![
            call.file_system.into(),
            call.flags.into(),
            call.file.into(),
            call.parent.into(),
            call.other.into(),
            call.name,
            call.offset,
            call.size,
        ],
        &Op::Lookup { file_system, parent, file } => {
            vec![file_system.into(), parent.into(), file.into()]
        }
        Op::Layout { file_system, request } => {
            let mut words = vec![u64::from(*file_system)];
            write_layout(request, &mut words);
            words
        }
        _ => Vec::new(),
    }
}

/// The files that a call names.
pub fn numbers(op: &Op) -> impl Iterator<Item = FileId> + use<> {
    let files = match op {
        Op::File(call) => [Some(call.file), Some(call.parent), Some(call.other)],
        &Op::Lookup { parent, file, .. } => [Some(parent), Some(file), None],
        _ => [None; 3],
    };
    files.into_iter().flatten()
}

/// The call of this name, with arguments.
pub fn read(name: &str, bytes: u64, arguments: &[u64]) -> Result<Op, Wrong> {
    let mut words = Words(arguments.iter());
    let file_system: FileSystemId = words.next()?;
    let op = match name {
        "file_lookup" => Op::Lookup { file_system, parent: words.next()?, file: words.next()? },
        "file_layout" => Op::Layout { file_system, request: Box::new(words.layout()?) },
        _ => {
            let kinds = &FileCallKind::ALL;
            let known = kinds.iter().find(|kind| kind.1 == name);
            let &(kind, _) = known.ok_or((name.to_string(), "a call on a file"))?;
            Op::File(FileCall {
                kind,
                file_system,
                flags: words.next()?,
                file: words.next()?,
                parent: words.next()?,
                other: words.next()?,
                name: words.next()?,
                offset: words.next()?,
                bytes,
                size: words.next()?,
            })
        }
    };
    match words.0.as_slice() {
        [] => check_extent(&op).map(|()| op),
        rest => Err((format!("{} more arguments", rest.len()), "the arguments of the call")),
    }
}

/// Whether the end of an extent is a valid offset.
fn check_extent(op: &Op) -> Result<(), Wrong> {
    let Op::File(FileCall { offset, bytes, size, .. }) = *op else { return Ok(()) };
    let end = u128::from(offset) + u128::from(bytes);
    if end.max(size.into()) > i64::MAX as u128 {
        let expected = "offsets and sizes below 2^63";
        return Err((format!("{bytes} B at {offset} of a file of {size} B"), expected));
    }
    Ok(())
}

fn write_layout(request: &LayoutRequest, words: &mut Vec<u64>) {
    let LayoutRequest { components, mdt_count, first_mdt, .. } = request;
    words.extend([components.len() as u64, (*mdt_count).into(), (*first_mdt).into()]);
    words.push(request.chunk_size);
    write_text(&request.object_class, words);
    write_text(&request.directory_class, words);
    for component in components {
        let flags = u64::from(component.on_mdt) | u64::from(component.overstriping) << 1;
        words.extend([component.end, component.stripe_count.into(), component.stripe_size]);
        words.extend([component.first_ost.into(), flags]);
        write_text(&component.pool, words);
    }
}

fn write_text(text: &str, words: &mut Vec<u64>) {
    words.push(text.len() as u64);
    words.extend(text.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
}

/// The arguments that have not been read.
struct Words<'a>(std::slice::Iter<'a, u64>);

impl Words<'_> {
    fn next<T: TryFrom<u64>>(&mut self) -> Result<T, Wrong> {
        let expected = "the arguments of the call";
        let &word = self.0.next().ok_or_else(|| ("too few arguments".to_string(), expected))?;
        T::try_from(word).map_err(|_| (word.to_string(), "a number within its range"))
    }

    fn layout(&mut self) -> Result<LayoutRequest, Wrong> {
        let components = self.next::<u64>()?;
        if components > COMPONENTS as u64 {
            return Err((format!("{components} components"), "at most 1024 components"));
        }
        let mut request = LayoutRequest {
            mdt_count: self.next()?,
            first_mdt: self.next()?,
            chunk_size: self.next()?,
            object_class: self.text()?,
            directory_class: self.text()?,
            ..LayoutRequest::default()
        };
        for _ in 0..components {
            let (end, stripe_count, stripe_size) = (self.next()?, self.next()?, self.next()?);
            let (first_ost, flags): (u32, u8) = (self.next()?, self.next()?);
            request.components.push(LayoutComponent {
                end,
                stripe_count,
                stripe_size,
                first_ost,
                pool: self.text()?,
                on_mdt: flags & 1 != 0,
                overstriping: flags & 2 != 0,
            });
        }
        Ok(request)
    }

    fn text(&mut self) -> Result<String, Wrong> {
        let length = self.next::<u64>()?;
        if length > LONGEST as u64 {
            return Err((format!("a text of {length} bytes"), "at most 256 bytes"));
        }
        let mut bytes = Vec::new();
        while bytes.len() < length as usize {
            bytes.extend(self.next::<u64>()?.to_le_bytes());
        }
        bytes.truncate(length as usize);
        String::from_utf8(bytes).map_err(|_| ("a text".to_string(), "a text in UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kind: FileCallKind) -> FileCall {
        FileCall {
            kind,
            file_system: 1,
            flags: 513,
            file: 2,
            parent: 1,
            other: 0,
            name: u64::MAX,
            offset: 1 << 40,
            bytes: 4096,
            size: 1 << 41,
        }
    }

    fn examples() -> Vec<Op> {
        let component = LayoutComponent {
            end: 1 << 30,
            stripe_count: u32::MAX,
            stripe_size: 1 << 20,
            first_ost: 3,
            pool: "capacity".into(),
            on_mdt: false,
            overstriping: true,
        };
        let request = LayoutRequest {
            components: vec![component.clone(), LayoutComponent { on_mdt: true, ..component }],
            mdt_count: 4,
            first_mdt: 2,
            object_class: "EC_16P2GX".into(),
            directory_class: String::new(),
            chunk_size: 1 << 20,
        };
        let calls = FileCallKind::ALL.map(|(kind, _)| Op::File(call(kind)));
        let notices = [
            Op::Lookup { file_system: 0, parent: 7, file: 9 },
            Op::Layout { file_system: 2, request: Box::new(request) },
            Op::Layout { file_system: 0, request: Box::default() },
        ];
        calls.into_iter().chain(notices).collect()
    }

    fn name_and_bytes(op: &Op) -> (&'static str, u64) {
        match op {
            Op::File(call) => (call.kind.name(), call.bytes),
            Op::Lookup { .. } => ("file_lookup", 0),
            _ => ("file_layout", 0),
        }
    }

    #[test]
    fn every_call_is_read_as_it_was_written() {
        for (kind, _) in FileCallKind::ALL {
            assert_eq!(FileCallKind::ALL[kind as usize].0, kind);
        }
        for op in examples() {
            let (name, bytes) = name_and_bytes(&op);
            assert_eq!(read(name, bytes, &arguments(&op)), Ok(op));
        }
    }

    /// Arguments that are cut, continued or too large are errors.
    #[test]
    fn wrong_arguments_are_refused() {
        for op in examples() {
            let ((name, bytes), words) = (name_and_bytes(&op), arguments(&op));
            for kept in 0..words.len() {
                assert!(read(name, bytes, &words[..kept]).is_err(), "{op:?}: {kept} words");
            }
            let longer = [&words[..], &[0]].concat();
            assert!(read(name, bytes, &longer).is_err(), "{op:?}: one more");
            let outside = [&[256], &words[1..]].concat();
            assert!(read(name, bytes, &outside).is_err(), "{op:?}: file system 256");
        }
        let beyond = FileCall { offset: i64::MAX as u64, ..call(FileCallKind::Write) };
        assert!(read("file_write", beyond.bytes, &arguments(&Op::File(beyond))).is_err());
        assert!(read("file_wrong", 0, &arguments(&Op::File(beyond))).is_err());
    }
}
