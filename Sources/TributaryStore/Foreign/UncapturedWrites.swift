import TributaryCore
import TributarySQLite

/// The last time that another program was found to have written into a store while nothing captured it.
package struct UncapturedWrites: Sendable {
  /// When it was found, in milliseconds since 1970.
  package var milliseconds: UInt64
  /// The number of different rows.
  package var rows: Int
  package var tables: [String]

  package init(milliseconds: UInt64, rows: Int, tables: [String]) {
    self.milliseconds = milliseconds
    self.rows = rows
    self.tables = tables
  }

  /// Reads the record; `nil` if it never happened.
  package init?(_ settings: Settings) throws {
    guard let text = try settings.text(.uncaptured) else { return nil }
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count > 2, let milliseconds = UInt64(lines[0]), let rows = Int(lines[1]) else {
      return nil
    }
    self.init(milliseconds: milliseconds, rows: rows, tables: Array(lines[2...]))
  }

  package func write(to settings: Settings) throws {
    let lines = ["\(milliseconds)", "\(rows)"] + tables
    try settings.set(.uncaptured, .string(lines.joined(separator: "\n")))
  }
}
