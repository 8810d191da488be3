// SPDX-License-Identifier: Apache-2.0
// As much of the CUDA runtime as the resilience kernel calls, on the host, so that the kernel is tested
// without a GPU: the threads of a warp are coroutines that meet where they vote. Memory is filled with
// garbage, out-of-bounds accesses are left to the address sanitizer, and threads of a warp that part at a
// vote are an error.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "support/effort.h"

#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)

struct dim3 {
  explicit dim3(unsigned count = 1) : x(count) {}
  unsigned x;
};

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNoDevice };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };

namespace emulated {

struct Device {
  bool present = true;
  std::size_t free_bytes = std::size_t{1} << 30;
};
inline Device device;

inline dim3 grid, block, block_index, thread_index;

/// A stack, and where to go on with it.
class Coroutine {
 public:
  /// Of what runs on the thread's own stack.
  Coroutine() = default;
  explicit Coroutine(void (*start)()) : stack_(std::make_unique_for_overwrite<char[]>(stack_bytes)) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_bytes;
    makecontext(&context_, start, 0);
  }

  /// Returns when something switches back. Only the beginning is left to swapcontext, which asks the kernel
  /// for the signal mask: that took two thirds of these tests. The address sanitizer, though, follows
  /// swapcontext, and no jumps from stack to stack.
  void switch_to(Coroutine& other) {
    if constexpr (faultline::under_sanitizers) {
      swapcontext(&context_, &other.context_);
    } else if (_setjmp(here_) == 0) {
      if (std::exchange(other.entered_, true) || other.stack_ == nullptr) _longjmp(other.here_, 1);
      setcontext(&other.context_);
    }
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{32} << 10;
  std::unique_ptr<char[]> stack_;
  ucontext_t context_{};
  jmp_buf here_{};
  bool entered_ = false;
};

class Warp {
 public:
  static constexpr unsigned threads = 32;

  explicit Warp(std::function<void(unsigned)> body) : body_(std::move(body)) {
    for (unsigned thread = 0; thread < threads; ++thread)
      coroutines_[thread] = std::make_unique<Coroutine>(&Warp::start);
  }

  void run() {
    while (finished_ == 0) {
      bool all = true;
      void* at = nullptr;
      for (running_ = 0; running_ < threads; ++running_) {
        current_ = this;
        scheduler_.switch_to(*coroutines_[running_]);
        all = all && vote_;
        if (running_ != 0 && vote_at_ != at) throw std::logic_error("threads of a warp parted at a vote");
        at = vote_at_;
      }
      result_ = all;
    }
    if (finished_ != threads) throw std::logic_error("threads of a warp ended at different votes");
  }

  static bool vote(bool mine, void* at) { return current_->wait(mine, at); }

 private:
  static void start() {
    Warp& warp = *current_;
    warp.body_(warp.running_);
    ++warp.finished_;
    warp.vote_at_ = nullptr;
    warp.coroutines_[warp.running_]->switch_to(warp.scheduler_);
  }

  bool wait(bool mine, void* at) {
    const unsigned me = running_;
    vote_ = mine;
    vote_at_ = at;
    coroutines_[me]->switch_to(scheduler_);
    thread_index.x = thread_index.x / threads * threads + me;
    return result_;
  }

  static inline Warp* current_ = nullptr;

  std::function<void(unsigned)> body_;
  std::array<std::unique_ptr<Coroutine>, threads> coroutines_;
  Coroutine scheduler_;
  unsigned running_ = 0, finished_ = 0;
  bool vote_ = true, result_ = true;
  void* vote_at_ = nullptr;
};

}  // namespace emulated

#define blockIdx emulated::block_index
#define threadIdx emulated::thread_index
#define blockDim emulated::block
#define gridDim emulated::grid

[[gnu::noinline]] inline int __all_sync(unsigned mask, bool mine) {
  if (mask != 0xFFFFFFFF) throw std::logic_error("a vote of some threads only");
  return emulated::Warp::vote(mine, __builtin_return_address(0)) ? 1 : 0;
}

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess         ? "no error"
         : error == cudaErrorNoDevice ? "no CUDA-capable device is detected"
                                      : "out of memory";
}

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulated::device.present ? 1 : 0;
  return emulated::device.present ? cudaSuccess : cudaErrorNoDevice;
}

inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr /*which*/, int /*device*/) {
  *value = 1;
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel /*kernel*/, int /*threads*/,
                                                          std::size_t /*shared*/) {
  *blocks = 2;
  return cudaSuccess;
}

inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = emulated::device.free_bytes;
  return cudaSuccess;
}

inline cudaError_t cudaMalloc(void** data, std::size_t size) {
  if (size > emulated::device.free_bytes) return cudaErrorMemoryAllocation;
  *data = std::malloc(size);
  std::memset(*data, 0xA5, size);
  return cudaSuccess;
}

inline cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind /*kind*/) {
  std::memcpy(to, from, size);
  return cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

template <class Argument>
cudaError_t cudaLaunchKernel(void (*kernel)(Argument), dim3 blocks, dim3 threads, void** arguments,
                             std::size_t /*shared*/, std::nullptr_t /*stream*/) {
  const auto& argument = *static_cast<const Argument*>(arguments[0]);
  emulated::grid = blocks;
  emulated::block = threads;
  for (unsigned block = 0; block < blocks.x; ++block)
    for (unsigned first = 0; first < threads.x; first += emulated::Warp::threads)
      emulated::Warp([&, block, first](unsigned thread) {
        emulated::block_index.x = block;
        emulated::thread_index.x = first + thread;
        kernel(argument);
      }).run();
  return cudaSuccess;
}
