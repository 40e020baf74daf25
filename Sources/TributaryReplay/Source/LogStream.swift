internal import TributaryCore
package import TributaryFiles
internal import TributaryLog

/// Iterates over the transactions of several peers in order of their stamps, and so over each peer's in order
/// of sequence.
///
/// A file is open only while its transactions are due. A failure of one file is reported, and the others
/// continue. If segments overlap, the copies of a transaction come together. If a file is gone, the files
/// that replaced it are read.
package final class LogStream {
  /// The copies of one transaction, or several transactions that claim one sequence.
  package typealias Copies = [SegmentCursor]

  private let fileSystem: any FileSystem
  private let hashing: Bool
  private let report: (LogFinding) -> Void
  /// Called for each file that was read to its end.
  private let finished: (SegmentCursor) -> Void
  private var peers: [PeerStream] = []
  private var order = StampOrder()
  private var current: PeerStream?

  package init(
    _ segments: [LogSegment], hashing: Bool = false,
    using fileSystem: any FileSystem = LocalFileSystem(), report: @escaping (LogFinding) -> Void,
    finished: @escaping (SegmentCursor) -> Void = { _ in }
  ) {
    self.fileSystem = fileSystem
    self.hashing = hashing
    self.report = report
    self.finished = finished
    let groups = Dictionary(grouping: segments, by: \.header.peer)
    for group in groups.values { peers.append(PeerStream(group)) }
  }

  /// Returns the next transaction, with all its copies. Their changes can be read until the next
  /// call.
  package func next() -> Copies? {
    if let current {
      current.last = current.due.first?.transaction?.sequence ?? current.last
      for cursor in current.due { advance(cursor, in: current) }
      // Most of the time, one file follows on from itself, and the same peer is due again.
      if !current.isAlone { settle(current) }
    } else {
      for peer in peers { settle(peer) }
    }
    current = order.earliest(of: peers.count, stamp: { peers[$0].stamp }).map { peers[$0] }
    return current?.due
  }

  /// The number of bytes of the open files read so far.
  package var openByteCount: UInt64 {
    peers.reduce(0) { $0 + $1.open.reduce(0) { $0 + $1.byteCount } }
  }

  /// Skips the rest of a file that failed while its changes were read.
  package func abandon(_ cursor: SegmentCursor, _ error: any Error) {
    report(LogFinding(path: cursor.segment.path, error))
    current?.open.removeAll { $0 === cursor }
    current?.due.removeAll { $0 === cursor }
  }

  /// Determines what is due next for a peer.
  private func settle(_ peer: PeerStream) {
    while true {
      let due = peer.open.compactMap { $0.transaction?.sequence }.min()
      // Files that begin no later must be considered too.
      guard let segment = peer.unopened.last, due.map({ segment.header.first <= $0 }) ?? true else {
        peer.due = peer.open.filter { $0.transaction?.sequence == due }
        return
      }
      peer.unopened.removeLast()
      do {
        let cursor = try SegmentCursor(segment, hashing: hashing, fileSystem)
        peer.open.append(cursor)
        repeat {
          advance(cursor, in: peer)
        } while cursor.transaction.map { $0.sequence <= peer.last } ?? false
      } catch let error as FileError
        where error.isMissing && segment.path.parentDirectory.lastPathComponent == "log"
      {
        listAgain(segment, in: peer)
      } catch {
        report(LogFinding(path: segment.path, error))
      }
    }
  }

  /// Looks for the files that replaced a missing one.
  private func listAgain(_ gone: LogSegment, in peer: PeerStream) {
    let directory = gone.path.parentDirectory
    for path in LogSegments.others(than: peer.paths, in: directory, fileSystem) {
      peer.paths.insert(path)
      do {
        let segment = try LogSegment(reading: path, fileSystem)
        if segment.header.peer == gone.header.peer, segment.header.last > peer.last {
          peer.add(segment)
        }
      } catch {
        report(LogFinding(path: path, error))
      }
    }
  }

  private func advance(_ cursor: SegmentCursor, in peer: PeerStream) {
    do {
      if try cursor.advance() { return }
      finished(cursor)
    } catch {
      report(LogFinding(path: cursor.segment.path, error))
    }
    peer.open.removeAll { $0 === cursor }
  }

  /// The progress of reading one peer's segments.
  private final class PeerStream {
    /// The segments that are not open yet, in descending order of first sequence.
    var unopened: [LogSegment]
    var open: [SegmentCursor] = []
    /// The cursors at the lowest sequence.
    var due: [SegmentCursor] = []
    /// The last transaction that was due.
    var last = SequenceNumber.zero
    /// The paths of all listed files.
    var paths: Set<String>

    init(_ segments: [LogSegment]) {
      paths = Set(segments.map(\.path))
      unopened = segments.sorted(by: Self.isLater)
    }

    func add(_ segment: LogSegment) {
      let place = unopened.firstIndex { !Self.isLater($0, segment) } ?? unopened.endIndex
      unopened.insert(segment, at: place)
    }

    private static func isLater(_ one: LogSegment, _ other: LogSegment) -> Bool {
      (one.header.first, one.header.last) > (other.header.first, other.header.last)
    }

    /// `nil` when all has been read.
    var stamp: Stamp? { due.first?.stamp }

    /// Whether the only file that is due contains everything before the next one begins.
    var isAlone: Bool {
      guard open.count == 1, due.count == 1, let sequence = open[0].transaction?.sequence else {
        return false
      }
      return unopened.last.map { $0.header.first > sequence } ?? true
    }
  }
}
