import TributaryCore
import TributaryLog
import TributarySQLite

/// Reads the changes of a store's own transactions, piece by piece.
///
/// Most transactions have one piece. In the table of the further pieces, looking up a key reads megabytes of
/// pieces on the way. So the reader finds out once which transactions have more pieces, and then reads those
/// pieces one after another.
package final class OutboxPieces {
  private let connection: Connection
  private var sequence = SequenceNumber.zero
  /// The number of the next piece; `nil` after the last one.
  private var next: Int? = 0
  /// The transactions that have more than one piece.
  private var large: Set<Int64>?
  private var more: Statement?

  package init(_ connection: Connection) { self.connection = connection }

  /// Goes to the first piece of a transaction.
  package func begin(_ sequence: SequenceNumber) {
    more?.reset()
    self.sequence = sequence
    next = 0
  }

  /// Copies the next piece of the changes.
  ///
  /// - Returns: whether there was another piece.
  /// - Throws: also if the transaction itself, or a piece before another one, is missing.
  package func read(into buffer: inout ByteBuffer) throws -> Bool {
    buffer.removeAll()
    switch next {
    case nil: return false
    case 0?:
      try readFirst(into: &buffer)
      next = try isLarge() ? 1 : nil
      return true
    case let number?: return try readMore(number, into: &buffer)
    }
  }

  /// Lends all pieces of a transaction, one after another.
  func forEach(
    of sequence: SequenceNumber, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var buffer = ByteBuffer()
    begin(sequence)
    while try read(into: &buffer) { try body(buffer.bytes) }
  }

  private func readFirst(into buffer: inout ByteBuffer) throws {
    let statement = try connection.cached("SELECT changes FROM tributary_outbox WHERE sequence = ?")
    defer { statement.reset() }
    try statement.bind(Int64(sequence.rawValue), at: 1)
    guard try statement.step() else {
      throw StoreError.damaged(
        "transaction \(sequence) is missing from the outbox", path: connection.path)
    }
    guard statement.type(0) == .blob else { throw damaged }
    buffer.append(statement.bytes(0))
  }

  private func isLarge() throws -> Bool {
    if large == nil {
      var sequences: Set<Int64> = []
      let statement = try connection.cached("SELECT DISTINCT sequence FROM tributary_outbox_piece")
      defer { statement.reset() }
      while try statement.step() { sequences.insert(statement.integer(0)) }
      large = sequences
    }
    return large?.contains(Int64(sequence.rawValue)) ?? false
  }

  private func readMore(_ number: Int, into buffer: inout ByteBuffer) throws -> Bool {
    // Not shared with other users, who may be in the middle of another transaction.
    let statement =
      try more
      ?? connection.prepare(
        "SELECT piece, changes FROM tributary_outbox_piece WHERE sequence = ? ORDER BY piece")
    more = statement
    if number == 1 { try statement.bind(Int64(sequence.rawValue), at: 1) }
    guard try statement.step() else {
      statement.reset()
      next = nil
      return false
    }
    guard statement.integer(0) == Int64(number), statement.type(1) == .blob else { throw damaged }
    buffer.append(statement.bytes(1))
    next = number + 1
    return true
  }

  private var damaged: StoreError {
    .damaged("transaction \(sequence) of this store cannot be read", path: connection.path)
  }
}
