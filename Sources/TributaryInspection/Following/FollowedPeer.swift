internal import TributaryCore
internal import TributaryLog
internal import TributaryReplay

/// What was passed on from one peer, and what comes next.
final class FollowedPeer: OrderedStream {
  let peer: PeerIdentity
  var done = SequenceRanges()
  /// The transactions up to here are not waited for: they existed before the start, or were already
  /// missing.
  var horizon = SequenceNumber.zero
  /// The files with something new, by path.
  var files: [String: FollowedFile] = [:]
  /// The lowest new transaction in a file.
  var head: TransactionHeader?
  /// The transaction that was reported as waiting.
  var toldWaiting: SequenceNumber?
  /// A cursor at the head, while transactions are passed on.
  var cursor: SegmentCursor?
  var path: String?

  init(_ peer: PeerIdentity) { self.peer = peer }

  /// The file with the lowest new transaction; of several, the one that reaches farthest.
  var nextFile: (path: String, sequence: SequenceNumber)? {
    var best: (path: String, sequence: SequenceNumber, last: SequenceNumber)?
    for (path, file) in files {
      guard let sequence = done.firstMissing(in: file.range) else { continue }
      let last = file.range.upperBound
      if let best, (best.sequence, last) <= (sequence, best.last) { continue }
      best = (path, sequence, last)
    }
    return best.map { ($0.path, $0.sequence) }
  }

  func close() {
    cursor = nil
    path = nil
  }

  /// Returns the first sequence, up to the given one, that was neither passed on nor is exempt from
  /// waiting; `nil` if there is none.
  func firstMissing(upTo sequence: SequenceNumber) -> SequenceNumber? {
    sequence > horizon ? done.firstMissing(in: horizon.next...sequence) : nil
  }
}
