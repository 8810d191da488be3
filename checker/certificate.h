// SPDX-License-Identifier: Apache-2.0
// The certificate as it is read; see FORMAT.md.
#pragma once

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace checker {

/// Why a certificate is refused; `what()` names the line.
class Refused : public std::runtime_error {
 public:
  Refused(std::size_t line, const std::string& reason)
      : std::runtime_error("line " + std::to_string(line) + ": " + reason) {}
};

using Number = std::uint64_t;

struct Channel {
  Number from, to;
};
struct Terminal {
  std::set<Number> in, out;
};
struct Packet {
  Number source, destination, buffer;
  std::set<Number> waits;
};
struct Header {
  std::string switching, verdict;
  Number unreachable_pairs = 0;
  bool bounded = true;
  Number max_hops = 0;
  Number states = 0, moves = 0, dependencies = 0;
  Number virtual_channels = 0, switches = 0;
  std::vector<Channel> channels;
  std::vector<Terminal> terminals;
  std::vector<std::vector<Number>> rings;
  std::vector<Number> ranks;  ///< by buffer; `unranked` for "-"
  std::vector<Packet> packets;
  static constexpr Number unranked = ~Number{0};

  [[nodiscard]] Number buffers() const { return channels.size() * virtual_channels; }
  [[nodiscard]] const Channel& channel_of(Number buffer) const { return channels[buffer / virtual_channels]; }
};
struct Move {
  bool ejects = false;
  bool escape = false;
  Number buffer = 0, next = 0;
};
struct State {
  Number at = 0;
  std::vector<Move> moves;
};
struct Injection {
  std::vector<Number> states, terminals;
};
struct Destination {
  std::size_t line = 0;
  Number terminal = 0;
  std::vector<Injection> injections;
  std::vector<State> states;
};

/// Reads a text line by line; destinations one at a time, so that only one is held.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text), bytes_(text.size()) {}
  [[nodiscard]] Header header();
  /// False at the end of the certificate.
  [[nodiscard]] bool next_destination(const Header& header, Destination& destination);
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  bool take(std::string_view keyword);
  void expect(std::string_view keyword);
  std::string_view rest_of_line();
  std::string_view word();
  Number number(Number below);
  Number count(std::string_view keyword, Number below);
  void end_line();
  std::vector<Number> comma_list(Number below);
  void read_network(Header& header);
  void read_proof(Header& header);
  Move move(const Header& header);
  [[noreturn]] void refuse(const std::string& reason) const { throw Refused(line_, reason); }

  std::string_view rest_;
  Number bytes_;  ///< of the text: it cannot describe more things than that
  std::size_t line_ = 1;
};

/// Checks everything that FORMAT.md lists and returns one sentence that says what was found true. Throws
/// Refused.
[[nodiscard]] std::string check(std::string_view text);

}  // namespace checker
