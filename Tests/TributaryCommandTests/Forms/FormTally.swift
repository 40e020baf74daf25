import Foundation
import Synchronization

/// What runs came to.
struct FormTally {
  var schemas = 0
  var refused = 0
  var tables = 0
  var writes = 0
  /// Compared between devices.
  var rows = 0
  var values = 0

  private static let total = Mutex(FormTally())

  /// Adds to the total.
  func add() {
    Self.total.withLock { total in
      total.schemas += schemas
      total.refused += refused
      total.tables += tables
      total.writes += writes
      total.rows += rows
      total.values += values
    }
  }

  /// Prints the total.
  static func printTotal() {
    let total = total.withLock { $0 }
    let line = """
      \(total.schemas) schemas, \(total.refused) refused, \(total.tables) tables, \(total.writes) writes, \
      \(total.rows) rows and \(total.values) values compared\n
      """
    FileHandle.standardError.write(Data(line.utf8))
  }
}
