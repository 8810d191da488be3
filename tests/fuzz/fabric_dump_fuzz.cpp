// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes of a dump: the result is a fabric or an Error, never a crash, a hang or another
// exception.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/base/random.h"
#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "support/effort.h"
#include "support/port_list.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"

namespace faultline::infiniband {
namespace {

constexpr std::size_t cut_step = effort(97, 997);

std::optional<Fabric> read_dump(std::string_view text) {
  try {
    return parse_ibnetdiscover(text, "dump");
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    EXPECT_FALSE(error.parts().allowed.empty());
    return std::nullopt;
  }
}

std::optional<ForwardingTables> read_tables(std::string_view text) {
  try {
    return parse_forwarding_tables(text, "tables");
  } catch (const Error& error) {
    EXPECT_FALSE(error.parts().allowed.empty());
    return std::nullopt;
  }
}

/// Every cable has two different ends that exist, and no two cables share one: what a topology is built on.
void expect_sound(const Fabric& fabric, std::uint64_t seed) {
  std::vector<CableEnd> ends;
  for (const Cable& cable : fabric.cables)
    for (const CableEnd& end : {cable.a, cable.b}) {
      ASSERT_LT(end.node, fabric.nodes.size()) << "seed " << seed;
      ASSERT_GE(end.port, 1U) << "seed " << seed;
      ASSERT_LE(end.port, fabric.nodes[end.node].port_count) << "seed " << seed;
      ends.push_back(end);
    }
  std::ranges::sort(ends);
  EXPECT_EQ(std::ranges::adjacent_find(ends), ends.end()) << "seed " << seed;
}

/// One to eight random edits: a byte set, a byte removed, a stretch copied elsewhere or removed.
std::string damaged(std::string text, std::uint64_t seed) {
  RandomStream random(seed, 0);
  const std::uint32_t edits = 1 + random.next_below(8);
  for (std::uint32_t edit = 0; edit < edits && !text.empty(); ++edit) {
    const std::size_t at = random.next_below(static_cast<std::uint32_t>(text.size()));
    const std::size_t length = random.next_below(200);
    switch (random.next_below(4)) {
      case 0:
        text[at] = static_cast<char>(random.next());
        break;
      case 1:
        text.erase(at, 1);
        break;
      case 2:
        text.erase(at, length);
        break;
      default:
        text.insert(random.next_below(static_cast<std::uint32_t>(text.size())), text.substr(at, length));
    }
  }
  return text;
}

void try_damaged_dumps(const std::string& text, std::uint64_t count) {
  for (std::uint64_t seed = 0; seed < count; ++seed)
    if (const auto fabric = read_dump(damaged(text, seed))) expect_sound(*fabric, seed);
}

TEST(FabricDumpFuzz, SmallDumpDamaged) { try_damaged_dumps(std::string(small_dump), 3000); }

TEST(FabricDumpFuzz, ListOfPortsDamaged) { try_damaged_dumps(std::string(dump_in_ports), 3000); }

TEST(FabricDumpFuzz, RandomBytes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, 1);
    std::string text =
        seed % 2 == 0 ? std::string() : std::string(small_dump.substr(0, random.next_below(300)));
    for (std::uint32_t size = random.next_below(2000); size > 0; --size)
      text += static_cast<char>(random.next());
    if (const auto fabric = read_dump(text)) expect_sound(*fabric, seed);
    (void)read_tables(text);
  }
}

class RealDumpFuzz : public testing::TestWithParam<const char*> {};

/// A dump lists each cable at both ends, so every cut is detected; only the end of the last line may be
/// missing.
TEST_P(RealDumpFuzz, RefusesEveryCut) {
  FAULTLINE_SHARED_FILE(path, std::string("fabrics/") + GetParam());
  const std::string text = read_file(path, "file");
  constexpr std::size_t max_cuts = effort(1000, 200);
  for (std::size_t size = 0; size + 1 < text.size(); size += std::max(cut_step, text.size() / max_cuts))
    EXPECT_FALSE(read_dump(std::string_view(text).substr(0, size))) << "cut at byte " << size;
}

TEST_P(RealDumpFuzz, Damaged) {
  FAULTLINE_SHARED_FILE(path, std::string("fabrics/") + GetParam());
  try_damaged_dumps(read_file(path, "file"), 40);
}

INSTANTIATE_TEST_SUITE_P(Files, RealDumpFuzz,
                         testing::Values("psmn-x5.ibnetdiscover", "avakas.ibnetdiscover",
                                         "avakas.ibnetdiscover-p"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(ForwardingTablesFuzz, SmallTablesDamaged) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    (void)read_tables(damaged(std::string(small_tables), seed));
}

/// A cut between two tables cannot be detected from the text: it leaves whole tables, and no trace of the
/// lost one.
TEST(ForwardingTablesFuzz, RealTablesCut) {
  FAULTLINE_SHARED_FILE(path, "fabrics/avakas.lfts");
  const std::string text = read_file(path, "file");
  const ForwardingTables whole = parse_forwarding_tables(text, "tables");
  for (std::size_t size = 0; size < text.size(); size += cut_step * 8) {
    const auto part = read_tables(std::string_view(text).substr(0, size));
    if (!part) continue;
    ASSERT_LE(part->switches.size(), whole.switches.size());
    for (std::size_t index = 0; index < part->switches.size(); ++index)
      EXPECT_EQ(part->switches[index], whole.switches[index]) << "cut at byte " << size;
  }
}

}  // namespace
}  // namespace faultline::infiniband
