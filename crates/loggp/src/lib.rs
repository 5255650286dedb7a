//! loggp
