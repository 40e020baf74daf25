package import TributaryCore
package import TributaryLog

/// The transactions of one peer, as far as their order is concerned.
package protocol OrderedStream: AnyObject {
  var peer: PeerIdentity { get }

  /// The next transaction; `nil` if there are no more.
  var head: TransactionHeader? { get }

  /// The position of the head in the order of all transactions; `nil` without a head.
  var stamp: Stamp? { get }
}

/// The transactions of one peer in order, wherever they are stored.
package protocol TransactionStream: OrderedStream {
  /// The name of the schema under which the head was written.
  var schema: String { get }

  /// Returns the next change of the head; valid until the next call.
  func nextChange() throws -> ChangeView?

  /// A number that changes whenever the numbers of shapes change their meaning.
  var generation: Int { get }

  func shape(_ id: UInt32) -> TableShape

  /// Advances to the transaction after the head.
  func advance() throws
}

extension OrderedStream {
  /// The position of the head in the order of all transactions; `nil` without a head.
  package var stamp: Stamp? { head.map { Stamp(time: $0.time, peer: peer) } }
}
