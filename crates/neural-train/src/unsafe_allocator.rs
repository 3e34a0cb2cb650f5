//! Memory that is kept from step to step.
//!
//! Every step of training asks for tensors of megabytes and lets go of them again. The allocator of glibc gives such blocks
//! back to the system at once and asks for them anew, page by page, each filled with zeros: 40 % of the time of a
//! PPO run. The unsafe part is the call of `mallopt`, which only sets numbers of the allocator.
#![allow(unsafe_code)]

/// Tells the system's allocator to keep what is freed, for the whole process. Does nothing where the allocator is
/// another one.
pub(crate) fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let settings = [
                // Nothing by a mapping of its own, and nothing given back at the end of the heap;
                (libc::M_MMAP_MAX, 0),
                (libc::M_TRIM_THRESHOLD, i32::MAX),
                // one heap for all threads, since those of single threads are given back all the same.
                (libc::M_ARENA_MAX, 1),
            ];
            for (setting, value) in settings {
                // SAFETY: takes two numbers, locks the allocator, and touches no memory of ours. A refusal costs only time.
                unsafe { libc::mallopt(setting, value) };
            }
        });
    }
}
