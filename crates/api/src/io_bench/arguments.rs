//! Options of `odonata bench ior` and `mdtest`, in the words of the programs' command lines.

use super::IoBenchRequest;
use crate::quantities::{read_size, read_time};
use machine::InputError;

/// Reads the options of the program from one line.
pub fn read(line: &str, request: &mut IoBenchRequest) -> Vec<InputError> {
    let mut reader = Reader { words: line.split_whitespace(), errors: Vec::new() };
    let mut phases = Vec::new();
    while let Some(word) = reader.words.next() {
        match request.name.as_str() {
            "ior" => ior(word, &mut reader, request, &mut phases),
            _ => mdtest(word, &mut reader, request, &mut phases),
        }
    }
    if !phases.is_empty() {
        request.phases = phases.into_iter().map(String::from).collect();
    }
    reader.errors
}

struct Reader<'a> {
    words: std::str::SplitWhitespace<'a>,
    errors: Vec<InputError>,
}

impl Reader<'_> {
    fn refuse(&mut self, found: &str, expected: &str) {
        self.errors.push(InputError::new("io_options", found, expected));
    }

    /// The value of an option.
    fn value(&mut self, option: &str) -> &str {
        match self.words.next() {
            Some(value) => value,
            None => {
                self.refuse(option, "a value after it");
                ""
            }
        }
    }

    fn size(&mut self, option: &str) -> u64 {
        let value = self.value(option).to_string();
        // IOR's units are binary: `2m` is 2 MiB.
        let text = match value.chars().last() {
            Some('k' | 'K') => format!("{} KiB", &value[..value.len() - 1]),
            Some('m' | 'M') => format!("{} MiB", &value[..value.len() - 1]),
            Some('g' | 'G') => format!("{} GiB", &value[..value.len() - 1]),
            Some('t' | 'T') => format!("{} TiB", &value[..value.len() - 1]),
            _ => value.clone(),
        };
        read_size(&text).unwrap_or_else(|_| {
            self.refuse(&format!("{option} {value}"), "a size, such as 47008 or 16m");
            1
        })
    }

    fn number(&mut self, option: &str) -> u64 {
        let value = self.value(option).to_string();
        value.parse().unwrap_or_else(|_| {
            self.refuse(&format!("{option} {value}"), "a whole number");
            1
        })
    }

    fn seconds(&mut self, option: &str) -> f64 {
        let value = self.value(option).to_string();
        let read = value.parse().or_else(|_| read_time(&value).map_err(drop));
        read.unwrap_or_else(|()| {
            self.refuse(&format!("{option} {value}"), "seconds, or a time with a unit");
            1.0
        })
    }
}

const IOR: &str = "an option of IOR: -t SIZE, -b SIZE, -s N, -w, -r, -F, -C, -z, -e, -D SECONDS, \
                   --posix.odirect, -O stoneWallingWearOut=1, -O lustreStripeCount=N, \
                   -O lustreStripeSize=SIZE, -a POSIX|DFS, --dfs.oclass=CLASS, \
                   --dfs.dir_oclass=CLASS, --dfs.chunk_size=SIZE";

const MDTEST: &str = "an option of mdtest: -n N, -u, -w SIZE, -e SIZE, -N N, -W SECONDS, -C, -T, \
                      -E, -r, -F, -L, -a POSIX|DFS, --dfs.oclass=CLASS, --dfs.dir_oclass=CLASS, \
                      --dfs.chunk_size=SIZE";

fn ior(word: &str, reader: &mut Reader<'_>, request: &mut IoBenchRequest, phases: &mut Vec<&str>) {
    match word {
        "-t" => request.transfer = reader.size(word),
        "-b" => request.block = reader.size(word),
        "-s" => request.segments = reader.number(word),
        "-w" => phases.push("write"),
        "-r" => phases.push("read"),
        "-F" => request.file_per_process = true,
        "-C" => request.reorder = true,
        "-z" => request.random = true,
        "-e" => request.fsync = true,
        "-D" => request.stonewall_s = Some(reader.seconds(word)),
        "--posix.odirect" => request.direct = true,
        "-a" => api(reader, request),
        "-O" => {
            let value = reader.value(word).to_string();
            directive(&value, reader, request);
        }
        _ if layout(word, reader, request) => {}
        _ => reader.refuse(word, IOR),
    }
}

/// The interface by which the program accesses files.
fn api(reader: &mut Reader<'_>, request: &mut IoBenchRequest) {
    match reader.value("-a").to_string().as_str() {
        "POSIX" => request.dfs = false,
        "DFS" => request.dfs = true,
        other => reader.refuse(&format!("-a {other}"), "POSIX or DFS"),
    }
}

/// A directive of IOR, `NAME=VALUE`.
fn directive(text: &str, reader: &mut Reader<'_>, request: &mut IoBenchRequest) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let mut own = Reader { words: value.split_whitespace(), errors: Vec::new() };
    match name {
        "stoneWallingWearOut" => request.wear_out = value == "1",
        "lustreStripeCount" => request.stripe_count = Some(stripes(value, &mut own)),
        "lustreStripeSize" => request.stripe_size = own.size(name),
        _ => reader.refuse(text, IOR),
    }
    reader.errors.append(&mut own.errors);
}

/// A number of stripes; -1 is all OSTs.
fn stripes(value: &str, reader: &mut Reader<'_>) -> u32 {
    match value {
        "-1" => u32::MAX,
        _ => u32::try_from(reader.number("lustreStripeCount")).unwrap_or(u32::MAX),
    }
}

fn mdtest(
    word: &str,
    reader: &mut Reader<'_>,
    request: &mut IoBenchRequest,
    phases: &mut Vec<&str>,
) {
    match word {
        "-n" => request.items = reader.number(word),
        "-u" => request.unique = true,
        "-w" | "-e" => request.file_bytes = reader.size(word),
        "-N" => {
            let stride = reader.number(word);
            request.stride = u32::try_from(stride).unwrap_or_else(|_| {
                reader.refuse(&format!("-N {stride}"), "fewer than 2^32 ranks");
                0
            });
        }
        "-W" => request.stonewall_s = Some(reader.seconds(word)),
        "-C" => phases.push("create"),
        "-T" => phases.push("stat"),
        "-E" => phases.push("read"),
        "-r" => phases.push("remove"),
        // Files only, at the leaves of the tree: there are no others.
        "-F" | "-L" => {}
        "-a" => api(reader, request),
        _ if layout(word, reader, request) => {}
        _ => reader.refuse(word, MDTEST),
    }
}

/// Whether the word is an option of the layout on DAOS.
fn layout(word: &str, reader: &mut Reader<'_>, request: &mut IoBenchRequest) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    match name {
        "--dfs.oclass" => request.object_class = value.into(),
        "--dfs.dir_oclass" => request.directory_class = value.into(),
        "--dfs.chunk_size" => {
            let mut own = Reader { words: value.split_whitespace(), errors: Vec::new() };
            request.chunk_size = own.size(name);
            reader.errors.append(&mut own.errors);
        }
        _ => return false,
    }
    true
}
