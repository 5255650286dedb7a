//! Records of the kernel's directory entries (`struct linux_dirent64`).

/// Offset of a record's fields: inode u64, offset i64, length u16, type u8, name.
pub const OFFSET_AT: usize = 8;
pub const LENGTH_AT: usize = 16;
pub const NAME_AT: usize = 19;

/// The records in a buffer that the kernel has filled.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = rest.get(LENGTH_AT..LENGTH_AT + 2)?;
        let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
        let (record, more) = rest.split_at_checked(length).filter(|_| length > NAME_AT)?;
        rest = more;
        Some(record)
    })
}

pub fn inode(record: &[u8]) -> u64 {
    record[..8].try_into().map_or(0, u64::from_ne_bytes)
}
pub fn set_inode(record: &mut [u8], inode: u64) {
    record[..8].copy_from_slice(&inode.to_ne_bytes());
}

pub fn name(record: &[u8]) -> &[u8] {
    let name = &record[NAME_AT..];
    &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())]
}

pub fn names(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    records(bytes).map(name)
}
