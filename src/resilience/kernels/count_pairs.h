// SPDX-License-Identifier: Apache-2.0
// Included by run_program.h, in the unnamed namespace of each kernel.

FAULTLINE_ON_DEVICE inline std::uint32_t lowest_bit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(bits)) - 1);
#else
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
#endif
}

/// Counts, in all lanes at once, the pairs of outputs that fail: eight outputs at a time by full adders
/// (Harley and Seal), so that nothing is decided by each. The lowest binary digits stay here, carries go to
/// the planes.
template <class Lanes>
class PairCounter {
  using Vector = typename Lanes::Vector;

 public:
  static constexpr std::uint32_t step = 8;

  FAULTLINE_ON_DEVICE explicit PairCounter(std::uint64_t* planes) : planes_(planes) {}

  /// From here on an output has `pairs` pairs.
  FAULTLINE_ON_DEVICE void set_pairs(std::uint64_t pairs) {
    if (pairs == pairs_) return;
    finish();
    pairs_ = pairs;
  }

  FAULTLINE_ON_DEVICE void add_one(Vector failed) {
    pending_[waiting_++] = failed;
    if (waiting_ == step) add_pending();
  }

  [[gnu::noinline]] FAULTLINE_ON_DEVICE void add(const Vector (&failed)[step]) {
    Vector twos[4], fours[2];
    for (std::uint32_t i = 0; i < 4; ++i) twos[i] = add(digits_[0], failed[2 * i], failed[2 * i + 1]);
    for (std::uint32_t i = 0; i < 2; ++i) fours[i] = add(digits_[1], twos[2 * i], twos[2 * i + 1]);
    Vector carry = add(digits_[2], fours[0], fours[1]);
    for (std::uint32_t digit = 3; digit < digit_count; ++digit)
      carry = add(digits_[digit], carry, Lanes::zero());
    if (!Lanes::is_zero(carry)) add_to_planes(digit_count, carry);
  }

  [[gnu::noinline]] FAULTLINE_ON_DEVICE void finish() {
    if (waiting_ != 0) add_pending();
    for (std::uint32_t digit = 0; digit < digit_count; ++digit) {
      if (!Lanes::is_zero(digits_[digit])) add_to_planes(digit, digits_[digit]);
      digits_[digit] = Lanes::zero();
    }
  }

 private:
  static constexpr std::uint32_t digit_count = 6;

  [[gnu::noinline]] FAULTLINE_ON_DEVICE void add_pending() {
    while (waiting_ != step) pending_[waiting_++] = Lanes::zero();
    add(pending_);
    waiting_ = 0;
  }

  /// Adds b and c to a digit, and returns the carry.
  FAULTLINE_ON_DEVICE static Vector add(Vector& digit, Vector b, Vector c) {
    const Vector carry = Lanes::majority(digit, b, c);
    digit = Lanes::differ3(digit, b, c);
    return carry;
  }

  /// Adds 2^shift times the pairs of an output in the lanes of `failed`: binary addition, digit by digit.
  FAULTLINE_ON_DEVICE void add_to_planes(std::uint32_t shift, Vector failed) {
    for (std::uint64_t digits = pairs_ << shift; digits != 0; digits &= digits - 1) {
      std::uint64_t* plane = planes_ + lowest_bit(digits) * Lanes::words;
      for (Vector carry = failed; !Lanes::is_zero(carry); plane += Lanes::words) {
        const Vector digit = Lanes::load(plane);
        Lanes::store(plane, Lanes::differ(digit, carry));
        carry = Lanes::both(digit, carry);
      }
    }
  }

  std::uint64_t* planes_;
  std::uint64_t pairs_ = 0;
  Vector digits_[digit_count] = {};
  Vector pending_[step];
  std::uint32_t waiting_ = 0;
};
