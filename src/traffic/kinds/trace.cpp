// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/trace.h"

#include <algorithm>

#include "faultline/base/random.h"
#include "faultline/traffic/pattern.h"

namespace faultline::patterns {
namespace {

class TracePattern final : public TrafficPattern {
 public:
  explicit TracePattern(faultline::Trace trace) : trace_(std::move(trace)) {}

  /// Of any packet of the source.
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    return trace_.packet(source, below(static_cast<std::uint32_t>(random >> 32), trace_.count(source)))
        .destination;
  }
  [[nodiscard]] bool silent(TerminalId source) const override { return trace_.count(source) == 0; }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    const auto begin = trace_.packets.begin() + trace_.first[source.index()];
    const auto end = trace_.packets.begin() + trace_.first[source.index() + 1];
    return static_cast<double>(
               std::ranges::count(begin, end, destination, &faultline::Trace::Packet::destination)) /
           trace_.count(source);
  }
  [[nodiscard]] const faultline::Trace* trace() const override { return &trace_; }

 private:
  faultline::Trace trace_;
};

struct TraceFile {
  static constexpr bool is_trace = true;
  InputFile file;

  static void fields(auto& field) {
    field("file", &TraceFile::file, file_path().required(),
          "CSV, one packet per line: time in cycles,source,destination,size in flits");
  }
  static std::vector<TraceFile> samples() { return {}; }

  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return std::make_shared<const TracePattern>(read_trace(file, topology.terminal_count()));
  }
};

}  // namespace

extern constinit const PatternKind trace = pattern_kind<TraceFile>(
    "trace", "the packets in a file, with their times and sizes; ends when all are delivered",
    "Dally & Towles, section 24.2");

}  // namespace faultline::patterns
