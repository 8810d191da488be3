// SPDX-License-Identifier: Apache-2.0
// The search over rows of any width. Included by the kernels, each compiled for its processor, inside an
// unnamed namespace.
//
// Lanes: a Row type; ones(); both(a, b), either(a, b), without(a, b); contains(a, b): all bits of b are in a;
// step(row, direction) and shift(row, residue): bit u of the result is the bit of u's neighbour, or
// of u + residue.

template <class Lanes>
class LegSearchOf final : public LegSearch {
  using Row = typename Lanes::Row;

 public:
  explicit LegSearchOf(const LegGeometry& geometry)
      : geometry_(geometry),
        lanes_(geometry),
        valid_(row_of_all_switches()),
        alive_(geometry.directions()),
        adaptive_(geometry.offsets().size()),
        ordered_(geometry.offsets().size()),
        usable_(geometry.switches()),
        rest_(geometry.directions(), std::vector<Row>(geometry.switches())),
        onward_(rest_),
        run_(rest_) {
    plan_hops();
    plan_lines();
    plan_intermediates();
    LegSearchOf::revive_all();
  }

  void revive_all() override {
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction)
      alive_[direction] = whole_[direction];
  }
  void fail(std::uint32_t at, std::uint32_t direction) override { set_bit(alive_[direction], at, false); }

  void find_legs(bool ordered) override {
    adaptive_[0] = ordered_[0] = Lanes::ones();
    for (std::size_t i = 1; i < adaptive_.size(); ++i) {
      Row box = Lanes::ones();
      for (const Hop* hop = hops_.data() + first_hop_[i]; hop != hops_.data() + first_hop_[i + 1]; ++hop)
        box = Lanes::both(
            box, Lanes::both(alive_[hop->direction], lanes_.step(adaptive_[hop->rest], hop->direction)));
      adaptive_[i] = box;
    }
    if (!ordered) return;
    for (std::size_t i = 1; i < ordered_.size(); ++i) {
      const Hop& hop = hops_[first_hop_[i]];
      ordered_[i] = Lanes::both(alive_[hop.direction], lanes_.step(ordered_[hop.rest], hop.direction));
    }
  }
  [[nodiscard]] std::vector<std::uint64_t> adaptive(std::size_t offset) const override {
    return words_of(adaptive_[offset]);
  }
  [[nodiscard]] std::vector<std::uint64_t> ordered(std::size_t offset) const override {
    return words_of(ordered_[offset]);
  }

  [[nodiscard]] const std::vector<LostPairs>& find_lost(const Mechanisms& mechanisms) override {
    find_legs(mechanisms.deterministic);
    deterministic_ = mechanisms.deterministic;
    for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
      usable_[residue] = rest(residue, 0);
    find_needed();
    lost_.clear();
    if (all_served(mechanisms.intermediate)) return lost_;
    if (mechanisms.misrouting && find_misrouted(mechanisms.intermediate)) return lost_;
    note_unserved(mechanisms.intermediate);
    return lost_;
  }

  [[nodiscard]] bool is_connected() const override {
    return reaches_all([&](const Row& found, std::uint32_t direction) {
             // Switches that have a living channel to a switch found.
             return Lanes::both(alive_[direction], lanes_.step(found, direction));
           }) &&
           reaches_all([&](const Row& found, std::uint32_t direction) {
             // Switches to which a switch found has one.
             return lanes_.step(Lanes::both(alive_[direction], found), opposite(direction));
           });
  }

 private:
  struct Hop {
    std::uint32_t direction, rest;
  };
  struct Split {
    std::uint32_t first, second;  ///< residues of the two legs
  };

  static void set_bit(Row& row, std::uint32_t at, bool value) {
    std::uint64_t words[Lanes::words];
    std::memcpy(words, &row, sizeof words);
    words[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    words[at / 64] |= std::uint64_t{value} << (at % 64);
    std::memcpy(&row, words, sizeof words);
  }
  static std::vector<std::uint64_t> words_of(const Row& row) {
    std::vector<std::uint64_t> words(Lanes::words);
    std::memcpy(words.data(), &row, sizeof row);
    return words;
  }

  [[nodiscard]] std::uint32_t opposite(std::uint32_t direction) const {
    const std::uint32_t dimensions = geometry_.dimensions();
    return direction < dimensions ? direction + dimensions : direction - dimensions;
  }

  [[nodiscard]] Row row_of_all_switches() const {
    Row row = Lanes::without(Lanes::ones(), Lanes::ones());
    for (std::uint32_t at = 0; at < geometry_.switches(); ++at) set_bit(row, at, true);
    return row;
  }

  void plan_hops() {
    first_hop_ = {0, 0};
    for (std::size_t i = 1; i < geometry_.offsets().size(); ++i) {
      for (std::uint32_t rest = geometry_.offsets()[i].directions; rest != 0; rest &= rest - 1) {
        const auto direction = static_cast<std::uint32_t>(std::countr_zero(rest));
        hops_.push_back({direction, geometry_.after_hop(i, direction)});
      }
      first_hop_.push_back(static_cast<std::uint32_t>(hops_.size()));
    }
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction)
      whole_.push_back(geometry_.has_ends() ? lanes_.ordinary(direction) : Lanes::ones());
  }
  void plan_lines() {
    lines_.resize(geometry_.dimensions());
    for (std::uint32_t dimension = 0; dimension < geometry_.dimensions(); ++dimension)
      for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
        if (geometry_.coordinate(residue, dimension) == 0) lines_[dimension].push_back(residue);
  }
  void plan_intermediates() {
    const auto nearest = geometry_.residues_by_distance().subspan(1);
    near_ = std::min<std::size_t>(nearest.size(), max_near);
    for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
      for (const std::uint32_t first : nearest.first(near_)) splits_.push_back(split(residue, first));
  }

  /// Legs of this residue usable without runs, by offsets none of whose directions is before `from`.
  [[nodiscard]] Row rest(std::uint32_t residue, std::uint32_t from) const {
    Row found = Lanes::without(valid_, valid_);
    for (const std::uint32_t offset : geometry_.offsets_of(residue)) {
      if ((geometry_.offsets()[offset].directions & ((1U << from) - 1)) != 0) continue;
      found = Lanes::either(found, adaptive_[offset]);
      if (deterministic_) found = Lanes::either(found, ordered_[offset]);
    }
    return found;
  }

  /// After a run, the next one has a later direction; at most two follow the first. Stops early, and returns
  /// true, once all pairs are served.
  bool find_misrouted(bool intermediate) {
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction)
      for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
        onward_[direction][residue] = rest_[direction][residue] = rest(residue, direction);
    for (std::size_t runs = 1;; ++runs) {
      for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction) find_runs(direction);
      for (const std::vector<Row>& legs : run_)
        for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
          usable_[residue] = Lanes::either(usable_[residue], legs[residue]);
      if (all_served(intermediate)) return true;
      if (runs == Subheader::max_runs) return false;
      allow_a_run_more();
    }
  }
  void allow_a_run_more() {
    for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue) {
      Row later = Lanes::without(valid_, valid_);
      for (std::uint32_t direction = geometry_.directions(); direction-- > 0;) {
        onward_[direction][residue] = Lanes::either(rest_[direction][residue], later);
        later = Lanes::either(later, run_[direction][residue]);
      }
    }
  }
  /// Legs that begin with at least one hop in `direction`: round each ring twice, the first time collecting.
  /// Several rings at a time, because each step waits for the one before it.
  void find_runs(std::uint32_t direction) {
    constexpr std::size_t at_once = 8;
    const std::vector<std::uint32_t>& lines = lines_[direction % geometry_.dimensions()];
    const std::uint32_t size = geometry_.radix(direction % geometry_.dimensions());
    const Row alive = alive_[direction];
    Row* const run = run_[direction].data();
    const Row* const onward = onward_[direction].data();
    for (std::size_t first = 0; first < lines.size(); first += at_once) {
      Row found[at_once];
      std::uint32_t residue[at_once];
      for (std::size_t i = 0; i < at_once; ++i) {
        found[i] = Lanes::without(valid_, valid_);
        residue[i] = lines[std::min(first + i, lines.size() - 1)];
      }
      for (std::uint32_t hop = 0; hop + 1 < 2 * size; ++hop)
        for (std::size_t i = 0; i < at_once; ++i) {
          found[i] = Lanes::either(found[i], onward[residue[i]]);
          found[i] = Lanes::both(alive, lanes_.step(found[i], direction));
          residue[i] = geometry_.step(residue[i], direction);
          run[residue[i]] = found[i];
        }
    }
  }

  /// No routing serves a pair whose source sends nothing, or whose destination receives nothing.
  void find_needed() {
    Row sends = Lanes::without(valid_, valid_), receives = sends;
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction) {
      sends = Lanes::either(sends, alive_[direction]);
      receives = Lanes::either(receives, lanes_.step(alive_[direction], opposite(direction)));
    }
    sends_ = Lanes::both(sends, valid_);
    receives_ = Lanes::both(receives, valid_);
    all_live_ = Lanes::contains(sends_, valid_) && Lanes::contains(receives_, valid_);
  }
  [[nodiscard]] Row needed(std::uint32_t residue) const {
    return all_live_ ? valid_ : Lanes::both(sends_, lanes_.shift(receives_, residue));
  }

  /// Of the pairs of a residue: those that are served.
  [[nodiscard]] Row served(std::uint32_t residue, const Row& wanted, bool intermediate) const {
    const Row& directly = usable_[residue];
    return intermediate && !Lanes::contains(directly, wanted) ? with_intermediates(residue, directly, wanted)
                                                              : directly;
  }
  [[nodiscard]] bool all_served(bool intermediate) const {
    if (!all_live_) return false;
    for (std::uint32_t residue = 1; residue < geometry_.switches(); ++residue)
      if (!Lanes::contains(served(residue, valid_, intermediate), valid_)) return false;
    return true;
  }
  void note_unserved(bool intermediate) {
    for (std::uint32_t residue = 1; residue < geometry_.switches(); ++residue) {
      const Row found = served(residue, needed(residue), intermediate);
      if (!Lanes::contains(found, valid_)) note_lost(residue, Lanes::without(valid_, found));
    }
  }
  [[nodiscard]] Row with_intermediates(std::uint32_t residue, Row served, const Row& wanted) const {
    for (std::size_t i = residue * near_; i < (residue + 1) * near_; ++i)
      if (try_split(splits_[i], served, wanted)) return served;
    for (const std::uint32_t first : geometry_.residues_by_distance().subspan(1 + near_))
      if (try_split(split(residue, first), served, wanted)) return served;
    return served;
  }
  [[nodiscard]] bool try_split(const Split& legs, Row& served, const Row& wanted) const {
    const Row second = lanes_.shift(usable_[legs.second], legs.first);
    served = Lanes::either(served, Lanes::both(usable_[legs.first], second));
    return Lanes::contains(served, wanted);
  }
  [[nodiscard]] Split split(std::uint32_t residue, std::uint32_t first) const {
    return {first, geometry_.difference(residue, first)};
  }
  void note_lost(std::uint32_t residue, const Row& row) { lost_.push_back({residue, words_of(row)}); }

  template <class Neighbours>
  [[nodiscard]] bool reaches_all(Neighbours neighbours) const {
    Row found = Lanes::without(valid_, valid_);
    set_bit(found, 0, true);
    for (;;) {
      Row next = found;
      for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction)
        next = Lanes::either(next, neighbours(found, direction));
      next = Lanes::both(next, valid_);
      if (Lanes::contains(found, next)) return Lanes::contains(found, valid_);
      found = next;
    }
  }

  const LegGeometry& geometry_;
  Lanes lanes_;
  Row valid_, sends_, receives_;
  bool all_live_ = true, deterministic_ = true;
  std::vector<Row> whole_;               // by direction: switches that have a channel
  std::vector<Row> alive_;               // by direction
  std::vector<Row> adaptive_, ordered_;  // by offset
  std::vector<Row> usable_;              // by residue
  // By direction and residue: without a run before it, after a run, and beginning with one.
  std::vector<std::vector<Row>> rest_, onward_, run_;
  std::vector<std::vector<std::uint32_t>> lines_;  // by dimension: the first residue of each line along it
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> first_hop_;  // by offset
  static constexpr std::size_t max_near = 511;
  std::size_t near_ = 0;
  std::vector<Split> splits_;  // by residue: the ways by the `near_` nearest intermediate switches
  std::vector<LostPairs> lost_;
};
