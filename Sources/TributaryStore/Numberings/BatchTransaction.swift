import TributaryCore
import TributaryLog

/// The author of a change, and what the author knew.
package struct BatchTransaction: Sendable {
  package let side: Conflict.Side
  /// What the author had imported; an entry for the author does not count. It shares the header's storage, so
  /// a transaction takes no memory of its own.
  package let knowledge: Knowledge
  /// What the writes are based on, including the author's own transactions, if it was specified.
  package let basis: Knowledge?
  /// The mark of the migration whose rows it contains, if that migration runs once; see `WrittenMigrations`.
  package let mark: String?

  /// - Parameter schema: the name of the schema under which it was written.
  package init(_ header: TransactionHeader, of peer: PeerIdentity, schema: String) {
    mark = WrittenMigrations.mark(inSchema: schema)
    side = Conflict.Side(peer: peer, sequence: header.sequence, time: header.time)
    knowledge = header.knowledge
    basis = header.basis
  }

  package init(side: Conflict.Side, knowledge: Knowledge, mark: String? = nil) {
    self.side = side
    self.knowledge = knowledge
    basis = nil
    self.mark = mark
  }

  package var stamp: Stamp { Stamp(time: side.time, peer: side.peer) }

  /// Everything that the author had imported and written.
  package var seen: Knowledge {
    var seen = knowledge
    // Transactions below a horizon have no number.
    seen[side.peer] = SequenceNumber(max(side.sequence.rawValue, 1) - 1)
    return seen
  }

  /// What its writes are based on, including the author's own transactions.
  package var view: Knowledge { basis ?? seen }

  /// Whether the author took another transaction into account.
  package func knows(_ other: Conflict.Side) -> Bool {
    basis.map { $0[other.peer] >= other.sequence } ?? saw(other)
  }

  /// Whether the author had another transaction when it wrote.
  package func saw(_ other: Conflict.Side) -> Bool {
    other.peer == side.peer
      ? other.sequence < side.sequence : knowledge[other.peer] >= other.sequence
  }

  /// Whether its view contains that of another transaction that stated no basis, as far as can be determined
  /// without comparing them.
  ///
  /// - Parameter knowledge: what the author of the other transaction had imported.
  package func continues(_ other: Conflict.Side, knowing knowledge: Knowledge) -> Bool {
    basis == nil && side.peer == other.peer && side.sequence >= other.sequence
      && self.knowledge == knowledge
  }
}
