// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "simulate/switches/huge_pages.h"

namespace faultline {

/// Values that are not initialised: those that are never touched take only addresses, and no memory.
template <class T>
class Untouched {
 public:
  explicit Untouched(std::size_t count)
      : bytes_(count * sizeof(T)), values_(count == 0 ? nullptr : reserve(count)) {}
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;
  ~Untouched() { release(); }

  [[nodiscard]] T* get() const { return values_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return values_[i]; }

 private:
  using Allocator = HugePageAllocator<T>;

#ifdef __linux__
  /// From here on the system is not asked to have as much memory as there are addresses.
  static constexpr std::size_t large = std::size_t{64} << 20;

  /// More than is needed, so that the first value can begin a large page.
  [[nodiscard]] std::size_t mapped() const { return bytes_ + Allocator::page; }

  T* reserve(std::size_t count) {
    if (bytes_ < large) return Allocator().allocate(count);
    constexpr int access = PROT_READ | PROT_WRITE, type = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, mapped(), access, type, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    (void)madvise(memory, mapped(), MADV_HUGEPAGE);  // no result depends on it
    std::size_t space = mapped();
    void* first = memory_ = memory;
    return static_cast<T*>(std::align(Allocator::page, bytes_, first, space));
  }
  void release() {
    if (memory_ != nullptr)
      (void)munmap(memory_, mapped());
    else
      Allocator().deallocate(values_, 0);
  }
#else
  T* reserve(std::size_t count) { return Allocator().allocate(count); }
  void release() { Allocator().deallocate(values_, 0); }
#endif

  std::size_t bytes_;
  void* memory_ = nullptr;
  T* values_;
};

}  // namespace faultline
