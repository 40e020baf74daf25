import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Compares segments under a store's name with what the store has written. Compares each segment once.
final class SegmentAgreement: Sendable {
  enum Result: Equatable {
    /// The segment agrees up to the given transaction, as far as both extend.
    case agrees(upTo: SequenceNumber)
    case contradicts(at: SequenceNumber)
    /// The segment is damaged, has not arrived completely, has disappeared, or is written above a horizon
    /// that is not known.
    case unreadable
  }

  /// The file, and how far it was compared.
  private struct Key: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
    var last: SequenceNumber
  }

  private let known = Mutex(LimitedMemory<Key, Result>(limit: 4_000))
  private let verified = VerifiedSegments()

  func compare(
    _ file: SegmentFile, of peer: PeerIdentity, with connection: Connection,
    upTo last: SequenceNumber, in segments: SegmentStore
  ) throws -> Result {
    let key = Key(peer: peer, name: file.name, last: min(file.name.last, last))
    if let result = known.withLock({ $0[key] }) { return result }
    var listing = PeerListing(peer: peer)
    listing.segments = [file]
    let own = try OutboxStream(peer: peer, connection: connection, from: file.name.first)
    // Transactions that the store has removed cannot be compared. The devices have agreed on them.
    let removed = try RemovedTransactions(connection).last
    let first = file.name.first <= removed ? own.head?.sequence ?? removed.next : file.name.first
    let stream = SegmentStream(
      listing, segments: segments, after: SequenceNumber(first.rawValue - 1), upTo: key.last,
      verified: verified)
    var result = Result.agrees(upTo: key.last)
    while let head = stream.head {
      guard try Self.isSame(stream, own) else {
        result = .contradicts(at: head.sequence)
        break
      }
      stream.advance()
      try own.advance()
    }
    guard
      stream.damaged.isEmpty, !stream.hasLost, stream.unresolved == nil, stream.failure == nil
    else { return .unreadable }
    known.withLock { $0.note(result, for: key) }
    return result
  }

  /// Whether the heads of two streams are the same transaction. The author's knowledge is ignored: it is
  /// recorded as it was found out.
  static func isSame(_ a: some TransactionStream, _ b: some TransactionStream) throws -> Bool {
    guard let one = a.head, let other = b.head, one.sequence == other.sequence,
      one.time == other.time, one.basis == other.basis
    else { return false }
    while let change = try a.nextChange() {
      guard let same = try b.nextChange(), change.operation == same.operation,
        a.shape(change.shapeID) == b.shape(same.shapeID),
        change.image.elementsEqual(same.image)
      else { return false }
    }
    return try b.nextChange() == nil
  }
}
