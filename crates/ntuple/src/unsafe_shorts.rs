//! Large arrays of 16-bit weights, filled once by several threads and then only read.
//!
//! Every element is an atomic accessed with relaxed order. The unsafe parts are the view of mapped
//! memory as atomics and unchecked indexing by plans made for this memory.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicI16, Ordering};

use memmap2::MmapMut;

const HUGE_PAGE: usize = 2 << 20;
/// Elements before the first one: a vector load of 32 bits reaches back by one.
const FRONT: usize = 32;

/// A zeroed array of 16-bit numbers.
pub(crate) struct Shorts {
    // Never touched again but through `cells`.
    _map: MmapMut,
    cells: *const AtomicI16,
    len: usize,
}

// SAFETY: all access to the memory is through atomics.
unsafe impl Send for Shorts {}
// SAFETY: as above.
unsafe impl Sync for Shorts {}

impl Shorts {
    /// Maps `len` zeroes, on huge pages where the system gives them.
    pub(crate) fn zeroed(len: usize) -> io::Result<Shorts> {
        let bytes = len.checked_add(2 * FRONT).and_then(|n| n.checked_mul(2));
        let bytes =
            bytes.and_then(|b| b.checked_add(HUGE_PAGE)).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut map = MmapMut::map_anon(bytes)?;
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        if len * 2 >= HUGE_PAGE {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let start = map.as_mut_ptr();
        let offset = start.align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: `offset` is at most the page that was added, and `FRONT` was added as well.
        #[allow(clippy::cast_ptr_alignment, reason = "aligned to a huge page")]
        let cells = unsafe { start.add(offset).cast::<AtomicI16>().add(FRONT) }.cast_const();
        Ok(Shorts { _map: map, cells, len })
    }

    /// Where the numbers begin.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn base(&self) -> *const AtomicI16 {
        self.cells
    }

    /// Is there a number at this index?
    pub(crate) fn holds(&self, index: u32) -> bool {
        (index as usize) < self.len
    }

    /// The number at an index that the caller's plan keeps within the memory.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> i16 {
        debug_assert!(self.holds(index));
        // SAFETY: plans are made together with the memory they index (see `Compact::empty`).
        unsafe { (*self.cells.add(index as usize)).load(Ordering::Relaxed) }
    }

    #[inline(always)]
    pub(crate) fn set(&self, index: u32, value: i16) {
        debug_assert!(self.holds(index));
        // SAFETY: as in `get`.
        unsafe { (*self.cells.add(index as usize)).store(value, Ordering::Relaxed) }
    }

    /// Asks for the cache line of an index that will be needed soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: u32) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch of any address does no harm.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.cells.wrapping_add(index as usize).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }
}
