//! DAOS without time: messages of calls, with a driver that executes RPCs in order.

#[path = "daos/costs.rs"]
mod costs;
#[path = "daos/data.rs"]
mod data;
#[path = "daos/driver.rs"]
mod driver;
#[path = "daos/metadata.rs"]
mod metadata;
#[path = "daos/paths.rs"]
mod paths;
#[path = "daos/placement.rs"]
mod placement;
#[path = "daos/random.rs"]
mod random;
