//! The hot loops compiled for the processor at hand: counting bits is one instruction on every
//! x86-64 processor of the last ten years, but not on the oldest that Rust builds for.
#![allow(unsafe_code)]

/// A piece of work. `run` must be `#[inline(always)]`, or it is compiled for the oldest processor.
pub(crate) trait Work {
    type Out;
    /// Is it worth a copy of the code for each kind of processor?
    const HOT: bool;
    fn run(self) -> Self::Out;
}

/// Does the work with the instructions that this processor has.
pub(crate) fn run<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if W::HOT
        && std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has what the function was compiled for.
        return unsafe { newest(work) };
    }
    #[cfg(target_arch = "x86_64")]
    if W::HOT
        && std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has what the function was compiled for.
        return unsafe { modern(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn modern<W: Work>(work: W) -> W::Out {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,popcnt")]
fn newest<W: Work>(work: W) -> W::Out {
    work.run()
}
