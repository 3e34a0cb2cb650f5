//! Studies of players: many agents play the same games; what they made stands in a file that can be
//! continued, and on a page.

mod describe;
mod page;
mod results;

pub use describe::{Entry, Fingerprints, Part, Study, StudyGames};
pub use page::{part_figure, study_page};
pub use results::{Block, Blocks, Tally};

/// Name and text of the studies that come with the program.
pub const NAMED_STUDIES: &[(&str, &str)] = &[
    ("mcss-2022", include_str!("../../../../experiments/mcss-2022.toml")),
    ("default-player", include_str!("../../../../experiments/default-player.toml")),
    ("shortcuts", include_str!("../../../../experiments/shortcuts.toml")),
];

#[cfg(test)]
mod tests;
