//! Minimax by its definition: every child, to the last ply.

use maxtile_game::{Afterstate, Board, Grid, Move, Random, Rules, Shape, Spawn, Tiles, Variant};
use maxtile_search::{DuelValue, LeafRule, Value};

/// A judgement without sense, different for every position and with fractions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    fn of(self, grid: Grid) -> f32 {
        let word = (grid.nibbles() ^ self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xd129_0d3b_3a5f_8f35);
        (word >> 44) as f32 / 512.0
    }
}

impl Value for Noise {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            *value = self.of(afterstate.grid());
        }
    }
}

/// Nothing but the definition.
pub(crate) struct Minimax<'a, V> {
    pub(crate) value: &'a V,
    pub(crate) variant: Variant,
    pub(crate) p4: f64,
    pub(crate) leaves: LeafRule,
}

impl<V: DuelValue> Minimax<'_, V> {
    /// What each slide is worth at this depth.
    pub(crate) fn slides(&self, board: Board, depth: u8) -> Vec<(Move, f64)> {
        let slides = Move::ALL.into_iter().filter_map(|mv| Some((mv, board.slide(mv)?)));
        slides
            .map(|(mv, (a, reward))| (mv, f64::from(reward) + self.attack(a, depth - 1)))
            .collect()
    }

    /// What each placement is worth at this depth.
    pub(crate) fn placements(
        &self,
        after: Afterstate,
        tiles: Tiles,
        depth: u8,
    ) -> Vec<(Spawn, f64)> {
        let mut all = Vec::new();
        for cell in 0..after.shape().cells() {
            for &exponent in tiles.exponents() {
                let spawn = Spawn { cell: cell as u8, exponent };
                if let Ok(board) = after.spawn(spawn) {
                    all.push((spawn, self.defend(board, depth - 1)));
                }
            }
        }
        all
    }

    fn defend(&self, board: Board, depth: u8) -> f64 {
        if board.is_over() {
            return 0.0;
        }
        if depth == 0 && self.leaves != LeafRule::Defender {
            let mut value = [0.0];
            self.value.placed(&[board], &mut value);
            return value[0] as f64;
        }
        let slides = self.slides(board, depth.max(1));
        slides.into_iter().map(|slide| slide.1).fold(f64::NEG_INFINITY, f64::max)
    }

    fn attack(&self, after: Afterstate, depth: u8) -> f64 {
        if depth == 0 && self.leaves != LeafRule::Attacker {
            let mut value = [0.0];
            self.value.slid(&[after], &mut value);
            return value[0] as f64;
        }
        let least = |tiles| {
            let all = self.placements(after, tiles, depth.max(1));
            all.into_iter().map(|place| place.1).fold(f64::INFINITY, f64::min)
        };
        match self.variant {
            Variant::Free => least(Tiles::Any),
            Variant::Twos => least(Tiles::Two),
            Variant::Drawn => (1.0 - self.p4) * least(Tiles::Two) + self.p4 * least(Tiles::Four),
        }
    }
}

/// Without draws all numbers are sums that both can write down exactly. A draw is rounded to units
/// of 2^-20.
pub(crate) fn tolerance(variant: Variant, depth: u8) -> f64 {
    if variant == Variant::Drawn { f64::from(depth) * 2e-6 } else { 0.0 }
}

/// Positions of random games, early and late ones.
pub(crate) fn positions(seed: u64, count: usize, shape: Shape) -> Vec<Board> {
    let rules = Rules::of(shape);
    let mut found = Vec::new();
    let mut game = 0;
    while found.len() < count {
        let mut random = Random::stream(seed, game);
        game += 1;
        let mut board = rules.start(&mut random);
        let plies = random.below(140);
        for _ in 0..plies {
            let legal = board.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal.nth(random.below(legal.len() as u64) as usize).unwrap();
            let (afterstate, _) = board.slide(mv).unwrap();
            board = rules.law.spawn(afterstate, &mut random);
        }
        if !board.is_over() {
            found.push(board);
        }
    }
    found
}
