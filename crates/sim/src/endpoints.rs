//! Endpoints that are not ranks. Each component adds a range of them, and gets their events and the
//! arrivals of their messages.

/// The component that an endpoint belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndpointKind {
    /// A source of background traffic.
    Source,
    /// Of the component that the caller adds to the run.
    Added,
    /// Of the machine's file systems.
    FileSystem,
}

/// What happens at an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndpointEvent {
    /// An event that its component scheduled, with the component's token.
    Timer(u32),
    /// A message of the endpoint has arrived at its destination.
    Arrived,
    /// The network has given it up.
    Failed,
}

/// Token of the arrival of a message whose time is known. Tokens of components are below it.
pub(crate) const ARRIVAL: u32 = u32::MAX;

impl EndpointEvent {
    pub(crate) fn of(token: u32) -> EndpointEvent {
        match token {
            ARRIVAL => EndpointEvent::Arrived,
            token => EndpointEvent::Timer(token),
        }
    }
}

/// The ranges of all components, in the order in which they were added.
#[derive(Default)]
pub(crate) struct EndpointRanges {
    /// Kind and first number of each range.
    ranges: Vec<(EndpointKind, u32)>,
    len: u32,
}

impl EndpointRanges {
    /// Adds `count` endpoints; returns the number of the first.
    pub fn add(&mut self, kind: EndpointKind, count: u32) -> u32 {
        let first = self.len;
        self.len += count;
        self.ranges.push((kind, first));
        first
    }

    /// The kind of an endpoint, and the first number of its component.
    pub fn find(&self, endpoint: u32) -> (EndpointKind, u32) {
        self.ranges[self.ranges.partition_point(|range| range.1 <= endpoint) - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_belongs_to_the_range_that_contains_it() {
        let mut endpoints = EndpointRanges::default();
        let (source, added) = (EndpointKind::Source, EndpointKind::Added);
        let ranges = [(source, 3), (source, 0), (added, 2)];
        assert_eq!(ranges.map(|(kind, count)| endpoints.add(kind, count)), [0, 3, 3]);
        let found = [0, 2, 3, 4].map(|endpoint| endpoints.find(endpoint));
        assert_eq!(found, [(source, 0), (source, 0), (added, 3), (added, 3)]);
    }
}
