import TributaryCore

/// The description of a transaction, before its changes.
///
/// | Field     | Form                    | Meaning                                                        |
/// |-----------|-------------------------|----------------------------------------------------------------|
/// | code      | 0x03                    |                                                                |
/// | sequence  | number                  | one more than the transaction before                           |
/// | time      | u64                     | hybrid time, later than the transaction before                 |
/// | schema    | number                  | id of a schema item before                                     |
/// | knowledge | count, then the entries | what rose since the transaction before; the first lists all    |
/// | has basis | byte, 0 or 1            |                                                                |
/// | basis     | count, then the entries | only when there is one: a full version vector                  |
///
/// An entry is a peer (16 bytes) and its sequence (a number); peers ascend. The file contains only the
/// entries that rose; this type contains the full vector. In a segment with a horizon, the file also leaves
/// out what the horizon has, in both knowledge and basis.
package struct TransactionHeader: Hashable, Sendable {
  package var sequence: SequenceNumber
  package var time: HybridTime
  /// The author's number of the schema under which the transaction was written.
  package var schema: UInt32
  /// Everything that the author had imported, without an entry for the author.
  package var knowledge: Knowledge
  /// The version that the write is based on, if the application specified one; it may contain the
  /// author.
  package var basis: Knowledge?

  package init(
    sequence: SequenceNumber, time: HybridTime, schema: UInt32, knowledge: Knowledge,
    basis: Knowledge? = nil
  ) {
    self.sequence = sequence
    self.time = time
    self.schema = schema
    self.knowledge = knowledge
    self.basis = basis
  }
}
