import Testing
import TributarySQLite
import TributaryStore

extension Database {
  /// Runs statements each of which a constraint must stop.
  func expectViolations(
    _ statements: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for statement in statements {
      do {
        try execute(statement)
        Issue.record("no constraint stops \(statement)", sourceLocation: sourceLocation)
      } catch let error as SQLiteError where error.isConstraintViolation {
        continue
      }
    }
  }
}
