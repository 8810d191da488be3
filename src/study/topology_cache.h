// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "faultline/topology/kind.h"

namespace faultline {

/// The topologies that the workers of a study use.
class TopologyCache {
 public:
  /// Descriptions that read the same files through different InputFiles may have found different content.
  using Key = std::pair<std::string, const InputFiles*>;
  static Key key_of(const Resolved<TopologyKind>& described) {
    return {to_compact(described), described.description().files.get()};
  }

  using Build = std::function<TopologyPtr(const Resolved<TopologyKind>&)>;
  explicit TopologyCache(Build build = build_topology) : build_(std::move(build)) {}

  /// A topology is built once while any worker builds or uses it. Others who need it wait, those who need
  /// another do not. An exception reaches all who wait; who asks later builds it again.
  [[nodiscard]] TopologyPtr get(const Resolved<TopologyKind>& described) {
    Key key = key_of(described);
    std::promise<TopologyPtr> promise;
    std::unique_lock lock(mutex_);
    // No more are left than workers use or build, however many a study has.
    std::erase_if(entries_, [](const auto& entry) { return entry.second.is_over(); });
    Entry& entry = entries_[std::move(key)];
    if (TopologyPtr topology = entry.built.lock()) return topology;
    if (entry.building.valid()) {
      const std::shared_future<TopologyPtr> building = entry.building;
      lock.unlock();
      return building.get();
    }
    entry.building = promise.get_future().share();
    lock.unlock();
    return built(described, entry, promise);
  }

 private:
  struct Entry {
    std::weak_ptr<const Topology> built;
    std::shared_future<TopologyPtr> building;  ///< valid while it is built
    [[nodiscard]] bool is_over() const { return built.expired() && !building.valid(); }
  };

  TopologyPtr built(const Resolved<TopologyKind>& described, Entry& entry,
                    std::promise<TopologyPtr>& promise) try {
    TopologyPtr topology = build_(described);
    const std::scoped_lock lock(mutex_);
    entry = {topology, {}};
    promise.set_value(topology);
    return topology;
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    entry = {};
    promise.set_exception(std::current_exception());
    throw;
  }

  Build build_;
  std::mutex mutex_;  // guards what follows
  std::map<Key, Entry> entries_;
};

/// What one worker uses: its latest topology stays until it asks for another, so that the cases of a sweep
/// share theirs.
class TopologyInUse {
 public:
  explicit TopologyInUse(TopologyCache& cache) : cache_(cache) {}

  [[nodiscard]] TopologyPtr get(const Resolved<TopologyKind>& described) {
    TopologyCache::Key key = TopologyCache::key_of(described);
    if (key != key_) latest_.reset();  // so that there is room for the next one
    key_ = std::move(key);
    return latest_ = cache_.get(described);
  }

 private:
  TopologyCache& cache_;
  TopologyCache::Key key_;
  TopologyPtr latest_;
};

}  // namespace faultline
