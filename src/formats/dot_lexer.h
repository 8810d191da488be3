// SPDX-License-Identifier: Apache-2.0
// The tokens of DOT (graphviz.org/doc/info/lang.html).
#pragma once

#include <string>
#include <string_view>

#include "formats/dot.h"
#include "formats/graph_reader.h"

namespace faultline::formats {

struct DotToken {
  enum class Type : std::uint8_t { word, quoted, sign, end };

  Type type = Type::end;
  std::string text;  ///< what the quotes enclose, where it is quoted
  int line = 1;

  [[nodiscard]] bool is_id() const { return type == Type::word || type == Type::quoted; }
  [[nodiscard]] bool is_sign(std::string_view sign) const { return type == Type::sign && text == sign; }
  [[nodiscard]] bool is_word(std::string_view keyword) const {
    return type == Type::word && is_keyword(text, keyword);
  }
};

/// Quoted texts are read as JSON writes them; where they are not JSON, \" is a quote and a backslash at the
/// end of a line continues it, as everywhere in DOT. "a" + "b" is one text, and so is HTML in angle brackets.
class DotLexer {
 public:
  /// Reads the text of `reader`, and refuses through it.
  explicit DotLexer(const GraphReader& reader);

  [[nodiscard]] DotToken next();

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
  std::string_view take(std::size_t length);
  void skip_blanks_and_comments();
  [[nodiscard]] DotToken word();
  [[nodiscard]] DotToken number();
  [[nodiscard]] DotToken quoted_text();
  [[nodiscard]] DotToken html();
  [[nodiscard]] DotToken sign(std::size_t length);

  const GraphReader& reader_;
  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

}  // namespace faultline::formats
