// SPDX-License-Identifier: Apache-2.0
// The rules of STYLE.md that a program can check.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path source_root = FAULTLINE_SOURCE_DIR;

/// Lowest first; layers on one line do not include each other.
const std::vector<std::vector<std::string>> layers{{"base"},
                                                   {"describe"},
                                                   {"formats", "infiniband"},
                                                   {"topology"},
                                                   {"fault", "traffic"},
                                                   {"routing"},
                                                   {"selection", "agent"},
                                                   {"cost", "verify", "resilience", "simulate"},
                                                   {"design"},
                                                   {"results"},
                                                   {"study", "report"},
                                                   {"faultline.h"}};

/// The folders of src/resilience, lowest first, likewise.
const std::vector<std::vector<std::string>> resilience_folders{
    {"kernels"},    {"circuit"}, {"evaluate"}, {"connections", "cuts"}, {"exhaustive", "fractions", "worst"},
    {"reliability"}};

/// The folders of src/simulate, likewise; the files directly in it may include all of them.
const std::vector<std::vector<std::string>> simulate_folders{{"threads", "injection", "faults"},
                                                             {"measurement", "switches"},
                                                             {"cut_through", "wormhole"},
                                                             {"kernels"},
                                                             {"planes"},
                                                             {"ideal"}};

int height(const std::string& name, const std::vector<std::vector<std::string>>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (std::ranges::find(order[i], name) != order[i].end()) return static_cast<int>(i);
  return -1;
}

std::vector<fs::path> sources(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(source_root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_root / folder))
      if (const fs::path extension = entry.path().extension();
          extension == ".h" || extension == ".cpp" || extension == ".cu")
        files.push_back(entry.path());
  }
  return files;
}

std::vector<std::string> lines(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

/// The layer of src/X/… or include/faultline/X/….
std::string layer_of(const fs::path& file) {
  const fs::path relative = fs::relative(file, source_root);
  auto part = relative.begin();
  std::advance(part, *part == "include" ? 2 : 1);
  return part->string();
}

/// What a file includes, as matched by the first group of `include`, is `from` itself or lower in the order.
void expect_downwards(const fs::path& file, const std::string& from, const std::regex& include,
                      const std::vector<std::vector<std::string>>& order) {
  ASSERT_GE(height(from, order), 0) << file << " has no known layer";
  for (const std::string& line : lines(file)) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string to = match[1];
    EXPECT_GE(height(to, order), 0) << file << " includes of no known layer: " << line;
    EXPECT_TRUE(from == to || height(to, order) < height(from, order)) << file << ": " << line;
  }
}

TEST(Tidy, IncludesPointDownwards) {
  const std::regex include("#include \"(?:faultline/)?([a-z]+)/[^\"]*\"");
  for (const fs::path& file : sources({"src", "include"}))
    expect_downwards(file, layer_of(file), include, layers);
}

/// Of the library: what cmake/Package.cmake installs, the layers below `results`.
std::vector<fs::path> public_headers() {
  std::vector<fs::path> headers = sources({"include"});
  std::erase_if(headers, [](const fs::path& file) {
    const std::string layer = layer_of(file);
    return layer != "faultline.h" && height(layer, layers) >= height("results", layers);
  });
  return headers;
}

TEST(Tidy, PublicHeadersIncludeNoOtherLibrary) {
  const std::regex include("#include (.*)"), allowed(R"(<[a-z0-9_]+>|"faultline/[a-z_/]+\.h")");
  for (const fs::path& file : public_headers())
    for (const std::string& line : lines(file)) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      EXPECT_TRUE(std::regex_match(match[1].str(), allowed)) << file << ": " << line;
    }
}

/// The shared library exports what is declared this way.
TEST(Tidy, PublicHeadersDeclareWithDefaultVisibility) {
  for (const fs::path& file : public_headers()) {
    if (file.filename() == "faultline.h") continue;
    std::vector<std::string> order;
    for (const std::string& line : lines(file))
      if (line.starts_with("#pragma GCC") || line.starts_with("namespace faultline") ||
          line.starts_with("}  // namespace faultline"))
        order.push_back(line.substr(0, line.find("faultline")));
    EXPECT_EQ(order, (std::vector<std::string>{"#pragma GCC visibility push(default)", "namespace ",
                                               "}  // namespace ", "#pragma GCC visibility pop"}))
        << file;
  }
}

/// Files directly in the layer's folder may include all of its folders.
void expect_rooms_in_order(const std::string& layer, const std::vector<std::vector<std::string>>& rooms) {
  const std::regex include("#include \"" + layer + "/([a-z_]+)/[^\"]*\"");
  for (const fs::path& file : sources({"src/" + layer}))
    if (file.parent_path().filename() != layer)
      expect_downwards(file, file.parent_path().filename().string(), include, rooms);
}

TEST(Tidy, IncludesWithinResiliencePointDownwards) {
  expect_rooms_in_order("resilience", resilience_folders);
}
TEST(Tidy, IncludesWithinSimulatePointDownwards) { expect_rooms_in_order("simulate", simulate_folders); }

/// Other layers are used through their public headers; only base has internal tools for all layers.
TEST(Tidy, LayersDoNotIncludeEachOthersPrivateHeaders) {
  const std::regex include("#include \"([a-z]+)/[^\"]*\"");
  for (const fs::path& file : sources({"src", "include", "apps"}))
    for (const std::string& line : lines(file)) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string from = layer_of(file), to = match[1];
      if (height(to, layers) < 0) continue;
      EXPECT_TRUE(from == to || to == "base") << file << ": " << line;
    }
}

/// The linker merges two classes with the same name in one namespace, and keeps only one copy of each
/// function that both have.
TEST(Tidy, EachClassIsDefinedOnce) {
  const std::regex opens("namespace (faultline[a-z_:]*) \\{"),
      defines(
          R"((?:class|struct|union) (?:\[\[.*\]\] )?(?:alignas\(.*\) )?(\w+)(?: final)?(?: : .*)? ?\{.*)");
  std::map<std::string, fs::path> defined;
  for (const fs::path& file : sources({"src", "include"})) {
    std::string enclosing;
    bool local = false;
    for (const std::string& line : lines(file)) {
      std::smatch match;
      if (line == "namespace {") local = true;
      if (line == "}  // namespace") local = false;
      if (std::regex_match(line, match, opens)) enclosing = match[1];
      if (local || !std::regex_match(line, match, defines)) continue;
      const auto [before, is_new] = defined.try_emplace(enclosing + "::" + match[1].str(), file);
      EXPECT_TRUE(is_new) << before->first << " is defined in " << before->second << " and in " << file;
    }
  }
  EXPECT_GE(defined.size(), 500U);
}

TEST(Tidy, EverySourceNamesItsLicence) {
  for (const fs::path& file : sources({"src", "include", "apps", "tests", "bench", "checker"})) {
    const auto content = lines(file);
    ASSERT_FALSE(content.empty()) << file;
    EXPECT_EQ(content.front(), "// SPDX-License-Identifier: Apache-2.0") << file;
  }
}

TEST(Tidy, FilesHoldOneSubject) {
  for (const fs::path& file : sources({"src", "include", "apps", "checker"}))
    EXPECT_LE(lines(file).size(), 500U) << file;
}

TEST(Tidy, TheLibraryNeitherPrintsNorExits) {
  const std::regex forbidden(
      R"(std::cout|std::cerr|[^a-z_]printf\(|std::exit|std::abort|fmt::print|[^_a-z]assert\()");
  for (const fs::path& file : sources({"src", "include"}))
    for (const std::string& line : lines(file))
      EXPECT_FALSE(std::regex_search(line, forbidden)) << file << ": " << line;
}

TEST(Tidy, NothingIsLeftToDo) {
  const std::regex forbidden(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X)\\b");
  for (const fs::path& file : sources({"src", "include", "apps", "tests", "bench", "checker"}))
    for (const std::string& line : lines(file))
      EXPECT_FALSE(std::regex_search(line, forbidden)) << file << ": " << line;
}

/// "One word per thing" (STYLE.md): a type named after kinds is what a catalogue lists.
TEST(Tidy, AKindIsWhatACatalogueLists) {
  const std::regex declared(R"(^\s*(?:struct|class|enum class) (\w*Kind)\b[^;]*\{)");
  std::size_t kinds = 0;
  for (const fs::path& file : sources({"src", "include", "apps", "tests", "bench", "checker", "fuzz"})) {
    const std::vector<std::string> all = lines(file);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!std::regex_search(all[i], declared)) continue;
      ++kinds;
      EXPECT_TRUE(i + 1 < all.size() && all[i + 1].find(" catalogue = &") != std::string::npos)
          << file << ": " << all[i];
    }
  }
  EXPECT_GE(kinds, 7U);
}

/// Locations of what was written, slots of buffers, positions and indices have their own words.
TEST(Tidy, NothingIsNamedAPlace) {
  const std::regex no_code(R"re(//.*|"(?:[^"\\]|\\.)*")re"), identifier(R"(\b\w*[Pp]lace\w*)");
  const std::regex allowed("(?:try_)?emplace(?:_back)?|\\w*[Rr]eplace\\w*|(?:check_)?[Pp]lacement");
  for (const fs::path& file : sources({"src", "include"})) {
    for (const std::string& line : lines(file)) {
      const std::string code = std::regex_replace(line, no_code, "");
      for (std::sregex_iterator found(code.begin(), code.end(), identifier), end; found != end; ++found)
        EXPECT_TRUE(std::regex_match(found->str(), allowed)) << file << ": " << found->str();
    }
  }
}

TEST(Tidy, KindFilesAreNamedAfterTheirKind) {
  const std::regex exported(R"re(extern constinit const \w+ (\w+)(?: =|\{))re");
  const std::regex named(R"re((?:_kind(?:<\w+>)?\(|const Command \w+\{)\s*"([a-z0-9 -]+)")re");
  for (const fs::path& file : sources({"src", "apps"})) {
    if (const fs::path folder = file.parent_path().filename(); folder != "kinds" && folder != "verbs")
      continue;
    std::string content;
    for (const std::string& line : lines(file)) content += line + "\n";
    std::smatch symbol, name;
    ASSERT_TRUE(std::regex_search(content, symbol, exported)) << file;
    ASSERT_TRUE(std::regex_search(content, name, named)) << file;
    std::string expected = name[1];
    std::ranges::replace(expected, '-', '_');
    std::ranges::replace(expected, ' ', '_');  // a sub-verb
    EXPECT_EQ(file.stem(), expected);
    EXPECT_EQ(symbol[1], expected) << file;
  }
}

}  // namespace
