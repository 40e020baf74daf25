package import TributaryContainer
package import TributaryFiles

/// The transactions of several peers in order of their stamps, and so each peer's in order of sequence
/// numbers, from files as they are found.
///
/// A file is open only while its transactions are due. If one file fails, that is reported, and the others
/// continue.
package final class LogStream {
  private let peers: [SegmentStream]
  private var order = StampOrder()
  private var current: SegmentStream?

  package init(
    _ segments: [LogSegment], hashing: Bool = false,
    horizons: KnownHorizons = KnownHorizons(),
    using fileSystem: any FileSystem = LocalFileSystem(), report: @escaping (LogFinding) -> Void
  ) {
    peers = Dictionary(grouping: segments, by: \.header.peer).map {
      SegmentStream(
        comparing: $1, of: $0, hashing: hashing, horizons: horizons, using: fileSystem,
        report: report)
    }
  }

  /// Returns the stream with the next transaction at its head. Its changes can be read until the next call.
  package func next() -> SegmentStream? {
    current?.advance()
    current = order.earliest(of: peers.count, stamp: { peers[$0].stamp }).map { peers[$0] }
    return current
  }

  /// The number of bytes read so far.
  package var byteCount: UInt64 { peers.reduce(0) { $0 + $1.byteCount } }
}
