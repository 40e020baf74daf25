import TributaryCore
import TributarySQLite
import TributaryStore

/// What must not have changed in a store between the beginning and the end of coming back.
struct ReturnMoment: Equatable {
  let identity: StoreIdentity
  /// The last transaction that the store has made.
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
