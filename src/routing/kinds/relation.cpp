// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "faultline/routing/relation_text.h"
#include "faultline/topology/labellings.h"

namespace faultline::routings {
namespace {

struct Relation {
  std::optional<InputFile> file;

  static void fields(auto& field) {
    field("file", &Relation::file, file_path(),
          "relation file with the same channels (default: the topology's own, if it is a relation file)");
  }
  static std::vector<Relation> samples() { return {{}}; }

  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    if (!file) {
      const auto& own = context.topology->labelling<RelationLabelling>("relation");
      return tabulated_relation(context.topology, own.file, context.topology->name());
    }
    auto read = std::make_shared<const formats::RelationFile>(
        formats::parse_relation(*file->content, file->path, "routing.file"));
    return tabulated_relation(context.topology, std::move(read), file->path);
  }
};

}  // namespace

extern constinit const RoutingKind relation =
    routing_kind<Relation>("relation", "the options that a relation file lists for every state",
                           "format faultline-relation 1", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
