import TributaryCore

/// How own transactions are divided into segments, and which segments are compacted.
///
/// Segments are compacted when together they reach the next power of `fanIn`. So each transaction is written
/// again only a few times, however many there are.
package struct SegmentPolicy: Sendable {
  /// The largest size of a segment before compression, in bytes. A larger transaction has its own segment.
  package var byteLimit: Int64 = 8 << 20
  /// The number of segments of about one size that are compacted into one.
  package var fanIn = 8
  /// The compression level of a compacted segment. Higher levels take much longer and save less than a
  /// hundredth.
  package var level = 6
  /// How long a segment stays after another segment contains its transactions: carriers may deliver the
  /// removal before the new segment.
  package var graceMilliseconds: Int64 = 15 * 60_000
  /// If more than this many segments stay, the oldest of them stay only for the shorter time. Every device
  /// that looks into the directory reads all names, and a store that is written for hours without a pause
  /// would have tens of thousands.
  package var stayingLimit = 256
  package var shorterGraceMilliseconds: Int64 = 60_000
  /// At most this many are removed at once: removing thousands makes some file systems slow for a while.
  package var removalLimit = 64
  /// A watch looks at least this often for work that other processes have left.
  package var lookInterval = Duration.seconds(60)

  package init() {}

  /// The policy of a store that is about to exceed its space limit: two segments are enough to be compacted.
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

  /// A larger segment stays as it is: compressing it would take more than two seconds.
  private var compressionLimit: Int64 { byteLimit * 8 }

  /// Returns the segments that are to become one next.
  ///
  /// - Parameter segments: the segments in ascending order.
  /// - Returns: several segments to compact, or one to compress more strongly; `nil` if there is nothing to
  ///   do before more is published.
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

  /// Whether a run of segments up to some tier makes up one of a higher tier.
  private func isRipe(count: Int, _ total: Int64, tier: Int) -> Bool {
    if total >= byteLimit { return true }
    return count >= fanIn && self.tier(total) > tier
  }

  /// Returns how many segments of a run fit into one segment.
  private func full(_ segments: [Piece], from start: Int, to end: Int) -> Int {
    var total: Int64 = 0
    for index in start..<end {
      total += segments[index].payload
      if total > byteLimit { return index }
    }
    return end
  }

  private func isToBeCompressed(_ segment: Piece) -> Bool {
    // If fast compression hardly saves space, slow compression does not either.
    segment.level == 0 && segment.payload >= largeByteCount && segment.payload <= compressionLimit
      && Int64(clamping: segment.bytes) < segment.payload - segment.payload / 8
  }

  /// Returns the largest power of `fanIn` that does not exceed the payload.
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
