import TributaryCore
import TributarySQLite
import TributaryStore

/// What must not have changed in a store between the moment at which coming back began and the one at which it
/// ends.
struct ReturnMoment: Equatable {
  let identity: StoreIdentity
  /// The last transaction that it has made.
  let last: SequenceNumber
  let published: SequenceNumber
  let knowledge: Knowledge
  let record: HorizonRecord

  init(_ connection: Connection) throws {
    identity = try StoreIdentity(reading: connection)
    last = try Outbox(connection).last()?.sequence ?? .zero
    published = try SegmentTable(connection).last()
    knowledge = try KnowledgeTable(connection).current()
    record = try HorizonRecord(connection)
  }
}
