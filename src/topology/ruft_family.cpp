// SPDX-License-Identifier: Apache-2.0
#include "topology/ruft_family.h"

#include <fmt/format.h>

#include "faultline/topology/limits.h"

namespace faultline {
namespace {

using Attachment = RuftLabelling::Attachment;

class RuftConstruction {
 public:
  explicit RuftConstruction(const RuftShape& shape)
      : shape_(shape), digits_(shape.k, shape.n), long_cycles_(shape.n + 1) {}

  Topology build(const std::string& name) && {
    for (std::uint32_t stage = 0; stage < shape_.n; ++stage)
      for (std::uint32_t order = 0; order < digits_.switches_per_stage(); ++order)
        builder_.add_switch({stage, order}, fmt::format("s{}.{}", stage, order));
    for (std::uint32_t stage = 0; stage + 1 < shape_.n; ++stage) connect_stage(stage);
    for (std::uint32_t terminal = 0; terminal < digits_.terminal_count(); ++terminal) builder_.add_terminal();
    for (std::uint32_t terminal = 0; terminal < digits_.terminal_count(); ++terminal) attach(terminal);
    builder_.set_labelling(std::make_unique<RuftLabelling>(digits_, shape_.parallel, shape_.attachment,
                                                           shape_.static_selection));
    return std::move(builder_).build(name, "ruft");
  }

 private:
  void connect_stage(std::uint32_t stage) {
    for (std::uint32_t order = 0; order < digits_.switches_per_stage(); ++order)
      for (std::uint32_t output = 0; output < shape_.k; ++output)
        for (std::uint32_t copy = 0; copy < shape_.parallel; ++copy)
          builder_.connect({digits_.at(stage, order), output * shape_.parallel + copy},
                           {digits_.at(stage + 1, digits_.with_digit(order, stage, output)),
                            digits_.digit(order, stage) * shape_.parallel + copy});
  }

  void attach(std::uint32_t terminal) {
    switch (shape_.attachment) {
      case Attachment::single:
        inject(terminal, terminal, terminal % shape_.k);
        eject(terminal, terminal, terminal / digits_.switches_per_stage());
        break;
      case Attachment::parallel:
        for (std::uint32_t copy = 0; copy < 2; ++copy) {
          inject(terminal, terminal, terminal % shape_.k * 2 + copy);
          eject(terminal, terminal, terminal / digits_.switches_per_stage() * 2 + copy);
        }
        break;
      case Attachment::crossed: {
        // Half the terminals away: for a power of two this inverts the most significant bit.
        const std::uint32_t opposite = (terminal + digits_.terminal_count() / 2) % digits_.terminal_count();
        inject(terminal, terminal, terminal % shape_.k);
        inject(terminal, opposite, shape_.k + opposite % shape_.k);
        eject(terminal, terminal, terminal / digits_.switches_per_stage());
        eject(terminal, terminal ^ 1U, shape_.k + terminal / digits_.switches_per_stage());
        break;
      }
    }
  }

  /// Injection at the primary switch of terminal `as`; ejection likewise.
  void inject(std::uint32_t terminal, std::uint32_t as, std::uint32_t port) {
    builder_.connect_injection(TerminalId(terminal), {digits_.at(0, as / shape_.k), port});
  }
  void eject(std::uint32_t terminal, std::uint32_t as, std::uint32_t port) {
    builder_.connect_ejection({digits_.at(shape_.n - 1, as % digits_.switches_per_stage()), port},
                              TerminalId(terminal), long_cycles_);
  }

  RuftShape shape_;
  StageDigits digits_;
  std::uint32_t long_cycles_;  // paper 1, Table 1: "Long Fly"
  TopologyBuilder builder_;
};

}  // namespace

Topology build_ruft(const RuftShape& shape, const std::string& name) {
  require_terminal_count(shape.k, shape.n);
  if (shape.attachment == Attachment::crossed && shape.k % 2 != 0)
    throw Error(
        "topology.k", std::to_string(shape.k),
        "must be even: a terminal's second channels are found by inverting bits, so the number of terminals "
        "k^n must be even");
  return RuftConstruction(shape).build(name);
}

}  // namespace faultline
