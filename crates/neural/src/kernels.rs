//! Which code multiplies.

#[cfg(target_arch = "x86_64")]
use crate::{unsafe_avx2, unsafe_avx512};

/// The kinds of code there are, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernels {
    /// Plain Rust, for every processor.
    Portable,
    /// Vectors of eight with fused arithmetic and 16-bit loads (AVX2, FMA, F16C).
    Avx2,
    /// Vectors of sixteen (AVX-512F).
    Avx512,
}

impl Kernels {
    /// What this processor can do.
    pub fn available() -> Vec<Kernels> {
        let mut all = vec![Kernels::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") && has!("f16c") {
                all.push(Kernels::Avx2);
                if has!("avx512f") {
                    all.push(Kernels::Avx512);
                }
            }
        }
        all
    }

    /// The fastest that this processor can do.
    pub fn best() -> Kernels {
        Kernels::available()[Kernels::available().len() - 1]
    }

    /// Does some work that is plain Rust with code built for these vectors.
    #[inline(always)]
    pub(crate) fn build<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx512 => unsafe_avx512::built_for(work),
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx2 => unsafe_avx2::built_for(work),
            _ => work(),
        }
    }

    pub(crate) fn reads_halves(self) -> bool {
        self != Kernels::Portable
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kernels::Portable => "portable",
            Kernels::Avx2 => "avx2",
            Kernels::Avx512 => "avx512",
        }
    }
}
