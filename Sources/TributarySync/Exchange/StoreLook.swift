import TributaryContainer
import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The state of a store when a synchronisation begins, read in one snapshot: separate queries would each take
/// their own locks.
struct StoreLook {
  let identity: StoreIdentity
  let conflicts: Int
  /// Whether another program may have written something that is not recorded.
  let isForeign: Bool
  /// The state; `nil` if it cannot be read. The steps that need it report that.
  let state: State?

  /// The part of a store's state that a synchronisation depends on.
  struct State: Equatable {
    let last: SequenceNumber?
    let numbers: FileNumbers
    let knowledge: Knowledge
    let segments: [SegmentName]

    init(_ connection: Connection) throws {
      last = try Outbox(connection).last()?.sequence
      numbers = try FileNumbers(connection)
      knowledge = try KnowledgeTable(connection).current()
      segments = try SegmentTable(connection).all().map(\.name)
    }
  }

  /// Reads the state.
  ///
  /// - Throws: what is wrong with the bookkeeping.
  init(_ connection: Connection) throws {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    identity = try StoreIdentity(reading: connection)
    try KnowledgeTable(connection).checkConsistent()
    isForeign = try ForeignCapture(connection).isDue()
    conflicts = try ConflictTable(connection).count()
    state = try? State(connection)
  }
}
