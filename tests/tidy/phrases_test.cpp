// SPDX-License-Identifier: Apache-2.0
// Texts that people read are plain English: phrases that a technical editor has replaced do not come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = FAULTLINE_SOURCE_DIR;

const std::vector<std::string> banned{
    "any so many",       "list so many",  "judged by it",     "where nvcc was there",    "looked at",
    "goes on where",     "can be had",    "what comes of it", "cables that it hangs on", "is no option of",
    "of one's own",      "computed anew", "who goes first",   "while packets fly",       "at its door",
    "graphics processor"};

/// Lower case, on one line: without the marks of comments and the seams of string literals that are broken
/// over lines.
std::string as_read(const std::string& text) {
  static const std::regex seam(R"(("\s*\n\s*")|(\s*\n\s*(///<|///|//|#|\*)?\s*))");
  std::string line = std::regex_replace(text, seam, " ");
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return std::tolower(c); });
  line.erase(std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             line.end());
  return line;
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_text(const fs::path& file) {
  static const std::vector<std::string> extensions{".md",   ".h",  ".cpp", ".cu",    ".ts",  ".mjs", ".html",
                                                   ".toml", ".py", ".sh",  ".cmake", ".txt", ".1"};
  return std::ranges::find(extensions, file.extension().string()) != extensions.end() &&
         file.filename() != "phrases_test.cpp";
}

std::vector<fs::path> texts() {
  std::vector<fs::path> files;
  for (const char* folder : {"apps", "bench", "checker", "cmake", "examples", "fuzz/targets", "include",
                             "packaging", "scripts", "src", "studies", "tests", "web/src"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && is_text(entry.path()) &&
          entry.path().string().find("tests/data") == std::string::npos)
        files.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file() && is_text(entry.path())) files.push_back(entry.path());
  return files;
}

TEST(Phrases, AreFoundAcrossLinesOfACommentOrALiteral) {
  EXPECT_EQ(as_read("/// Ports that are Looked\n  /// at twice."), "/// ports that are looked at twice.");
  EXPECT_EQ(as_read("f(\"is no \"\n    \"option of \");"), "f(\"is no option of \");");
}

TEST(Phrases, ThatWereReplacedDoNotComeBack) {
  const std::vector<fs::path> files = texts();
  EXPECT_GT(files.size(), 500U);
  for (const fs::path& file : files) {
    const std::string text = as_read(content(file));
    for (const std::string& phrase : banned) {
      const std::size_t at = text.find(phrase);
      EXPECT_EQ(at, std::string::npos)
          << file << ": " << text.substr(at - std::min<std::size_t>(at, 40), 100);
    }
  }
}

}  // namespace
