//! Half boards by tile sum: the static tables that make a rank two loads and a multiplication.
//!
//! Half boards with the same sum are numbered; a board is named by the numbers of its halves. Where
//! the region has a mirror that maps each half onto itself, the table also numbers the half boards
//! up to that mirror and knows the number of each mirror image, so that choosing the canonical one
//! of two mirrored boards needs no transformation.

/// What the table knows of a half board, packed: sum / 2 in the high 16 bits, then its number up to
/// the mirror, its number, and the number of its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Half(u64);

impl Half {
    fn new(sum: usize, class: usize, rank: usize, mirror: usize) -> Half {
        debug_assert!([sum, class, rank, mirror].iter().all(|&n| n < 1 << 16));
        Half((sum as u64) << 48 | (class as u64) << 32 | (rank as u64) << 16 | mirror as u64)
    }

    #[inline(always)]
    pub(crate) fn sum(self) -> usize {
        (self.0 >> 48) as usize
    }

    /// The number up to the mirror.
    #[inline(always)]
    pub(crate) fn class(self) -> u32 {
        (self.0 >> 32) as u32 & 0xffff
    }

    /// The number among all half boards of this sum.
    #[inline(always)]
    pub(crate) fn rank(self) -> u32 {
        (self.0 >> 16) as u32 & 0xffff
    }

    /// The number of the mirror image.
    #[inline(always)]
    pub(crate) fn mirror(self) -> u32 {
        self.0 as u32 & 0xffff
    }
}

/// Half boards of one form.
pub(crate) struct Halves {
    /// By the packed nibbles.
    table: Vec<u64>,
    /// The packed nibbles by sum, then number.
    all: Listing,
    /// Those that are not larger than their mirror images.
    canonical: Listing,
}

/// Packed half boards by sum.
pub(crate) struct Listing {
    first: Vec<u32>,
    packed: Vec<u32>,
}

impl Listing {
    /// The half boards of a sum, in the order of their numbers.
    pub(crate) fn of(&self, sum: usize) -> &[u32] {
        match self.first.get(sum..sum + 2) {
            Some(&[from, to]) => &self.packed[from as usize..to as usize],
            _ => &[],
        }
    }

    /// How many half boards have this sum.
    pub(crate) fn count(&self, sum: usize) -> usize {
        self.of(sum).len()
    }

    /// Where a sum's half boards begin in [`Self::packed`].
    pub(crate) fn start(&self, sum: usize) -> usize {
        self.first.get(sum).map_or(self.packed.len(), |&at| at as usize)
    }

    /// All of them.
    pub(crate) fn packed(&self) -> &[u32] {
        &self.packed
    }

    fn by_sum(packed: &[(u32, u32)], largest: usize) -> Listing {
        let mut first = vec![0; largest + 2];
        for &(sum, _) in packed {
            first[sum as usize + 1] += 1;
        }
        for sum in 0..=largest {
            first[sum + 1] += first[sum];
        }
        let mut next = first.clone();
        let mut ordered = vec![0; packed.len()];
        for &(sum, bits) in packed {
            ordered[next[sum as usize] as usize] = bits;
            next[sum as usize] += 1;
        }
        Listing { first, packed: ordered }
    }
}

impl Halves {
    /// All half boards of `cells` cells with exponents up to `most`, at most six cells. `mirror`
    /// says where the mirror takes each cell.
    pub(crate) fn new(cells: usize, most: u8, mirror: Option<&[usize]>) -> Halves {
        assert!(cells <= 6 && most < 15, "half boards of at most six cells");
        let mut boards = Vec::new();
        let mut exponents = vec![0u8; cells];
        loop {
            boards.push((sum(&exponents), pack(&exponents)));
            // The next number in base most + 1, so that the packed ones ascend.
            let Some(cell) = exponents.iter().position(|&e| e < most) else { break };
            exponents[cell] += 1;
            exponents[..cell].fill(0);
        }
        let largest = boards.iter().map(|&(sum, _)| sum as usize).max().unwrap_or(0);
        let image = |bits: u32| match mirror {
            None => bits,
            Some(to) => {
                (0..cells).fold(0, |image, c| image | (bits >> (4 * c) & 15) << (4 * to[c]))
            }
        };
        let all = Listing::by_sum(&boards, largest);
        let small: Vec<_> =
            boards.iter().copied().filter(|&(_, bits)| bits <= image(bits)).collect();
        let canonical = Listing::by_sum(&small, largest);

        let mut table = vec![0; 1 << (4 * cells)];
        for sum in 0..=largest {
            for (rank, &bits) in all.of(sum).iter().enumerate() {
                table[bits as usize] = rank as u64;
            }
            let rank_of = |bits: u32, table: &[u64]| table[bits as usize] as usize & 0xffff;
            let mut entries = Vec::new();
            for (class, &bits) in canonical.of(sum).iter().enumerate() {
                let (rank, mirror) = (rank_of(bits, &table), rank_of(image(bits), &table));
                entries.push((bits, Half::new(sum, class, rank, mirror)));
                entries.push((image(bits), Half::new(sum, class, mirror, rank)));
            }
            for (bits, half) in entries {
                table[bits as usize] = half.0;
            }
        }
        Halves { table, all, canonical }
    }

    /// What is known of a half board.
    #[inline(always)]
    pub(crate) fn get(&self, packed: u32) -> Half {
        Half(self.table[packed as usize])
    }

    pub(crate) fn all(&self) -> &Listing {
        &self.all
    }

    pub(crate) fn canonical(&self) -> &Listing {
        &self.canonical
    }

    /// The largest sum / 2 of a half board.
    pub(crate) fn largest_sum(&self) -> usize {
        self.all.first.len() - 2
    }
}

/// Half the sum of the tiles.
fn sum(exponents: &[u8]) -> u32 {
    exponents.iter().map(|&e| if e == 0 { 0 } else { 1 << (e - 1) }).sum()
}

fn pack(exponents: &[u8]) -> u32 {
    exponents.iter().rev().fold(0, |bits, &e| bits << 4 | u32::from(e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_mirrors_agree() {
        let halves = Halves::new(3, 4, Some(&[2, 1, 0]));
        assert_eq!(halves.all().packed().len(), 125);
        for sum in 0..=halves.largest_sum() {
            for (rank, &bits) in halves.all().of(sum).iter().enumerate() {
                let half = halves.get(bits);
                assert_eq!((half.sum(), half.rank() as usize), (sum, rank));
                let mirrored = (bits & 15) << 8 | bits & 0xf0 | bits >> 8;
                let image = halves.get(mirrored);
                assert_eq!((half.mirror(), half.class()), (image.rank(), image.class()));
                let canonical = halves.canonical().of(sum)[half.class() as usize];
                assert_eq!(canonical, bits.min(mirrored));
            }
        }
    }
}
