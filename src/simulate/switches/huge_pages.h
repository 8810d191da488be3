// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace faultline {

/// Requests huge pages for a large array: an engine that jumps between switches would miss the TLB at every
/// step.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t least = page / 8;  ///< bytes that take a page of their own

  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes < least ? std::size_t{64} : page;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    // No result depends on either. Memory that the process has used before would keep its small pages: after
    // the plans of a hypercube 8 of 18 MB had some.
    if (bytes >= least) {
      (void)madvise(memory, rounded, MADV_DONTNEED);
      (void)madvise(memory, rounded, MADV_HUGEPAGE);
    }
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  friend bool operator==(HugePageAllocator, HugePageAllocator) { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace faultline
