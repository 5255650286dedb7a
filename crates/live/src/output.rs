//! Forwards the ranks' output with the rank before every line, and terminal input to rank 0.
//!
//! One thread serves all pipes: two per rank.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Wall-clock interval at which the thread checks for the end of the job, in milliseconds.
const POLL_MS: i32 = 50;
/// Longest delay of output after the end of the job; pipes that stay open longer are abandoned.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);
/// Longest line in bytes; a longer one is forwarded in parts.
const LINE: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stream {
    Out,
    Err,
}

struct Source {
    file: Option<File>,
    label: String,
    stream: Stream,
    line: Vec<u8>,
}

/// Joined when dropped; drop it after the last rank has ended.
pub(crate) struct StreamForwarder {
    thread: Option<JoinHandle<()>>,
    over: Arc<AtomicBool>,
}

impl Drop for StreamForwarder {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed.
            let _ = thread.join();
        }
    }
}

impl StreamForwarder {
    /// Labels the output from `pipes`, each with its rank and its stream.
    pub fn label(pipes: Vec<(u32, Stream, OwnedFd)>) -> StreamForwarder {
        let sources = pipes.into_iter().map(|(rank, stream, fd)| Source {
            file: Some(File::from(fd)),
            label: format!("[{rank}] "),
            stream,
            line: Vec::new(),
        });
        let mut sources: Vec<Source> = sources.collect();
        StreamForwarder::start(move |over| label_lines(&mut sources, over))
    }

    /// Forwards standard input to that of a rank.
    pub fn input(to: OwnedFd) -> StreamForwarder {
        let mut to = File::from(to);
        StreamForwarder::start(move |over| {
            let mut buffer = [0; 4096];
            while !over.load(Ordering::Acquire) {
                let mut poll = [pollfd(0)];
                if ready(&mut poll) == 0 {
                    continue;
                }
                // SAFETY: reads into a local buffer.
                let n = unsafe { libc::read(0, buffer.as_mut_ptr().cast(), buffer.len()) };
                if n <= 0 || to.write_all(&buffer[..n as usize]).is_err() {
                    return;
                }
            }
        })
    }

    fn start(run: impl FnOnce(&AtomicBool) + Send + 'static) -> StreamForwarder {
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        StreamForwarder { thread: Some(std::thread::spawn(move || run(&seen))), over }
    }
}

fn pollfd(fd: i32) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

fn ready(polls: &mut [libc::pollfd]) -> i32 {
    // SAFETY: a slice of pollfds and its length.
    unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, POLL_MS) }.max(0)
}

fn label_lines(sources: &mut [Source], over: &AtomicBool) {
    let mut deadline = None;
    let mut buffer = vec![0; LINE];
    loop {
        let mut polls: Vec<libc::pollfd> = Vec::new();
        let mut who = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            if let Some(file) = &source.file {
                polls.push(pollfd(file.as_raw_fd()));
                who.push(i);
            }
        }
        if polls.is_empty() {
            return;
        }
        if deadline.is_none() && over.load(Ordering::Acquire) {
            deadline = Some(Instant::now() + OUTPUT_TIMEOUT);
        }
        if deadline.is_some_and(|d| Instant::now() > d) {
            who.iter().for_each(|&i| sources[i].end());
            return;
        }
        if ready(&mut polls) == 0 {
            continue;
        }
        for (poll, &i) in polls.iter().zip(&who) {
            if poll.revents != 0 {
                sources[i].read(&mut buffer);
            }
        }
    }
}

impl Source {
    fn read(&mut self, buffer: &mut [u8]) {
        let Some(file) = &mut self.file else { return };
        match file.read(buffer) {
            Ok(0) | Err(_) => self.end(),
            Ok(n) => self.line.extend_from_slice(&buffer[..n]),
        }
        let mut out = Vec::new();
        let mut from = 0;
        while let Some(n) = self.line[from..].iter().position(|&b| b == b'\n') {
            out.extend_from_slice(self.label.as_bytes());
            out.extend_from_slice(&self.line[from..=from + n]);
            from += n + 1;
        }
        self.line.drain(..from);
        self.write(&out);
        if self.line.len() >= LINE {
            self.end_incomplete_line();
        }
    }
    /// Forwards an incomplete line with a line end.
    fn end_incomplete_line(&mut self) {
        if !self.line.is_empty() {
            let mut out = self.label.clone().into_bytes();
            out.append(&mut self.line);
            out.push(b'\n');
            self.write(&out);
        }
    }
    fn end(&mut self) {
        self.file = None;
        self.end_incomplete_line();
    }
    fn write(&self, out: &[u8]) {
        // Errors are ignored: the reader has closed the output.
        let _ = match self.stream {
            Stream::Out => {
                std::io::stdout().write_all(out).and_then(|()| std::io::stdout().flush())
            }
            Stream::Err => std::io::stderr().write_all(out),
        };
    }
}
