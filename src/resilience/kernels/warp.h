// SPDX-License-Identifier: Apache-2.0
// One thread of a warp, and what it does with its fault sets. Included once, in an unnamed namespace, after
// run_program.h.

/// 2048 fault sets, of which each of the 32 threads of a warp holds 64: rows are contiguous, so that a warp
/// reads 256 bytes at a time. All threads take the same branches of a program, because they vote on them;
/// they share nothing else.
struct Warp {
  using Vector = std::uint64_t;
  static constexpr std::uint32_t threads = 32, words = threads, held = 1, lanes = 64 * words;
  static constexpr unsigned all_threads = 0xFFFFFFFF;

  FAULTLINE_ON_DEVICE static Vector load(const std::uint64_t* from) { return *from; }
  FAULTLINE_ON_DEVICE static void store(std::uint64_t* to, Vector v) { *to = v; }
  FAULTLINE_ON_DEVICE static Vector zero() { return 0; }
  FAULTLINE_ON_DEVICE static Vector ones() { return ~std::uint64_t{0}; }
  FAULTLINE_ON_DEVICE static Vector both(Vector a, Vector b) { return a & b; }
  FAULTLINE_ON_DEVICE static Vector either(Vector a, Vector b) { return a | b; }
  FAULTLINE_ON_DEVICE static Vector differ(Vector a, Vector b) { return a ^ b; }
  FAULTLINE_ON_DEVICE static Vector without(Vector a, Vector b) { return a & ~b; }
  FAULTLINE_ON_DEVICE static Vector sum_of_product(Vector r, Vector a, Vector b) { return r | (a & b); }
  FAULTLINE_ON_DEVICE static Vector differ3(Vector a, Vector b, Vector c) { return a ^ b ^ c; }
  FAULTLINE_ON_DEVICE static Vector majority(Vector a, Vector b, Vector c) { return (a & b) | (c & (a ^ b)); }
  FAULTLINE_ON_DEVICE static bool is_zero(Vector v) { return __all_sync(all_threads, v == 0) != 0; }
  FAULTLINE_ON_DEVICE static bool is_ones(Vector v) { return __all_sync(all_threads, ~v == 0) != 0; }
};

/// What the threads of a launch share, in the device's memory.
struct Work {
  ProgramView program;
  std::uint32_t components, slots;
  std::uint64_t pairs_never_alive;
  bool requirements;
  bool by_pattern;
  AttachmentTables::View attachments;
  std::uint64_t terminals;
  const std::uint32_t *whole_counts, *whole_selves;
  std::uint32_t rows, self_rows;
  LiveTables::View live;

  DrawnSets sets;
  const std::uint32_t* given;  ///< members of the sets; null: they are drawn

  // By warp; in each, threads or lanes vary fastest.
  std::uint64_t *values, *planes;  ///< [slot][thread], [plane][thread]
  std::uint32_t* members;          ///< [lane of the thread][member][thread]
  std::uint32_t *counts, *selves;  ///< [row][lane]
  CutOff* cut_off;                 ///< [lane]

  std::uint64_t *lost, *live_pairs;  ///< by set; null: added up
  Sums* sums;                        ///< by thread
};

class WarpThread {
 public:
  FAULTLINE_ON_DEVICE WarpThread(const Work& work, std::size_t warp, std::uint32_t thread)
      : work_(work),
        thread_(thread),
        values_(work.values + warp * work.slots * Warp::words + thread),
        planes_(work.planes + warp * KernelData::counter_planes * Warp::words + thread),
        members_(work.members + warp * 64 * work.sets.faults * Warp::words + thread),
        rows_{values_ + (std::size_t{work.components} + 1) * Warp::words,
              Warp::words,
              work.counts + warp * work.rows * Warp::lanes + 64 * thread,
              work.selves + warp * work.self_rows * Warp::lanes + 64 * thread,
              work.cut_off + warp * Warp::lanes + 64 * thread,
              Warp::lanes} {}

  /// Memory between two blocks: as if nothing had failed.
  FAULTLINE_ON_DEVICE void prepare() {
    for (std::uint32_t slot = 0; slot <= work_.components; ++slot) *row(slot) = Warp::ones();
    if (!work_.by_pattern) return;
    for (std::uint32_t pattern = 0; pattern < work_.rows; ++pattern) {
      rows_.masks[std::size_t{pattern} * Warp::words] =
          work_.whole_counts[pattern] != 0 ? Warp::ones() : Warp::zero();
      for (std::uint32_t lane = 0; lane < 64; ++lane)
        rows_.counts[std::size_t{pattern} * Warp::lanes + lane] = work_.whole_counts[pattern];
    }
    for (std::uint32_t self = 0; self < work_.self_rows; ++self)
      for (std::uint32_t lane = 0; lane < 64; ++lane)
        rows_.selves[std::size_t{self} * Warp::lanes + lane] = work_.whole_selves[self];
    for (std::uint32_t lane = 0; lane < 64; ++lane) rows_.cut_off[lane] = CutOff{};
  }

  /// The sets of a block of 2048, counted from the first of the launch.
  FAULTLINE_ON_DEVICE void run(std::uint64_t block, Sums& sums) {
    first_ = block * Warp::lanes + 64 * thread_;
    const std::uint64_t left = work_.sets.count > first_ ? work_.sets.count - first_ : 0;
    lanes_ = left < 64 ? static_cast<std::uint32_t>(left) : 64;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) fail_set(lane);
    if (work_.by_pattern) move_all_terminals(1);
    std::uint64_t intact = Warp::ones(), lost_by_lane[64];
    for (std::uint64_t& lost : lost_by_lane) lost = work_.pairs_never_alive;
    run_on_block(intact, lost_by_lane);
    add_lost(intact, lost_by_lane);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) report(lane, lost_by_lane[lane], sums);
    if (work_.by_pattern) move_all_terminals(std::uint32_t{0} - 1);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      for (std::uint32_t i = 0; i < work_.sets.faults; ++i) *row(member(lane, i)) |= bit(lane);
  }

 private:
  FAULTLINE_ON_DEVICE std::uint64_t* row(std::uint32_t slot) const {
    return values_ + std::size_t{slot} * Warp::words;
  }
  FAULTLINE_ON_DEVICE static std::uint64_t bit(std::uint32_t lane) { return std::uint64_t{1} << lane; }
  FAULTLINE_ON_DEVICE std::size_t index_of_member(std::uint32_t lane, std::uint32_t i) const {
    return (std::size_t{lane} * work_.sets.faults + i) * Warp::words;
  }
  FAULTLINE_ON_DEVICE std::uint32_t member(std::uint32_t lane, std::uint32_t i) const {
    return work_.given != nullptr ? work_.given[(first_ + lane) * work_.sets.faults + i]
                                  : members_[index_of_member(lane, i)];
  }

  FAULTLINE_ON_DEVICE void fail_set(std::uint32_t lane) {
    if (work_.given == nullptr) return draw_set(lane);
    for (std::uint32_t i = 0; i < work_.sets.faults; ++i) *row(member(lane, i)) &= ~bit(lane);
  }

  /// As FaultSetSampler does.
  FAULTLINE_ON_DEVICE void draw_set(std::uint32_t lane) {
    const std::uint32_t faults = work_.sets.faults;
    const bool draw_spared = draws_spared(faults, work_.components);
    if (draw_spared)
      for (std::uint32_t component = 0; component < work_.components; ++component)
        *row(component) &= ~bit(lane);
    const std::uint64_t stream = stream_of_set(faults, work_.sets.first + first_ + lane);
    std::uint32_t taken = 0;
    const auto take = [&](std::uint32_t component) {
      const std::uint64_t alive = *row(component);
      if (((alive & bit(lane)) != 0) == draw_spared) return false;
      *row(component) = alive ^ bit(lane);
      if (!draw_spared) members_[index_of_member(lane, taken++)] = component;
      return true;
    };
    r123::Philox4x32::ctr_type words{};
    const auto word = [&](std::uint32_t i) {
      if (i % 4 == 0) words = random_words(stream, i / 4);
      return words.v[i % 4];
    };
    draw_distinct(draw_spared ? work_.components - faults : faults, work_.components, word, take);
    if (!draw_spared) return;
    for (std::uint32_t component = 0; component < work_.components; ++component)
      if ((*row(component) & bit(lane)) == 0) members_[index_of_member(lane, taken++)] = component;
  }

  FAULTLINE_ON_DEVICE r123::Philox4x32::ctr_type random_words(std::uint64_t stream,
                                                              std::uint32_t index) const {
    const r123::Philox4x32::ctr_type counter{
        {index, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
    const r123::Philox4x32::key_type key{
        {static_cast<std::uint32_t>(work_.sets.seed), static_cast<std::uint32_t>(work_.sets.seed >> 32)}};
    return r123::Philox4x32{}(counter, key);
  }

  FAULTLINE_ON_DEVICE void move_all_terminals(std::uint32_t change) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      for_each_hit(
          work_.attachments, Lane{values_, Warp::words, lane}, work_.sets.faults,
          [&](std::uint32_t i) { return member(lane, i); },
          [&](std::uint32_t terminal, const PortsLeft& left) {
            move_terminal(work_.attachments.terminals[terminal], rows_, lane, left, change);
          });
  }

  FAULTLINE_ON_DEVICE void run_on_block(std::uint64_t& intact, std::uint64_t* lost_by_lane) {
    if (!work_.requirements)
      for (std::uint32_t plane = 0; plane < KernelData::counter_planes; ++plane)
        planes_[std::size_t{plane} * Warp::words] = 0;
    const KernelData data{
        values_,      &intact,     work_.requirements ? nullptr : planes_, work_.components + 1, rows_.counts,
        rows_.selves, lost_by_lane};
    run_program<Warp>(work_.program, data);
  }

  FAULTLINE_ON_DEVICE void add_lost(std::uint64_t intact, std::uint64_t* lost_by_lane) const {
    if (work_.requirements) {
      for (std::uint32_t lane = 0; lane < lanes_; ++lane)
        if ((intact & bit(lane)) == 0) lost_by_lane[lane] = 1;
      return;
    }
    for (std::uint32_t plane = 0; plane < KernelData::counter_planes; ++plane)
      if (const std::uint64_t digits = planes_[std::size_t{plane} * Warp::words]; digits != 0)
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
          lost_by_lane[lane] += (digits >> lane & 1) << plane;
  }

  FAULTLINE_ON_DEVICE void report(std::uint32_t lane, std::uint64_t lost, Sums& sums) const {
    if (work_.by_pattern) lost += rows_.cut_off[lane].pairs(work_.terminals);
    const std::uint64_t live = live_pairs(work_.live, Lane{values_, Warp::words, lane}, work_.sets.faults,
                                          [&](std::uint32_t i) { return member(lane, i); });
    if (work_.lost == nullptr) return sums.add(lost, live);
    work_.lost[first_ + lane] = lost;
    work_.live_pairs[first_ + lane] = live;
  }

  const Work& work_;
  std::uint32_t thread_;
  std::uint64_t *values_, *planes_;
  std::uint32_t* members_;
  PatternRows rows_;
  std::uint64_t first_ = 0;  ///< of the thread's sets
  std::uint32_t lanes_ = 0;  ///< number of them
};
