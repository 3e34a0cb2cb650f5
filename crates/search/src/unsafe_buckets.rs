//! The memory of the transposition table: zeroed, shared by threads, on huge pages where possible.
//!
//! Everything in it is an atomic. The unsafe parts are the view of mapped memory as buckets of
//! atomics, for which zeroes are a valid content, and the prefetch, which may name any address.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

const HUGE_PAGE: usize = 2 << 20;

/// Four entries of two words each: one cache line.
#[repr(C, align(64))]
pub(crate) struct Bucket(pub(crate) [[AtomicU64; 2]; 4]);

/// A power of two of buckets.
pub(crate) struct Buckets {
    // Never touched again but through `first`.
    _map: MmapMut,
    first: *const Bucket,
    len: usize,
}

// SAFETY: all access to the memory is through atomics.
unsafe impl Send for Buckets {}
// SAFETY: as above.
unsafe impl Sync for Buckets {}

impl Buckets {
    /// Maps `2^bits` empty buckets.
    pub(crate) fn zeroed(bits: u32) -> io::Result<Buckets> {
        let bytes = size_of::<Bucket>().checked_shl(bits).ok_or(io::ErrorKind::OutOfMemory)?;
        let with_page = bytes.checked_add(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut map = MmapMut::map_anon(with_page)?;
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let start = map.as_mut_ptr();
        let offset = start.align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: `offset` is at most the page that was added to the length.
        #[allow(clippy::cast_ptr_alignment, reason = "aligned to a huge page")]
        let first = unsafe { start.add(offset) }.cast::<Bucket>().cast_const();
        Ok(Buckets { _map: map, first, len: 1 << bits })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bucket at `index` modulo their number.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> &Bucket {
        // SAFETY: the index is below the length, a power of two; zeroed atomics are valid.
        unsafe { &*self.first.add(index & (self.len - 1)) }
    }

    /// Asks for a bucket that will be needed soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch of any address does no harm.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.first.wrapping_add(index & (self.len - 1)).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }
}
