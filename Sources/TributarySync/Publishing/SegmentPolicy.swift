package import TributaryCore

/// How own transactions are divided into segments, and which segments become one.
///
/// Segments are merged as they reach the next power of `fanIn` together, so that each transaction is
/// written again only a few times, however many come.
package struct SegmentPolicy: Sendable {
  /// So much a segment may hold before compression; a larger transaction has one to itself.
  package var byteLimit: Int64 = 8 << 20
  /// This number of segments of about one size becomes one.
  package var fanIn = 8
  /// How hard a merged one is compressed: beyond this it takes much longer for less than a hundredth.
  package var level = 6
  /// So long after another segment has what it holds a segment is removed: carriers may bring the
  /// removal before they bring that.
  package var graceMilliseconds: Int64 = 15 * 60_000
  /// At most this number is removed at once: removing thousands makes some file systems slow for a while.
  package var removalLimit = 64
  /// A watch looks at least this often for what other processes have left to do.
  package var lookInterval = Duration.seconds(60)

  package init() {}

  /// A published segment, as far as it matters here.
  package struct Piece: Equatable, Sendable {
    package var first: SequenceNumber
    package var last: SequenceNumber
    /// Before compression.
    package var payload: Int64
    /// Of the file.
    package var bytes: UInt64
    /// How hard it was compressed.
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

  /// What may be known of how a segment was compressed.
  static let levels = 0...12

  /// From this size on a segment is not merged any more.
  private var largeByteCount: Int64 { byteLimit / 4 }

  /// A larger one would be compressed for more than two seconds, and stays as it is.
  private var compressionLimit: Int64 { byteLimit * 8 }

  /// What becomes one segment next.
  ///
  /// - Parameter segments: in ascending order.
  /// - Returns: more than one to be merged, or one to be compressed harder; `nil` when nothing is to
  ///   be done before more is published.
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

  /// How many of a run fit into one segment.
  private func full(_ segments: [Piece], from start: Int, to end: Int) -> Int {
    var total: Int64 = 0
    for index in start..<end {
      total += segments[index].payload
      if total > byteLimit { return index }
    }
    return end
  }

  private func isToBeCompressed(_ segment: Piece) -> Bool {
    // What the fast way has hardly made smaller the slow one does not either.
    segment.level == 0 && segment.payload >= largeByteCount && segment.payload <= compressionLimit
      && Int64(clamping: segment.bytes) < segment.payload - segment.payload / 8
  }

  /// The highest power of `fanIn` that is not more.
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
