// SPDX-License-Identifier: Apache-2.0
// The reader's files that a certificate is compared with: a list of cables, a relation, dead channels. The
// first byte says which.
#include "certificate.h"
#include "compare.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

/// Two switches, a terminal each, a dead channel.
constexpr const char* text = R"(faultline-certificate 2
topology label
routing none
switching cut-through
dead 0
knowledge all
source any
selection asks-all
stuck dropped
time static
verdict acyclic-dependencies
pairs 1 0 0 0 1
unreachable-pairs 1
max-hops 2
states 2
moves 2
dependencies 0
destinations all
faultline-relation 1
network label
switches 2
terminals 2
virtual-channels 1
tags 1
reads tag
channels 6
n 0 1
n 1 0
i 0 0
i 1 1
e 0 0
e 1 1
destination 0
from 1 3
s 0 0 4
s 1 0 1
destination 1
from 0 2
s 0 0 0
s 1 0 5
end
classes 0 -s
classes 1 r-
ranks 0 0
end
)";

void compare(std::string_view bytes) {
  static const checker::Certificate certificate = checker::read_certificate(text);
  if (bytes.empty()) return;
  const std::string_view file = bytes.substr(1);
  switch (bytes.front()) {
    case 'n':
      return checker::compare_network(certificate, file);
    case 'r':
      return checker::compare_relation(certificate, file);
    default:
      return checker::compare_dead(certificate, file);
  }
}

}  // namespace

extern constinit const Target comparison{
    "comparison", [](std::string_view bytes) {
      try {
        compare(bytes);
        canary(bytes.starts_with("d") && bytes.find("#") != std::string_view::npos);
      } catch (const checker::Refused& refused) {
        if (std::string_view(refused.what()).empty()) defect("a refusal without a reason");
      }
    }};

}  // namespace faultline::fuzz
