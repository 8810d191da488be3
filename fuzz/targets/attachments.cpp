// SPDX-License-Identifier: Apache-2.0
// Graph files: to which switches each terminal is attached. The first byte chooses the number of switches.
#include "faultline/topology/attachments.h"

#include "faultline/topology/kind.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto switches = static_cast<std::uint32_t>(4 + static_cast<unsigned char>(bytes.front()) % 8);
  constexpr std::uint32_t degree = 2;
  const InputFile file{"file", std::make_shared<const std::string>(bytes.substr(1))};
  const Attachments attachments = read_attachments(file, "topology.file", switches, degree);
  const InputFile again{"again", std::make_shared<const std::string>(attachments_text(attachments))};
  if (read_attachments(again, "topology.file", switches, degree) != attachments)
    defect("attachments are not read back as they were written");
  canary(attachments.size() == 5);
  Description given = parse_compact(
      "topology", "switch-ring:degree=2,attachment=file,file=file,n=" + std::to_string(switches));
  given.files = std::make_shared<InputFiles>();
  given.files->add("file", *file.content);
  given.files->close();
  if (build_topology(given)->terminal_count() != attachments.size()) defect("a terminal is lost");
}

}  // namespace

extern constinit const Target attachments{"attachments",
                                          [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
