internal import TributaryContainer
internal import TributaryCore
internal import TributaryLog

/// What of one peer was handed out, and what comes next.
final class FollowedPeer {
  let peer: PeerIdentity
  var done = SequenceRanges()
  /// Up to here nothing is waited for: it was there before the start, or missing already.
  var horizon = SequenceNumber.zero
  /// Those with something new, by path.
  var files: [String: FollowedFile] = [:]
  /// The lowest transaction that is new and in a file; what it waits for, if anything.
  var head: TransactionHeader? { didSet { isReady = false } }
  var missing: Knowledge.Entry?
  /// Whether the head was found to wait for nothing, which stays so.
  var isReady = false
  /// What the last transaction knew that was handed out: all of it is done.
  var knowledge = Knowledge()
  /// The transaction of which was told that it waits.
  var toldWaiting: SequenceNumber?
  /// Stands at the head; `nil` while that waits.
  var cursor: SegmentCursor?
  var path: String?

  init(_ peer: PeerIdentity) { self.peer = peer }

  /// The file with the lowest new transaction; of several the one that reaches farthest.
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

  /// Whether a sequence was handed out or is not waited for; else the first one up to it that was
  /// not.
  func firstMissing(upTo sequence: SequenceNumber) -> SequenceNumber? {
    sequence > horizon ? done.firstMissing(in: horizon.next...sequence) : nil
  }
}
