import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// Compares the store's own segments with its outbox, transaction by transaction.
struct OwnLogComparison {
  let connection: Connection
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let own: PeerIdentity

  /// Returns the first transaction of a segment that differs in the outbox or is missing there.
  ///
  /// - Returns: `nil` if they agree.
  /// - Throws: `LogError` and `FileError` for a segment that cannot be read; `StoreError` and
  ///   `LogError` for an outbox that cannot.
  func firstDifference(_ file: SegmentFile) throws -> SequenceNumber? {
    let segments = SegmentStore(
      directory, peer: own, using: environment.fileSystem, horizons: .known(to: connection))
    var reader = try segments.reader(of: file.name)
    let stream = try OutboxStream(peer: own, connection: connection, from: file.name.first)
    let schemas = SchemaNames(connection)
    let current = try KnowledgeTable(connection).current()
    let corrections = try Corrections.applied(connection).all()
    let removed = try RemovedTransactions(connection).last
    while let header = try reader.nextTransaction() {
      // Transactions that the store has removed cannot be compared.
      if header.sequence <= removed, stream.head.map({ header.sequence < $0.sequence }) ?? true {
        continue
      }
      let published = corrections.corrected(header, of: own)
      guard let written = stream.head, written.sequence == published.sequence,
        written.time == published.time,
        written.knowledge.believable(by: current, like: published.knowledge)
          == published.knowledge.believable(by: current),
        written.basis == published.basis,
        try schemas.name(of: written.schema) == reader.schema(published.schema)
      else { return published.sequence }
      while true {
        let change = try stream.nextChange()
        let other = try reader.nextChange()
        guard let change, let other else {
          if change == nil, other == nil { break }
          return published.sequence
        }
        guard change.operation == other.operation, change.image.elementsEqual(other.image),
          stream.shape(change.shapeID) == reader.shape(other.shapeID)
        else { return published.sequence }
      }
      try stream.advance()
    }
    return nil
  }
}
