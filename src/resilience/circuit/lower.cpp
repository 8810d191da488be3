// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/lower.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace faultline::survival {
namespace {

using Value = std::uint32_t;
using Gate = Circuit::Gate;
constexpr Value no_value = ~Value{0};

/// out = OR of a AND b. `pairs` are those of an output; a value that is stored has an `out`, also if it is an
/// output.
struct Sum {
  Value out = no_value;
  std::vector<std::pair<Value, Value>> terms;
  bool grows = false;
  std::uint64_t pairs = 0;
  const Circuit::PatternOutput* pattern = nullptr;
};

struct Stage {
  std::vector<Sum> sums;
  std::vector<Value> cleared;  ///< unknowns, where the stage is repeated
};

/// Gates in an order in which they can be evaluated, still with a value of its own each.
class Schedule {
 public:
  explicit Schedule(const Circuit& circuit)
      : circuit_(circuit),
        one_(circuit.components()),
        level_(one_ + 1),
        value_of_(circuit.node_count(), no_value),
        uses_(circuit.node_count()) {
    value_of_[Circuit::one] = one_;
    for (Value component = 0; component < circuit.components(); ++component)
      value_of_[circuit.alive(component)] = component;
    count_uses();
    mark_loops();
  }

  void run() {
    std::size_t loop = 0, output = 0, pattern = 0;
    for (const Circuit::Batch& batch : circuit_.batches()) {
      for (; loop < circuit_.loops().size() && circuit_.loops()[loop].first < batch.nodes_end; ++loop) {
        sweep(circuit_.loops()[loop].end);
        finish_stage();
        add_loop(circuit_.loops()[loop]);
      }
      sweep(batch.nodes_end);
      for (; output < batch.outputs_end; ++output) add_output(circuit_.outputs()[output]);
      for (; pattern < batch.pattern_outputs_end; ++pattern) add_output(circuit_.pattern_outputs()[pattern]);
      while (kept_.size() < batch.kept_end) {
        const Node node = circuit_.kept()[kept_.size()];
        kept_.push_back(node == Circuit::zero ? no_value : value(node));
      }
      finish_stage();
    }
  }

  [[nodiscard]] std::vector<Stage>& stages() { return stages_; }
  [[nodiscard]] Value one() const { return one_; }
  [[nodiscard]] Value value_count() const { return static_cast<Value>(level_.size()); }
  [[nodiscard]] const std::vector<std::pair<Value, Value>>& negations() const { return negations_; }
  [[nodiscard]] const std::vector<Value>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t pairs_never_alive() const { return pairs_never_alive_; }

 private:
  void count_uses() {
    for (const Circuit::Output& output : circuit_.outputs()) ++uses_[output.node];
    for (const Circuit::PatternOutput& output : circuit_.pattern_outputs()) ++uses_[output.node];
    for (const Node node : circuit_.kept()) uses_[node] += 2;  // read from outside, so not to be merged
    for (const Circuit::Loop& loop : circuit_.loops())
      for (const Node definition : loop.definitions) ++uses_[definition];
    for (auto node = static_cast<Node>(circuit_.node_count()); node-- > 0;)
      if (uses_[node] != 0 && is_gate(node))
        for (const Node operand : circuit_.operands(node)) ++uses_[operand];
  }

  /// Finds the nodes that read an unknown of their own loop.
  void mark_loops() {
    in_loop_.assign(circuit_.node_count(), false);
    for (const Circuit::Loop& loop : circuit_.loops())
      for (Node node = loop.first; node < loop.end; ++node) {
        const auto reads_loop = [&](Node operand) { return operand >= loop.first && in_loop_[operand]; };
        in_loop_[node] = circuit_.gate(node) == Gate::unknown ||
                         (is_gate(node) && std::ranges::any_of(circuit_.operands(node), reads_loop));
      }
  }

  [[nodiscard]] bool is_gate(Node node) const {
    return circuit_.gate(node) == Gate::all || circuit_.gate(node) == Gate::any;
  }
  /// A node that is read once: its reader takes over its terms.
  [[nodiscard]] bool absorbed(Node node) const {
    return is_gate(node) && uses_[node] == 1 && value_of_[node] == no_value;
  }

  void sweep(Node end) {
    for (; swept_ < end; ++swept_)
      if (uses_[swept_] > 1 && is_gate(swept_) && !in_loop_[swept_]) (void)value(swept_);
  }

  Value value(Node node) {
    if (value_of_[node] != no_value) return value_of_[node];
    if (circuit_.gate(node) == Gate::unknown) return value_of_[node] = new_value(0);
    if (circuit_.gate(node) == Gate::dead) {
      const Value negated = new_value(0);
      negations_.emplace_back(negated, circuit_.operands(node).front());
      return value_of_[node] = negated;
    }
    return value_of_[node] =
               circuit_.gate(node) == Gate::all ? chain(circuit_.operands(node)) : emit(terms(node));
  }

  std::vector<std::pair<Value, Value>> terms(Node node) {
    std::vector<std::pair<Value, Value>> result;
    append_terms(node, result);
    return result;
  }

  void append_terms(Node node, std::vector<std::pair<Value, Value>>& result) {
    const auto operands = circuit_.operands(node);
    if (circuit_.gate(node) == Gate::all) {
      const Value beginning = chain(operands.first(operands.size() - 1));
      result.emplace_back(beginning, value(operands.back()));
      return;
    }
    for (const Node operand : operands) {
      if (absorbed(operand))
        append_terms(operand, result);
      else
        result.emplace_back(value(operand), one_);
    }
  }

  /// The product of the operands, two at a time; chains with the same beginning share it.
  Value chain(std::span<const Node> operands) {
    Value product = value(operands.front());
    for (const Node operand : operands.subspan(1)) {
      const Value factor = value(operand);
      const auto [entry, is_new] = chains_.try_emplace({product, factor}, no_value);
      if (is_new) entry->second = emit({{product, factor}});
      product = entry->second;
    }
    return product;
  }

  Value new_value(std::uint32_t level) {
    level_.push_back(level);
    return static_cast<Value>(level_.size() - 1);
  }

  Value emit(std::vector<std::pair<Value, Value>> terms) {
    std::uint32_t level = 0;
    for (const auto& [a, b] : terms) level = std::max({level, level_[a] + 1, level_[b] + 1});
    const Value out = new_value(level);
    stage_.sums.push_back({.out = out, .terms = std::move(terms)});
    return out;
  }

  void add_output(const Circuit::Output& output) {
    if (output.node == Circuit::one) return;
    if (output.node == Circuit::zero) {
      pairs_never_alive_ += output.pairs;
      return;
    }
    if (Sum* const made = made_in_this_stage(output.node)) {
      made->pairs += output.pairs;
      return;
    }
    outputs_.push_back({.terms = terms_of_use(output.node), .pairs = output.pairs});
  }

  /// The sum of this stage that gives `node` its value, or null. If it is counted where it is computed, it
  /// need not be stored and read again.
  Sum* made_in_this_stage(Node node) {
    if (absorbed(node)) return nullptr;
    const Value out = value(node);
    const auto made = std::ranges::lower_bound(stage_.sums, out, {}, &Sum::out);
    return made != stage_.sums.end() && made->out == out ? &*made : nullptr;
  }

  void add_output(const Circuit::PatternOutput& output) {
    outputs_.push_back({.pattern = &output});
    if (output.node != Circuit::zero) outputs_.back().terms = terms_of_use(output.node);
  }

  std::vector<std::pair<Value, Value>> terms_of_use(Node node) {
    if (absorbed(node)) return terms(node);
    return {{value(node), one_}};
  }

  void add_loop(const Circuit::Loop& loop) {
    for (std::size_t i = 0; i < loop.definitions.size(); ++i)
      stage_.cleared.push_back(value(loop.first + static_cast<Node>(i)));
    for (std::size_t i = 0; i < loop.definitions.size(); ++i)
      if (loop.definitions[i] != Circuit::zero) {
        auto sum = terms_of_use(loop.definitions[i]);
        stage_.sums.push_back({.out = stage_.cleared[i], .terms = std::move(sum), .grows = true});
      }
    stages_.push_back(std::move(stage_));
    stage_ = {};
  }

  void finish_stage() {
    const auto form = [&](const Sum& sum) {
      return std::tuple(level_[sum.out], sum.terms.size(), sum.pairs);
    };
    std::ranges::stable_sort(stage_.sums, {}, form);
    std::ranges::stable_sort(outputs_, {}, [](const Sum& sum) {
      return std::tuple(sum.pattern != nullptr, sum.pairs, sum.terms.size());
    });
    std::ranges::move(outputs_, std::back_inserter(stage_.sums));
    outputs_.clear();
    if (!stage_.sums.empty()) stages_.push_back(std::move(stage_));
    stage_ = {};
  }

  const Circuit& circuit_;
  Value one_;
  std::vector<std::uint32_t> level_;  // by value
  std::vector<Value> value_of_;       // by node
  std::vector<std::uint32_t> uses_;   // by node
  std::vector<bool> in_loop_;         // by node
  Node swept_ = 0;
  std::map<std::pair<Value, Value>, Value> chains_;
  std::vector<std::pair<Value, Value>> negations_;
  std::vector<Value> kept_;
  std::uint64_t pairs_never_alive_ = 0;
  Stage stage_;
  std::vector<Sum> outputs_;
  std::vector<Stage> stages_;
};

/// Gives values slots; a value that is not read again leaves its slot to others.
class Slots {
 public:
  Slots(const Schedule& schedule, std::uint32_t pattern_rows)
      : slot_of_(schedule.value_count(), no_value), last_(schedule.value_count()) {
    for (Value value = 0; value <= schedule.one(); ++value) keep(value);
    count_ += pattern_rows;
    for (const auto& [out, in] : schedule.negations()) keep(out);
    for (const Value value : schedule.kept())
      if (value != no_value) last_[value] = never;
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t operator[](Value value) const { return slot_of_[value]; }

  /// Replaces the values of all stages by their slots.
  void assign(std::vector<Stage>& stages) {
    find_last_reads(stages);
    std::size_t position = 0;
    for (Stage& stage : stages)
      stage.cleared.empty() ? assign(stage, position) : assign_repeated(stage, position);
  }

 private:
  void keep(Value value) {
    slot_of_[value] = count_++;
    last_[value] = never;
  }

  void find_last_reads(const std::vector<Stage>& stages) {
    std::size_t position = 0;
    for (const Stage& stage : stages) {
      const std::size_t stage_end = position + stage.sums.size();
      for (const Sum& sum : stage.sums) {
        ++position;
        const std::size_t read_at = stage.cleared.empty() ? position : stage_end;
        if (sum.out != no_value) last_[sum.out] = std::max(last_[sum.out], read_at);
        for (const auto& [a, b] : sum.terms)
          for (const Value value : {a, b}) last_[value] = std::max(last_[value], read_at);
      }
    }
  }

  void assign(Stage& stage, std::size_t& position) {
    for (Sum& sum : stage.sums) {
      ++position;
      std::vector<Value> read;
      translate(sum, read);
      release(read, position);
      if (sum.out != no_value) sum.out = take(sum.out);
    }
  }

  /// Nothing is released before a repeated stage ends.
  void assign_repeated(Stage& stage, std::size_t& position) {
    std::vector<Value> mentioned = stage.cleared;
    for (Value& value : stage.cleared) value = take(value);
    for (Sum& sum : stage.sums) {
      ++position;
      translate(sum, mentioned);
      mentioned.push_back(sum.out);
      sum.out = sum.grows ? slot_of_[sum.out] : take(sum.out);
    }
    release(mentioned, position);
  }

  void translate(Sum& sum, std::vector<Value>& read) {
    for (auto& [a, b] : sum.terms)
      for (Value* value : {&a, &b}) {
        read.push_back(*value);
        *value = slot_of_[*value];
      }
  }

  std::uint32_t take(Value value) {
    if (free_.empty()) return slot_of_[value] = count_++;
    slot_of_[value] = free_.back();
    free_.pop_back();
    return slot_of_[value];
  }

  void release(const std::vector<Value>& values, std::size_t position) {
    for (const Value value : values) {
      if (last_[value] > position || slot_of_[value] == no_value) continue;
      free_.push_back(slot_of_[value]);
      slot_of_[value] = no_value;
    }
  }

  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  std::vector<std::uint32_t> slot_of_;
  std::vector<std::size_t> last_;  // by value: the position of the sum that reads it last
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

class Writer {
 public:
  explicit Writer(Value one) : one_(one) {}

  void write(std::span<const std::pair<Value, Value>> negations) {
    if (negations.empty()) return;
    const auto begin = size();
    program.code.insert(program.code.end(),
                        {Code::negate, 1, static_cast<std::uint32_t>(negations.size()), 0});
    for (const auto& [out, in] : negations) program.code.insert(program.code.end(), {out, in});
    program.sections.push_back({begin, size(), false});
  }

  void write(const Stage& stage) {
    if (!stage.cleared.empty()) {
      const auto begin = size();
      program.code.insert(program.code.end(),
                          {Code::clear, 1, static_cast<std::uint32_t>(stage.cleared.size()), 0});
      program.code.insert(program.code.end(), stage.cleared.begin(), stage.cleared.end());
      program.sections.push_back({begin, size(), false});
    }
    const auto begin = size();
    for (std::size_t i = 0; i < stage.sums.size();) i = write_run(stage.sums, i);
    program.sections.push_back({begin, size(), !stage.cleared.empty()});
  }

  Program program;

 private:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(program.code.size()); }

  [[nodiscard]] std::tuple<std::uint32_t, std::uint32_t, std::uint64_t> form(const Sum& sum) const {
    const bool products = std::ranges::any_of(
        sum.terms, [&](const auto& term) { return term.first != one_ && term.second != one_; });
    const std::uint32_t plain = sum.pattern != nullptr ? Code::any_pattern
                                : sum.out == no_value  ? Code::any_output
                                : sum.grows            ? Code::any_grow
                                : sum.pairs != 0       ? Code::any_counted
                                                       : Code::any;
    return {plain + (products ? 1U : 0U), static_cast<std::uint32_t>(sum.terms.size()), sum.pairs};
  }

  /// Writes the gates from `first` on that have one form, and returns the first with another form.
  std::size_t write_run(const std::vector<Sum>& sums, std::size_t first) {
    const auto run = form(sums[first]);
    const auto& [operation, arity, pairs] = run;
    std::size_t end = first;
    while (end < sums.size() && form(sums[end]) == run) ++end;
    program.code.insert(program.code.end(),
                        {operation, arity, static_cast<std::uint32_t>(end - first), pairs_index(pairs)});
    const bool products = operation % 2 == Code::products % 2;
    for (std::size_t i = first; i < end; ++i) {
      if (sums[i].out != no_value) program.code.push_back(sums[i].out);
      if (sums[i].pattern != nullptr)
        program.code.insert(program.code.end(),
                            {sums[i].pattern->left, sums[i].pattern->right, sums[i].pattern->self});
      write_terms(sums[i].terms, products);
    }
    return end;
  }

  void write_terms(std::span<const std::pair<Value, Value>> terms, bool products) {
    const auto write = [&](const std::pair<Value, Value>& term, std::vector<std::uint32_t>& words) {
      words.push_back(term.first == one_ ? term.second : term.first);
      if (products) words.push_back(term.first == one_ ? term.first : term.second);
    };
    const std::size_t inline_terms = terms.size() > Code::widest ? Code::head : terms.size();
    for (const auto& term : terms.first(inline_terms)) write(term, program.code);
    if (inline_terms == terms.size()) return;
    program.code.push_back(static_cast<std::uint32_t>(program.tails.size()));
    for (const auto& term : terms.subspan(inline_terms)) write(term, program.tails);
  }

  std::uint32_t pairs_index(std::uint64_t pairs) {
    const auto found = std::ranges::find(program.pairs, pairs);
    if (found == program.pairs.end()) program.pairs.push_back(pairs);
    return static_cast<std::uint32_t>(std::ranges::find(program.pairs, pairs) - program.pairs.begin());
  }

  Value one_;
};

}  // namespace

Program lower(const Circuit& circuit, std::uint32_t pattern_rows) {
  Schedule schedule(circuit);
  schedule.run();
  Slots slots(schedule, pattern_rows);
  slots.assign(schedule.stages());
  std::vector<std::pair<Value, Value>> negations = schedule.negations();
  for (auto& [out, in] : negations) out = slots[out];
  Writer writer(schedule.one());
  writer.write(negations);
  for (const Stage& stage : schedule.stages()) writer.write(stage);
  writer.program.components = circuit.components();
  writer.program.pattern_rows = pattern_rows;
  writer.program.slots = slots.count();
  writer.program.pairs_never_alive = schedule.pairs_never_alive();
  for (const Value value : schedule.kept())
    writer.program.kept.push_back(value == no_value ? Program::no_slot : slots[value]);
  return std::move(writer.program);
}

}  // namespace faultline::survival
