import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Who writes: the library, the command, or a program that knows nothing of Tributary.
enum FormWriter: CaseIterable {
  case own, command, other

  /// A constraint declares that a conflict rolls everything back.
  private struct RolledBack: Error {}

  /// Runs a write in one transaction, and has it recorded.
  ///
  /// - Returns: whether it was committed.
  func run(_ write: RandomWrite, on session: SyncSession) throws -> Bool {
    switch self {
    case .own: return try runAsOwn(write, session.store)
    case .command:
      let status = Invocation("sql", session.store.path, "--file", "-", input: Self.script(write))
      if status.status == .done { return true }
      guard Self.isRefusal(status.errors) else {
        throw HarnessFailure("tributary sql: \(status.errors)")
      }
      return false
    case .other:
      let connection = try Connection(path: session.store.path, mode: .readWrite)
      defer { connection.close() }
      try connection.execute("PRAGMA foreign_keys = ON")
      let isCommitted = try ScriptedWrite(write).run(on: connection)
      if let failure = try session.recordForeignWrites().failure { throw failure }
      return isCommitted
    }
  }

  private func runAsOwn(_ write: RandomWrite, _ store: LocalStore) throws -> Bool {
    do {
      try store.write { database in
        for statement in write.statements {
          do {
            let prepared = try database.prepare(statement.sql)
            for (index, value) in statement.parameters.enumerated() {
              try prepared.bind(value, at: index + 1)
            }
            try prepared.run()
          } catch let error as SQLiteError where error.isRefusalOfWrite {
            guard database.isInTransaction else { throw RolledBack() }
          }
        }
      }
      return true
    } catch is RolledBack {
      return false
    } catch let error as SQLiteError where error.isRefusalOfWrite {
      return false
    } catch let error as StoreError where Self.isRefusal("\(error)") {
      return false
    }
  }

  private static func isRefusal(_ message: String) -> Bool {
    ["constraint failed", "datatype mismatch", "has NULL in", "cannot store"].contains {
      message.contains($0)
    }
  }

  /// Returns a write as a script without parameters.
  static func script(_ write: RandomWrite) -> String {
    write.statements.map { filled($0) }.joined(separator: ";\n")
  }

  private static func filled(_ statement: RandomStatement) -> String {
    var used = 0
    var text = ""
    var quote: Character?
    for character in statement.sql {
      if quote == nil, character == "?" {
        text += literal(statement.parameters[used])
        used += 1
        continue
      }
      if quote == character {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      }
      text.append(character)
    }
    return text
  }

  private static func literal(_ value: Value) -> String {
    guard case .real(let real) = value else { return value.literal }
    if real.isNaN { return "NULL" }
    return real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : value.literal
  }
}
