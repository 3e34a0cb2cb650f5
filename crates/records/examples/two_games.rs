//! Plays two random games on small boards and writes them as JSON lines to standard output.
#![allow(clippy::print_stdout)]

use maxtile_game::{Game, GameSeed, Random, Rules, Shape};
use maxtile_records::to_json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (index, shape) in [Shape::new(2, 2)?, Shape::new(2, 3)?].into_iter().enumerate() {
        let seed = GameSeed { run: 7, index: index as u64 };
        let mut game = Game::new(Rules::of(shape), seed);
        let mut random = Random::new(seed.index);
        loop {
            let legal = game.board().legal_moves();
            let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
            game.play(mv);
        }
        game.set_player("random");
        print!("{}", to_json(game.record())?);
    }
    Ok(())
}
