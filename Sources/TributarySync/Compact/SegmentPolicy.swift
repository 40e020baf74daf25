import TributaryCore

/// How own transactions are divided into segments, and which segments are compacted.
///
/// Segments are compacted when they reach the next power of `fanIn` together, so each transaction is written
/// again only a few times, however many come.
package struct SegmentPolicy: Sendable {
  /// The largest number of bytes of a segment before compression; a larger transaction has a
  /// segment of its own.
  package var byteLimit: Int64 = 8 << 20
  /// The number of segments of about one size that are compacted into one.
  package var fanIn = 8
  /// The compression level of a compacted segment: higher levels take much longer and save less than a
  /// hundredth.
  package var level = 6
  /// How long a segment stays after another segment contains its transactions: carriers may deliver
  /// the removal before that segment.
  package var graceMilliseconds: Int64 = 15 * 60_000
  /// Where more than this many stay, the oldest of them stay only for the shorter time: everyone who looks into the
  /// directory reads all names, and a store that is written for hours without a pause would have tens of thousands.
  package var stayingLimit = 256
  package var shorterGraceMilliseconds: Int64 = 60_000
  /// At most this many are removed at once: removing thousands makes some file systems slow for a while.
  package var removalLimit = 64
  /// A watch looks at least this often for work that other processes have left.
  package var lookInterval = Duration.seconds(60)

  package init() {}

  /// The policy of a store that is about to take more room than it was told to: two segments suffice to be
  /// compacted.
  var compactingEarlier: SegmentPolicy {
    var policy = self
    policy.fanIn = min(fanIn, 2)
    return policy
  }

  /// A published segment, as far as it matters here.
  package struct Piece: Equatable, Sendable {
    package var first: SequenceNumber
    package var last: SequenceNumber
    /// The size before compression, in bytes.
    package var payload: Int64
    /// The size of the file.
    package var bytes: UInt64
    /// The compression level.
    package var level: Int

    package init(
      _ first: SequenceNumber, _ last: SequenceNumber, payload: Int64, bytes: UInt64, level: Int
    ) {
      self.first = first
      self.last = last
      self.payload = payload
      self.bytes = bytes
      self.level = level
    }
  }

  /// The possible compression levels.
  static let levels = 0...12

  /// A segment of at least this size is no longer compacted.
  private var largeByteCount: Int64 { byteLimit / 4 }

  /// Compressing a larger segment would take more than two seconds, so it stays as it is.
  private var compressionLimit: Int64 { byteLimit * 8 }

  /// Returns the segments that become one next.
  ///
  /// - Parameter segments: in ascending order.
  /// - Returns: several segments to compact, or one to compress harder; `nil` if there is nothing to do before
  ///   more is published.
  /// - Complexity: O(*n*)
  package func next(among segments: [Piece]) -> Range<Int>? {
    let tiers = segments.map { tier($0.payload) }
    let highest = segments.lazy.filter { $0.payload < largeByteCount }.map { tier($0.payload) }
      .max()
    for tier in 0...(highest ?? 0) {
      var start = 0
      while start < segments.count {
        var end = start
        var total: Int64 = 0
        while end < segments.count, tiers[end] <= tier, segments[end].payload < largeByteCount,
          end == start || segments[end].first == segments[end - 1].last.next
        {
          total += segments[end].payload
          end += 1
        }
        if isRipe(count: end - start, total, tier: tier) {
          return start..<full(segments, from: start, to: end)
        }
        start = max(end, start + 1)
      }
    }
    return segments.firstIndex(where: isToBeCompressed).map { $0..<$0 + 1 }
  }

  /// Whether a run of segments up to some tier makes one of a higher tier.
  private func isRipe(count: Int, _ total: Int64, tier: Int) -> Bool {
    if total >= byteLimit { return true }
    return count >= fanIn && self.tier(total) > tier
  }

  /// Returns how many of a run fit into one segment.
  private func full(_ segments: [Piece], from start: Int, to end: Int) -> Int {
    var total: Int64 = 0
    for index in start..<end {
      total += segments[index].payload
      if total > byteLimit { return index }
    }
    return end
  }

  private func isToBeCompressed(_ segment: Piece) -> Bool {
    // If the fast compression hardly saves space, the slow one does not either.
    segment.level == 0 && segment.payload >= largeByteCount && segment.payload <= compressionLimit
      && Int64(clamping: segment.bytes) < segment.payload - segment.payload / 8
  }

  /// Returns the largest power of `fanIn` that is not larger.
  private func tier(_ payload: Int64) -> Int {
    var tier = 0
    var rest = payload / Int64(fanIn)
    while rest > 0 {
      tier += 1
      rest /= Int64(fanIn)
    }
    return tier
  }
}
