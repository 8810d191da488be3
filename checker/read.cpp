// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "certificate.h"

namespace checker {
namespace {

constexpr Number most = Number{1} << 40;  // of totals, which are compared and nothing else

Number to_number(std::string_view text, bool& good) {
  Number value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  good = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return value;
}

}  // namespace

/// The next word of the line; empty at its end.
std::string_view Reader::word() {
  if (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  const std::string_view found = rest_.substr(0, rest_.find_first_of(" \n"));
  rest_.remove_prefix(found.size());
  return found;
}

std::string_view Reader::rest_of_line() {
  const std::string_view found = rest_.substr(0, rest_.find('\n'));
  rest_.remove_prefix(found.size());
  return found;
}

void Reader::end_line() {
  if (rest_.empty() || rest_.front() != '\n') refuse("has more, or less, than it should");
  rest_.remove_prefix(1);
  ++line_;
}

/// Takes the line's first word if it is `keyword`.
bool Reader::take(std::string_view keyword) {
  const std::string_view before = rest_;
  if (word() == keyword) return true;
  rest_ = before;
  return false;
}

void Reader::expect(std::string_view keyword) {
  if (!take(keyword)) refuse("'" + std::string(keyword) + "' is missing");
}

Number Reader::number(Number below) {
  bool good = false;
  const Number value = to_number(word(), good);
  if (!good || value >= below) refuse("a number is missing or out of range");
  return value;
}

Number Reader::count(std::string_view keyword, Number below) {
  expect(keyword);
  const Number value = number(below);
  end_line();
  return value;
}

std::vector<Number> Reader::comma_list(Number below) {
  std::string_view text = word();
  std::vector<Number> numbers;
  if (text == "-") return numbers;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    bool good = false;
    numbers.push_back(to_number(text.substr(0, comma), good));
    if (!good || numbers.back() >= below) refuse("a list has a bad number");
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return numbers;
}

Header Reader::header() {
  Header header;
  expect("faultline-certificate");
  if (number(most) != 1) refuse("is of an unknown version");
  end_line();
  expect("network");
  (void)rest_of_line();
  end_line();
  expect("switching");
  header.switching = word();
  if (header.switching != "wormhole" && header.switching != "cut-through") refuse("names no switching");
  end_line();
  expect("verdict");
  header.verdict = word();
  end_line();
  header.unreachable_pairs = count("unreachable-pairs", most);
  expect("max-hops");
  header.bounded = !take("unbounded");
  if (header.bounded) header.max_hops = number(most);
  end_line();
  header.states = count("states", most);
  header.moves = count("moves", most);
  header.dependencies = count("dependencies", most);
  read_network(header);
  read_proof(header);
  return header;
}

void Reader::read_network(Header& header) {
  header.virtual_channels = count("virtual-channels", bytes_);
  header.switches = count("switches", bytes_);
  const Number channels = count("channels", bytes_);
  for (Number i = 0; i < channels; ++i) {
    expect("c");
    const Number from = number(header.switches);
    header.channels.push_back({from, number(header.switches)});
    (void)rest_of_line();
    end_line();
  }
  const Number terminals = count("terminals", bytes_);
  for (Number i = 0; i < terminals; ++i) {
    expect("t");
    const auto in = comma_list(header.switches);
    const auto out = comma_list(header.switches);
    header.terminals.push_back({{in.begin(), in.end()}, {out.begin(), out.end()}});
    end_line();
  }
}

void Reader::read_proof(Header& header) {
  for (; take("ring"); end_line()) {
    auto& ring = header.rings.emplace_back();
    while (rest_.starts_with(' ')) ring.push_back(number(header.buffers()));
  }
  if (take("ranks")) {
    while (rest_.starts_with(' ')) header.ranks.push_back(take("-") ? Header::unranked : number(most));
    end_line();
  }
  for (; take("packet"); end_line()) {
    Packet packet{};
    packet.source = number(header.terminals.size());
    packet.destination = number(header.terminals.size());
    packet.buffer = number(header.buffers());
    expect("waits");
    while (rest_.starts_with(' ')) packet.waits.insert(number(header.buffers()));
    header.packets.push_back(std::move(packet));
  }
}

Move Reader::move(const Header& header) {
  const std::string_view text = word();
  if (text == "e") return {.ejects = true, .escape = true};
  const std::size_t mark = text.find_first_of("!>");
  if (mark == std::string_view::npos) refuse("a move is malformed");
  bool good_buffer = false, good_next = false;
  Move move{.ejects = false, .escape = text[mark] == '!'};
  move.buffer = to_number(text.substr(0, mark), good_buffer);
  move.next = to_number(text.substr(mark + 1), good_next);
  if (!good_buffer || !good_next || move.buffer >= header.buffers()) refuse("a move is malformed");
  return move;
}

bool Reader::next_destination(const Header& header, Destination& destination) {
  if (take("end")) {
    end_line();
    if (!rest_.empty()) refuse("follows the end");
    return false;
  }
  destination = {};
  destination.line = line_;
  expect("destination");
  destination.terminal = number(header.terminals.size());
  end_line();
  for (; take("i"); end_line()) {
    Injection& injection = destination.injections.emplace_back();
    injection.states = comma_list(most);
    while (rest_.starts_with(' ')) injection.terminals.push_back(number(header.terminals.size()));
  }
  for (; take("s"); end_line()) {
    State& state = destination.states.emplace_back();
    state.at = number(header.switches);
    while (rest_.starts_with(' ')) state.moves.push_back(move(header));
  }
  return true;
}

}  // namespace checker
