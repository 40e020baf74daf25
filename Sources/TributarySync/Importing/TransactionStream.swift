import TributaryCore
import TributaryLog

/// The transactions of one peer in order, from wherever they are kept.
protocol TransactionStream: AnyObject {
  var peer: PeerIdentity { get }

  /// The next transaction; `nil` when there is no further one.
  var head: TransactionHeader? { get }

  /// The next change of the head; valid until the next call.
  func nextChange() throws -> ChangeView?

  /// Changes when the numbers of shapes change their meaning.
  var generation: Int { get }

  func shape(_ id: UInt32) -> TableShape

  /// Goes to the transaction after the head.
  func advance() throws
}

extension TransactionStream {
  /// The place of the head in the order of all transactions; `nil` without a head.
  var stamp: Stamp? { head.map { Stamp(time: $0.time, peer: peer) } }
}
