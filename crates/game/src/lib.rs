//! The rules of 2048, exact and fast, on every board up to 16 cells.
//!
//! ```
//! use maxtile_game::{Board, Move, Random, Rules};
//!
//! // A random game, named for ever by its seed.
//! let rules = Rules::default();
//! let mut random = Random::stream(1, 0);
//! let mut board = rules.start(&mut random);
//! let mut score = 0;
//! loop {
//!     let slides = board.afterstates();
//!     let legal = slides.legal();
//!     let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
//!     let (afterstate, reward) = slides.get(mv).expect("drawn among the legal ones");
//!     score += reward;
//!     board = rules.law.spawn(afterstate, &mut random);
//! }
//! assert!(board.is_over() && score > 0);
//!
//! // The largest tile there is, exactly.
//! let board: Board = "gg00000000000000".parse()?;
//! let (afterstate, reward) = board.slide(Move::Left).expect("legal");
//! assert_eq!((afterstate.to_string().as_str(), reward), ("h000000000000000", 131_072));
//! # Ok::<(), maxtile_game::PositionError>(())
//! ```
//!
//! A [`Board`] is a state to move, an [`Afterstate`] the position after the slide and before the
//! spawn. [`Board::slide`] leads from one to the other and [`Afterstate::spawn`] back; a
//! [`Spawn`] is the same value whether chance, an attacker or a recorded game made it.
//!
//! This crate depends on nothing, does no input or output and never asks the system for
//! randomness.

mod afterstates;
mod board;
mod direction;
mod duel;
mod game;
mod geometry;
mod grid;
mod notation;
mod perft;
mod random;
mod record;
mod rows;
mod rules;
mod shape;
mod slide;
mod symmetry;
#[cfg(target_arch = "x86_64")]
mod unsafe_sse2;

pub use afterstates::Afterstates;
pub use board::{Afterstate, Board, Spawn, SpawnError, SpawnReason};
pub use direction::{Move, MoveSet, ParseMoveError};
pub use duel::{Duel, DuelPly, DuelRules, Phase, PlaceError, Side, Tiles, Variant, VariantError};
pub use game::Game;
pub use grid::Grid;
pub use notation::PositionError;
pub use perft::{perft, perft_by_move, perft_from_start};
pub use random::Random;
pub use record::{GameSeed, Ply, Record, ReplayError, ReplayReason, Turn};
pub use rules::{LawError, Rules, SpawnLaw};
pub use shape::{MAX_CELLS, MAX_SIDE, Shape, ShapeError};
pub use symmetry::Symmetry;
