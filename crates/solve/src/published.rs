//! What others found on the boards that take long.

/// Sizes of layers of 4×3 by tile sum, as published with the complete analysis of that board.
pub const LAYERS_4X3: [(u32, u64); 17] = [
    (4, 22),
    (6, 72),
    (8, 172),
    (10, 366),
    (12, 739),
    (14, 1_337),
    (16, 2_307),
    (18, 3_812),
    (20, 6_186),
    (40, 148_006),
    (60, 759_221),
    (100, 3_716_734),
    (120, 6_050_674),
    (200, 17_679_689),
    (500, 60_201_817),
    (1000, 97_467_519),
    (2000, 120_758_912),
];
