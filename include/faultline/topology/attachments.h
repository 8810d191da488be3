// SPDX-License-Identifier: Apache-2.0
// The switches to which each terminal is attached, for terminals with several network ports (paper 4:
// LeMahieu, Bohossian and Bruck, Fault-Tolerant Switched Local Area Networks, 1998).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/file.h"

#pragma GCC visibility push(default)
namespace faultline {

/// By terminal, the numbers of its switches, each once, in the order of the terminal's ports.
using Attachments = std::vector<std::vector<std::uint32_t>>;

/// The distances, counted in one direction, from a terminal's first switch to each of its switches on a ring
/// of `n`. Diameters: Construction 1 for degree 2, Construction 2 where the degree does not divide n, else
/// Construction 3 (whose printed n - 3 is read as degree - 3: section 4.1). Throws Error("topology.degree")
/// for a degree above 1 that is not below n. The other functions refuse a degree above the number of
/// switches, and all of them 0. Those that make attachments refuse more than 2^24 of them.
[[nodiscard]] std::vector<std::uint32_t> diameter_offsets(std::uint32_t n, std::uint32_t degree);
/// Neighbouring switches (Figure 7a): 0, 1, … degree - 1.
[[nodiscard]] std::vector<std::uint32_t> naive_offsets(std::uint32_t n, std::uint32_t degree);

/// Terminal t is attached to switches (t + offset) mod n: terminals beyond n repeat the first ones
/// (section 3.2). `offsets` are distinct and below n.
[[nodiscard]] Attachments attach_around(std::uint32_t n, const std::vector<std::uint32_t>& offsets,
                                        std::uint32_t terminals);

/// Every set of `degree` switches is used as often as any other, or once more, and every switch by as many
/// terminals as any other, or one more (section 5: the paper asks for the first).
[[nodiscard]] Attachments uniform_attachments(std::uint32_t switches, std::uint32_t degree,
                                              std::uint32_t terminals);

/// Groups of `degree` switches that serve the same terminals, so that the loss of one group loses them all
/// (Figure 15b). Switches beyond the last whole group serve none.
[[nodiscard]] Attachments careless_attachments(std::uint32_t switches, std::uint32_t degree,
                                               std::uint32_t terminals);

/// Drawn at random, every switch used by as many terminals as any other, or one more. Throws
/// Error("topology.terminals") for more than 2^36 pairs of a switch and a terminal.
[[nodiscard]] Attachments random_attachments(std::uint32_t switches, std::uint32_t degree,
                                             std::uint32_t terminals, std::uint64_t seed);

/// Reads one line per terminal: the numbers of its switches, separated by commas. Empty lines and lines that
/// begin with # are skipped. Throws Error(field) with file and line for anything else, for a switch that does
/// not exist or is repeated in a line, and for a line without exactly `degree` switches.
[[nodiscard]] Attachments read_attachments(const InputFile& file, const std::string& field,
                                           std::uint32_t switches, std::uint32_t degree);
/// The same for attachment=file of a topology. Throws Error if no file is named, or if its number of
/// terminals differs from the requested one.
[[nodiscard]] Attachments attachments_of_file(const std::optional<InputFile>& file, std::uint32_t switches,
                                              std::uint32_t degree, std::optional<std::uint32_t> terminals);
/// What read_attachments reads.
[[nodiscard]] std::string attachments_text(const Attachments& attachments);

}  // namespace faultline
#pragma GCC visibility pop
