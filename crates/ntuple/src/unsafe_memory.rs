//! Large zeroed arrays of 32-bit floats that threads share without locks.
//!
//! Every element is an atomic accessed with relaxed order, which costs nothing on x86-64 and ARM64
//! and keeps concurrent learning free of data races; an update may get lost, as all lock-free
//! learners accept. The unsafe parts are the view of mapped memory as atomics, and unchecked
//! indexing in `Memory::get`, whose callers index by a plan made for this memory.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use memmap2::MmapMut;

const HUGE_PAGE: usize = 2 << 20;

/// A zeroed array of floats.
pub struct Memory {
    // Never touched again but through `cells`.
    _map: MmapMut,
    cells: *const AtomicU32,
    len: usize,
    huge: bool,
}

// SAFETY: all access to the memory is through atomics.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps `len` zeroed floats, on huge pages where the system gives them.
    pub(crate) fn zeroed(len: usize) -> io::Result<Memory> {
        let bytes = len.checked_mul(4).and_then(|b| b.checked_add(HUGE_PAGE));
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut map = MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        let huge = len * 4 >= HUGE_PAGE && map.advise(memmap2::Advice::HugePage).is_ok();
        #[cfg(not(target_os = "linux"))]
        let huge = false;
        // Aligned to a huge page; there is one page more than needed.
        let start = map.as_mut_ptr();
        let offset = start.align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: `offset` is at most the page that was added to the length.
        #[allow(clippy::cast_ptr_alignment, reason = "aligned to a huge page")]
        let cells = unsafe { start.add(offset) }.cast::<AtomicU32>().cast_const();
        Ok(Memory { _map: map, cells, len, huge })
    }

    /// Did the system take the advice to use huge pages?
    pub(crate) fn huge(&self) -> bool {
        self.huge
    }

    /// Where the floats begin.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn base(&self) -> *const AtomicU32 {
        self.cells
    }

    /// How many floats there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Is there a float at this index?
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn holds(&self, index: u32) -> bool {
        (index as usize) < self.len
    }

    /// The float at an index that the caller's plan keeps within the memory.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> f32 {
        debug_assert!((index as usize) < self.len);
        // SAFETY: plans are made together with the memory they index (see `Network::new`).
        f32::from_bits(unsafe { (*self.cells.add(index as usize)).load(Ordering::Relaxed) })
    }

    #[inline(always)]
    pub(crate) fn set(&self, index: u32, value: f32) {
        debug_assert!((index as usize) < self.len);
        // SAFETY: as in `get`.
        unsafe { (*self.cells.add(index as usize)).store(value.to_bits(), Ordering::Relaxed) }
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
