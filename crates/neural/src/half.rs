//! Weights rounded to 16-bit floats (IEEE 754 binary16).

/// The nearest 16-bit float, ties to even; what is too large becomes infinite.
pub(crate) fn from_f32(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    // 65520 and more round to infinity; what is not a number stays none.
    if magnitude >= 0x477f_f000 {
        return sign | if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    }
    if magnitude < 0x3880_0000 {
        // Below the smallest normal number: a whole number of steps of 2^-24, rounded by addition.
        let steps = f32::from_bits(magnitude) + 0.5;
        return sign | (steps.to_bits() - 0.5f32.to_bits()) as u16;
    }
    let rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

/// Exactly the number a 16-bit float stands for.
pub(crate) fn to_f32(half: u16) -> f32 {
    let sign = ((half & 0x8000) as u32) << 16;
    let magnitude = (half & 0x7fff) as u32;
    let positive = match magnitude {
        0x7c00.. => f32::from_bits(0x7f80_0000 | (magnitude & 0x3ff) << 13),
        0x0400.. => f32::from_bits((magnitude << 13) + 0x3800_0000),
        _ => magnitude as f32 / (1 << 24) as f32,
    };
    f32::from_bits(positive.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            let number = to_f32(half);
            if number.is_nan() {
                assert!(to_f32(from_f32(number)).is_nan());
            } else {
                assert_eq!(from_f32(number), half, "{number}");
            }
        }
    }

    #[test]
    fn what_lies_between_goes_to_the_nearest_and_to_even() {
        for half in 0..0x7bffu16 {
            let (low, high) = (to_f32(half), to_f32(half + 1));
            let middle = f32::midpoint(low, high);
            let even = half + half % 2;
            assert_eq!(from_f32(middle), even);
            assert_eq!(from_f32(-middle), 0x8000 | even);
            assert_eq!(from_f32(middle.next_down()), half);
            assert_eq!(from_f32(middle.next_up()), half + 1);
        }
        assert_eq!((from_f32(65519.9), from_f32(65520.0)), (0x7bff, 0x7c00));
    }
}
