// SPDX-License-Identifier: Apache-2.0
// The search over rows of any width. Included by the kernels, each compiled for its processor, inside an
// unnamed namespace.
//
// Lanes: a Row type; ones(); both(a, b), either(a, b), without(a, b); contains(a, b): all bits of b are in a;
// any(a); step(row, direction) and shift(row, residue): bit u of the result is the bit of u's neighbour, or
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
        onward_(geometry.directions(), std::vector<Row>(geometry.switches())),
        run_(onward_) {
    plan_hops();
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
    find_unserved(mechanisms.intermediate);
    if (!lost_.empty() && mechanisms.misrouting) {
      find_misrouted();
      find_unserved(mechanisms.intermediate);
    }
    return lost_;
  }

  [[nodiscard]] bool is_connected() const override {
    return reaches_all([&](const Row& found, std::uint32_t direction) {
             // Who has a living channel to a switch found.
             return Lanes::both(alive_[direction], lanes_.step(found, direction));
           }) &&
           reaches_all([&](const Row& found, std::uint32_t direction) {
             // To whom a switch found has one.
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
  void plan_intermediates() {
    const auto nearest = geometry_.residues_by_distance().subspan(1);
    near_ = std::min<std::size_t>(nearest.size(), most_near);
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

  /// After a run, the next one has a later direction; at most two follow the first.
  void find_misrouted() {
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction)
      for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
        onward_[direction][residue] = rest(residue, direction);
    for (std::size_t further = 0; further < Subheader::most_runs; ++further) {
      for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction) find_runs(direction);
      if (further + 1 < Subheader::most_runs) allow_a_run_more();
    }
    for (const std::vector<Row>& legs : run_)
      for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue)
        usable_[residue] = Lanes::either(usable_[residue], legs[residue]);
  }
  void allow_a_run_more() {
    for (std::uint32_t residue = 0; residue < geometry_.switches(); ++residue) {
      Row later = Lanes::without(valid_, valid_);
      for (std::uint32_t direction = geometry_.directions(); direction-- > 0;) {
        onward_[direction][residue] = Lanes::either(rest(residue, direction), later);
        later = Lanes::either(later, run_[direction][residue]);
      }
    }
  }
  /// Legs that begin with at least one hop in `direction`: round each ring twice, the first time collecting.
  void find_runs(std::uint32_t direction) {
    const std::uint32_t dimension = direction % geometry_.dimensions();
    const std::uint32_t size = geometry_.radix(dimension);
    for (std::uint32_t line = 0; line < geometry_.switches(); ++line) {
      if (geometry_.coordinate(line, dimension) != 0) continue;
      Row found = Lanes::without(valid_, valid_);
      std::uint32_t residue = line;
      for (std::uint32_t i = 0; i + 1 < 2 * size; ++i) {
        found = Lanes::either(found, onward_[direction][residue]);
        found = Lanes::both(alive_[direction], lanes_.step(found, direction));
        residue = geometry_.step(residue, direction);
        run_[direction][residue] = found;
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

  void find_unserved(bool intermediate) {
    lost_.clear();
    for (std::uint32_t residue = 1; residue < geometry_.switches(); ++residue) {
      Row served = usable_[residue];
      const Row wanted = needed(residue);
      if (intermediate && !Lanes::contains(served, wanted))
        served = with_intermediates(residue, served, wanted);
      if (!Lanes::contains(served, valid_)) note_lost(residue, Lanes::without(valid_, served));
    }
  }
  [[nodiscard]] Row with_intermediates(std::uint32_t residue, Row served, const Row& wanted) const {
    const auto try_split = [&](const Split& legs) {
      const Row second = lanes_.shift(usable_[legs.second], legs.first);
      served = Lanes::either(served, Lanes::both(usable_[legs.first], second));
      return Lanes::contains(served, wanted);
    };
    for (std::size_t i = residue * near_; i < (residue + 1) * near_; ++i)
      if (try_split(splits_[i])) return served;
    for (const std::uint32_t first : geometry_.residues_by_distance().subspan(1 + near_))
      if (try_split(split(residue, first))) return served;
    return served;
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
  std::vector<Row> whole_;                      // by direction: switches that have a channel
  std::vector<Row> alive_;                      // by direction
  std::vector<Row> adaptive_, ordered_;         // by offset
  std::vector<Row> usable_;                     // by residue
  std::vector<std::vector<Row>> onward_, run_;  // by direction and residue: after, and beginning with, a run
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> first_hop_;  // by offset
  static constexpr std::size_t most_near = 511;
  std::size_t near_ = 0;
  std::vector<Split> splits_;  // by residue: the ways by the `near_` nearest intermediate switches
  std::vector<LostPairs> lost_;
};
