// SPDX-License-Identifier: Apache-2.0
// As much of the CUDA runtime as the resilience kernel calls, on the host, so that the kernel is tested
// without a GPU: the threads of a warp are coroutines that meet where they vote. Memory is filled with
// garbage, out-of-bounds accesses are left to the address sanitizer, and threads of a warp that part at a
// vote are an error.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

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

class Warp {
 public:
  static constexpr unsigned threads = 32;

  explicit Warp(std::function<void(unsigned)> body) : body_(std::move(body)) {
    for (unsigned thread = 0; thread < threads; ++thread) prepare(contexts_[thread], stacks_[thread]);
  }

  void run() {
    while (finished_ == 0) {
      bool all = true;
      void* at = nullptr;
      for (running_ = 0; running_ < threads; ++running_) {
        current_ = this;
        swapcontext(&scheduler_, &contexts_[running_]);
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
  void prepare(ucontext_t& context, std::vector<char>& stack) {
    stack.resize(std::size_t{32} << 10);
    getcontext(&context);
    context.uc_stack.ss_sp = stack.data();
    context.uc_stack.ss_size = stack.size();
    context.uc_link = &scheduler_;
    makecontext(&context, &Warp::start, 0);
  }

  static void start() {
    Warp& warp = *current_;
    warp.body_(warp.running_);
    ++warp.finished_;
    warp.vote_at_ = nullptr;
  }

  bool wait(bool mine, void* at) {
    const unsigned me = running_;
    vote_ = mine;
    vote_at_ = at;
    swapcontext(&contexts_[me], &scheduler_);
    thread_index.x = thread_index.x / threads * threads + me;
    return result_;
  }

  static inline Warp* current_ = nullptr;

  std::function<void(unsigned)> body_;
  std::array<ucontext_t, threads> contexts_{};
  std::array<std::vector<char>, threads> stacks_;
  ucontext_t scheduler_{};
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
