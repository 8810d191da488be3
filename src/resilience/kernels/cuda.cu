// SPDX-License-Identifier: Apache-2.0
// Fault sets on a GPU: a warp evaluates 2048 of them at a time.
#include <Random123/philox.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "resilience/kernels/device.h"
#include "resilience/kernels/program_view.h"

namespace faultline::survival {
namespace {

#include "resilience/kernels/run_program.h"
#include "resilience/kernels/warp.h"

constexpr unsigned warps_a_block = 4;

__device__ std::size_t number_of_warp() {
  return std::size_t{blockIdx.x} * warps_a_block + threadIdx.x / Warp::threads;
}

__global__ void prepare_warps(const __grid_constant__ Work work) {
  WarpThread(work, number_of_warp(), threadIdx.x % Warp::threads).prepare();
}

/// A run is bound by memory latency and needs other warps to hide it: 64 registers per thread let a
/// multiprocessor hold half of its maximum (a dozen words are spilled; 90 registers without the bound). Not
/// timed.
__global__ void __launch_bounds__(warps_a_block* Warp::threads, 8)
    evaluate_sets(const __grid_constant__ Work work) {
  const std::size_t warps = std::size_t{gridDim.x} * warps_a_block;
  WarpThread thread(work, number_of_warp(), threadIdx.x % Warp::threads);
  Sums sums;
  for (std::uint64_t block = number_of_warp(); block * Warp::lanes < work.sets.count; block += warps)
    thread.run(block, sums);
  if (work.sums != nullptr) work.sums[number_of_warp() * Warp::threads + threadIdx.x % Warp::threads] = sums;
}

void check(cudaError_t code) {
  if (code != cudaSuccess) throw DeviceError(cudaGetErrorString(code));
}

/// Memory of the device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size != 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    if (size_ != 0) check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The first values.size() of it.
  void read(std::vector<T>& values) const {
    check(cudaMemcpy(values.data(), data_, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

struct DeviceLists {
  explicit DeviceLists(const NumberLists& lists) : offsets(lists.offsets), numbers(lists.numbers) {}
  [[nodiscard]] NumberLists::View view() const { return {offsets.get(), numbers.get()}; }

  DeviceArray<std::uint32_t> offsets, numbers;
};

struct DeviceProgram {
  explicit DeviceProgram(const Program& program)
      : code(program.code), tails(program.tails), sections(program.sections), pairs(program.pairs) {}
  [[nodiscard]] ProgramView view() const {
    return {code.get(), tails.get(), sections.get(), sections.size(), pairs.get()};
  }

  DeviceArray<std::uint32_t> code, tails;
  DeviceArray<Code::Section> sections;
  DeviceArray<std::uint64_t> pairs;
};

struct DeviceLive {
  explicit DeviceLive(const LiveTables& tables)
      : groups_of(tables.groups_of),
        switches(tables.switches),
        injecting(tables.injecting),
        ejecting(tables.ejecting),
        terminals(tables.terminals),
        all(tables.all) {}
  [[nodiscard]] LiveTables::View view() const {
    return {groups_of.view(),     switches.view(), injecting.view(), ejecting.view(), terminals.get(), all,
            terminals.size() == 0};
  }

  DeviceLists groups_of, switches, injecting, ejecting;
  DeviceArray<std::uint32_t> terminals;
  std::uint64_t all;
};

struct DeviceAttachments {
  explicit DeviceAttachments(const AttachmentTables& tables)
      : terminals_of(tables.terminals_of),
        components_of_port(tables.components_of_port),
        terminals(tables.terminals),
        counts(tables.counts),
        selves(tables.selves) {}
  [[nodiscard]] AttachmentTables::View view() const {
    return {terminals_of.view(), components_of_port.view(), terminals.get()};
  }

  DeviceLists terminals_of, components_of_port;
  DeviceArray<AttachmentTables::Terminal> terminals;
  DeviceArray<std::uint32_t> counts, selves;
};

/// What the warps of a launch work on (see Work).
struct WarpMemory {
  WarpMemory() = default;
  WarpMemory(const Work& work, std::size_t max_warps, std::uint32_t max_faults)
      : warps(max_warps),
        faults(max_faults),
        values(warps * work.slots * Warp::words),
        planes(work.requirements ? 0 : warps * KernelData::counter_planes * Warp::words),
        members(warps * Warp::lanes * faults),
        counts(warps * work.rows * Warp::lanes),
        selves(warps * work.self_rows * Warp::lanes),
        cut_off(work.by_pattern ? warps * Warp::lanes : 0),
        sums(warps * Warp::threads) {}

  [[nodiscard]] static std::size_t bytes_a_warp(const Work& work, std::uint32_t faults) {
    return sizeof(std::uint64_t) * Warp::words * (work.slots + KernelData::counter_planes) +
           sizeof(std::uint32_t) * Warp::lanes * (faults + work.rows + work.self_rows) +
           sizeof(CutOff) * Warp::lanes + sizeof(Sums) * Warp::threads;
  }

  std::size_t warps = 0;
  std::uint32_t faults = 0;
  DeviceArray<std::uint64_t> values, planes;
  DeviceArray<std::uint32_t> members, counts, selves;
  DeviceArray<CutOff> cut_off;
  DeviceArray<Sums> sums;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const DeviceSubject& subject)
      : program_(subject.program), live_(subject.live), work_{} {
    work_.program = program_.view();
    work_.components = subject.program.components;
    work_.slots = subject.program.slots;
    work_.pairs_never_alive = subject.program.pairs_never_alive;
    work_.requirements = subject.requirements;
    work_.live = live_.view();
    work_.terminals = subject.live.all;
    if (subject.attachments != nullptr) use(*subject.attachments);
    resident_warps_ = count_resident_warps();
  }

  [[nodiscard]] std::uint64_t sets_at_once() const override { return resident_warps_ * Warp::lanes; }

  [[nodiscard]] Sums evaluate(const DrawnSets& sets) override {
    Work work = work_for(sets);
    work.sums = memory_.sums.get();
    const std::size_t warps = warps_for(sets.count);
    launch(evaluate_sets, work, warps);
    std::vector<Sums> parts(warps * Warp::threads);
    memory_.sums.read(parts);
    Sums all;
    for (const Sums& part : parts) all.add(part);
    return all;
  }

  void evaluate(const std::vector<std::uint32_t>& members, std::uint32_t faults,
                std::vector<std::uint64_t>& lost, std::vector<std::uint64_t>& live) override {
    const DeviceArray<std::uint32_t> given(members);
    const DeviceArray<std::uint64_t> lost_here(lost.size()), live_here(live.size());
    Work work = work_for({0, faults, 0, lost.size()});
    work.given = given.get();
    work.lost = lost_here.get();
    work.live_pairs = live_here.get();
    launch(evaluate_sets, work, warps_for(lost.size()));
    lost_here.read(lost);
    live_here.read(live);
  }

 private:
  void use(const AttachmentTables& tables) {
    attachments_ = std::make_unique<DeviceAttachments>(tables);
    work_.by_pattern = true;
    work_.attachments = attachments_->view();
    work_.whole_counts = attachments_->counts.get();
    work_.whole_selves = attachments_->selves.get();
    work_.rows = static_cast<std::uint32_t>(tables.counts.size());
    work_.self_rows = static_cast<std::uint32_t>(tables.selves.size());
  }

  [[nodiscard]] static std::size_t count_resident_warps() {
    int device = 0, processors = 0, blocks = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, evaluate_sets,
                                                        static_cast<int>(warps_a_block * Warp::threads), 0));
    return static_cast<std::size_t>(processors) * static_cast<std::size_t>(blocks) * warps_a_block;
  }

  [[nodiscard]] std::size_t warps_for(std::uint64_t sets) const {
    const std::uint64_t blocks = (sets + Warp::lanes - 1) / Warp::lanes;
    const std::uint64_t whole = (blocks + warps_a_block - 1) / warps_a_block * warps_a_block;
    return std::min<std::uint64_t>(whole, memory_.warps);
  }

  /// The work of these sets, with memory for it.
  Work work_for(const DrawnSets& sets) {
    if (memory_.warps == 0 || sets.faults > memory_.faults) allocate(sets.faults);
    Work work = work_in(memory_, sets.faults);
    work.sets = sets;
    return work;
  }

  [[nodiscard]] Work work_in(const WarpMemory& memory, std::uint32_t faults) const {
    Work work = work_;
    work.sets.faults = faults;
    work.values = memory.values.get();
    work.planes = memory.planes.get();
    work.members = memory.members.get();
    work.counts = memory.counts.get();
    work.selves = memory.selves.get();
    work.cut_off = memory.cut_off.get();
    return work;
  }

  /// For as many warps as keep the device busy, or its memory holds.
  void allocate(std::uint32_t faults) {
    memory_ = WarpMemory();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    const std::size_t bytes = WarpMemory::bytes_a_warp(work_, faults);
    const std::size_t fitting = free / 10 * 9 / bytes / warps_a_block * warps_a_block;
    if (fitting == 0)
      throw DeviceError("has " + std::to_string(free >> 20U) + " MiB of memory left, and needs " +
                        std::to_string((bytes * warps_a_block >> 20U) + 1) + " MiB for this network");
    memory_ = WarpMemory(work_, std::min(fitting, resident_warps_), faults);
    launch(prepare_warps, work_in(memory_, faults), memory_.warps);
  }

  void launch(void (*kernel)(Work), Work work, std::size_t warps) {
    void* arguments[] = {&work};
    check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(warps / warps_a_block)),
                           dim3(warps_a_block * Warp::threads), arguments, 0, nullptr));
    check(cudaDeviceSynchronize());
  }

  DeviceProgram program_;
  DeviceLive live_;
  std::unique_ptr<DeviceAttachments> attachments_;
  Work work_;
  std::size_t resident_warps_ = 0;
  WarpMemory memory_;
};

}  // namespace

std::string why_no_device() {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess) return cudaGetErrorString(code);
  return devices == 0 ? "no GPU" : "";
}

std::unique_ptr<Device> open_device(const DeviceSubject& subject) {
  return std::make_unique<CudaDevice>(subject);
}

}  // namespace faultline::survival
