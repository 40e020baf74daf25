import TributaryCore

/// Randomness that a seed repeats; of its own, because these tests rest on nothing but the base
/// types.
struct RepeatableRandomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    // The low bits of such a sequence repeat too soon.
    return (state >> 32) | (state &* 0x9E37_79B9_7F4A_7C15) << 32
  }
}

extension RepeatableRandomness {
  /// Sequences of a few peers out of five, so that two vectors often meet.
  mutating func knowledge() -> Knowledge {
    Knowledge(
      (0..<Int.random(in: 0...6, using: &self)).map { _ in
        Knowledge.Entry(
          peer: PeerIdentity(high: UInt64.random(in: 0...4, using: &self), low: 7),
          sequence: SequenceNumber(UInt64.random(in: 0...3, using: &self)))
      })
  }
}
