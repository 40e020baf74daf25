import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Whether the records of the bookkeeping can be read.
struct DecodingExamination: Examination {
  let store: StoreSubject

  let subject = "the bookkeeping"

  func examine(_ findings: inout [Finding]) throws {
    let connection = store.connection
    let parts: [(String, () throws -> Void)] = [
      ("shapes", { _ = try ShapeRegistry(connection) }),
      (
        "declarations of how tables merge",
        {
          try MergeOptions.checkPresence(in: connection)
          _ = try MergeOptions(connection)
        }
      ),
      ("conflicts", { _ = try ConflictTable(connection).conflicts(ended: true) }),
      ("held rows", { try HeldTable(connection, schema: store.schema()).check() }),
      ("births", { _ = try BirthTable(connection, schema: store.schema()).all() }),
      ("refusals", { _ = try RefusalTable(connection).all() }),
    ]
    for (name, read) in parts {
      do {
        try read()
      } catch let error as StoreError {
        findings.append(
          store.damage(
            .bookkeeping, "the \(name) cannot be read: \(error.message)", remedy: error.remedy))
      } catch let error as LogError {
        findings.append(
          store.damage(.bookkeeping, "the \(name) cannot be read: \(error.message)"))
      } catch let error as SQLiteError {
        findings.append(
          store.damage(
            error.isDamage ? .database : .bookkeeping,
            "the \(name) cannot be read: \(error.message)"))
      }
    }
  }
}
