//! The real server, asked as browsers, programs and troublemakers do.

mod client;
mod duel;
mod limits;
mod load;
mod objects;
mod pages;
mod runs;
mod streams;
