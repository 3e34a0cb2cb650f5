//! The normal and Student's distribution, to about 1e-12: what intervals and boundaries need.

use std::f64::consts::{FRAC_2_PI, TAU};

/// The probability that a standard normal number is at most `x`.
pub fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 8.5 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    // 1/2 + φ(x) · (x + x³/3 + x⁵/(3·5) + …), Marsaglia 2004: all terms of one sign.
    let (mut sum, mut term, mut n) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / TAU.sqrt()
}

/// The number that a standard normal one exceeds in absolute value with probability `p`.
pub fn normal_bound(p: f64) -> f64 {
    bisect(|z| 2.0 * normal_cdf(-z) > p)
}

/// The number that Student's t with `df` degrees of freedom exceeds in absolute value with
/// probability `p`; infinite for `df` = 0.
pub fn student_bound(p: f64, df: u64) -> f64 {
    if df == 0 {
        return f64::INFINITY;
    }
    if df <= EXACT {
        return bisect(|t| 1.0 - student_within(t, df) > p);
    }
    // The first terms of the Cornish–Fisher expansion; the next is of the order of 1/df⁴.
    let (z, n) = (normal_bound(p), df as f64);
    let [z3, z5, z7] = [3, 5, 7].map(|power| z.powi(power));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3))
}

/// Up to here the finite sum is taken.
const EXACT: u64 = 500;

/// The probability that |t| ≤ `t`: the finite sums for whole degrees of freedom (Abramowitz and
/// Stegun 26.7.3 and 26.7.4).
fn student_within(t: f64, df: u64) -> f64 {
    let theta = (t / (df as f64).sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let odd = df % 2;
    let mut term = if odd == 1 { cos } else { 1.0 };
    let mut sum = if df == 1 { 0.0 } else { term };
    let mut k = 2 + odd;
    while k < df {
        term *= (k - 1) as f64 / k as f64 * cos * cos;
        sum += term;
        k += 2;
    }
    if odd == 1 { FRAC_2_PI * (theta + sin * sum) } else { sin * sum }
}

/// Where a property that holds at first stops to hold.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while holds(high) && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    /// Values from published tables.
    #[test]
    fn normal() {
        near(normal_cdf(0.0), 0.5, 0.0);
        near(normal_cdf(1.0), 0.841344746068543, 1e-14);
        near(normal_cdf(-2.5), 0.006209665325776132, 1e-15);
        near(normal_cdf(-6.0), 9.865876450376946e-10, 1e-15);
        near(normal_cdf(40.0), 1.0, 0.0);
        near(normal_bound(0.05), 1.959963984540054, 1e-12);
        near(normal_bound(1e-6), 4.891638475698605, 1e-8);
    }

    #[test]
    fn student() {
        let at_5_percent = [
            (1, 12.70620473617471),
            (2, 4.302652729911275),
            (3, 3.182446305284263),
            (4, 2.776445105197793),
            (9, 2.262157162854099),
            (30, 2.042272456301238),
            (99, 1.984216951586416),
            (1000, 1.962339080479291),
        ];
        for (df, bound) in at_5_percent {
            near(student_bound(0.05, df), bound, 1e-9);
        }
        near(student_bound(0.01, 5), 4.032142983557536, 1e-9);
        assert!(student_bound(0.05, 0).is_infinite());
    }

    #[test]
    fn the_expansion_continues_the_finite_sum() {
        for p in [0.2, 0.05, 1e-3, 1e-5] {
            let z = normal_bound(p);
            let (exact, after) = (student_bound(p, EXACT), student_bound(p, EXACT + 1));
            assert!(exact > after && after > z, "{p}");
            // From one number of degrees to the next the bound falls by about (z³ + z) / 4df².
            let fall = (z.powi(3) + z) / (4 * EXACT * EXACT) as f64;
            near(exact - after, fall, 0.02 * fall);
        }
    }
}
