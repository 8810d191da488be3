// SPDX-License-Identifier: Apache-2.0
#include "command_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "faultline/describe/fields.h"
#include "faultline/describe/kind.h"
#include "faultline/study/work_estimate.h"

namespace faultline::app {
namespace {

/// An empty value is a variable that a script did not set, and no wish for the default.
CLI::Option* add_option(CLI::App& command, const std::string& names, std::string& value,
                        const std::string& help) {
  const CLI::Validator not_empty(
      [](const std::string& given) {
        return given.empty() ? std::string("must not be empty") : std::string();
      },
      "");
  return command.add_option(names, value, help)->check(not_empty);
}

}  // namespace

CommandOptions CommandOptions::of_new(CLI::App& program, std::string_view name, std::string_view summary,
                                      std::shared_ptr<KnownValues> known) {
  const std::size_t space = name.rfind(' ');
  CLI::App& above =
      space == std::string_view::npos ? program : *program.get_subcommand(std::string(name.substr(0, space)));
  CLI::App* command = above.add_subcommand(std::string(name.substr(space + 1)), std::string(summary));
  command->allow_extras();
  command->require_subcommand(0, 1);
  return {*command, std::move(known)};
}

const CLI::App& CommandOptions::program() const {
  const CLI::App* found = command_;
  while (found->get_parent() != nullptr) found = found->get_parent();
  return *found;
}

void CommandOptions::positional(const std::string& name, std::string& value, const std::string& help) {
  command_->add_option(name, value, help)->required();
}

void CommandOptions::optional_positional(const std::string& name, std::string& value,
                                         const std::string& help) {
  command_->add_option(name, value, help);
}

void CommandOptions::words(const std::string& name, std::vector<std::string>& values,
                           const std::string& help) {
  command_->add_option(name, values, help)->required();
}

void CommandOptions::option(const std::string& names, std::string& value, const std::string& help) {
  add_option(*command_, names, value, help);
}

void CommandOptions::required_option(const std::string& names, std::string& value, const std::string& help) {
  add_option(*command_, names, value, help)->required();
}

void CommandOptions::repeated(const std::string& names, std::vector<std::string>& values,
                              const std::string& help) {
  command_->add_option(names, values, help)->allow_extra_args(false);
}

void CommandOptions::count(const std::string& names, std::uint32_t& value, std::uint32_t most,
                           const std::string& help) {
  command_->add_option(names, value, help)->check(CLI::Range(1U, most));
}

void CommandOptions::flag(const std::string& names, bool& value, const std::string& help) {
  command_->add_flag(names, value, help);
}

void CommandOptions::complete(const std::string& name, std::vector<std::string> values) {
  (*known_)[command_->get_option(name)] = std::move(values);
}

void CommandOptions::complete_kinds(const std::string& name, std::vector<std::string_view> kinds,
                                    std::string_view more) {
  if (!more.empty()) kinds.push_back(more);
  complete(name, {kinds.begin(), kinds.end()});
}

void CommandOptions::jobs(std::uint32_t& value, const std::string& help) {
  value = std::max(1U, std::thread::hardware_concurrency());
  count("--jobs", value, 1024, help);
}

void CommandOptions::limits(WorkLimits& limits) {
  constexpr double day = 24;
  limits = {day, machine_memory_gib()};
  const CLI::Validator above_zero(
      [](const std::string& text) -> std::string {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value > 0 ? "" : "must be a number above 0, or inf";
      },
      "ABOVE 0");
  command_
      ->add_option("--cpu-hours", limits.cpu_hours,
                   "refuse a run estimated to take more hours of CPU time (default: 24)")
      ->check(above_zero);
  command_
      ->add_option("--memory-gib", limits.memory_gib,
                   "refuse a run estimated to take more memory (default: what this machine has)")
      ->check(above_zero);
}

std::function<Description()> CommandOptions::fields(const std::string& verb,
                                                    const std::vector<FieldInfo>& fields) {
  struct Given {
    std::string name;
    std::string text;
    bool flag = false;
    CLI::Option* option = nullptr;
  };
  auto given = std::make_shared<std::vector<Given>>(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldInfo& field = fields[i];
    Given& slot = (*given)[i];
    slot.name = field.name;
    const std::string preset = field.default_text.empty() ? "" : fmt::format(" [{}]", field.default_text);
    // Every verb that writes one file calls the option output.
    const std::string option_name = (field.name == "output" ? "-o,--" : "--") + field.name;
    if (field.type == FieldType::boolean)
      slot.option = command_->add_flag(option_name, slot.flag, field.help);
    else
      slot.option = command_
                        ->add_option(option_name, slot.text,
                                     fmt::format("{} ({}){}", field.help, allowed_text(field), preset))
                        ->type_name("")
                        ->allow_extra_args(false);
    if (field.type == FieldType::nested)
      complete_kinds("--" + field.name, names_of(field.rule.catalogue), field.rule.left_out_by);
    else if (!field.rule.names.empty())
      complete_kinds("--" + field.name, field.rule.names);
  }
  return [given, verb, fields] {
    Description options{.path = verb, .kind = verb};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Given& slot = (*given)[i];
      if (slot.option->count() == 0) continue;
      const Scalar item = fields[i].type == FieldType::boolean ? Scalar(slot.flag) : Scalar(slot.text);
      options.fields.emplace_back(slot.name, Value{{item}, false, {}});
    }
    return options;
  };
}

}  // namespace faultline::app
