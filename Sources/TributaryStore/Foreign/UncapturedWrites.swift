import TributaryCore
import TributarySQLite

/// The last time that another program was found to have written into a store without being captured.
package struct UncapturedWrites: Sendable {
  /// When it was found, in milliseconds since 1970.
  package var milliseconds: UInt64
  /// The number of different rows.
  package var rows: Int
  package var tables: [String]
  /// Why the writes were not captured.
  package var suspicion: Suspicion

  package init(
    milliseconds: UInt64, rows: Int, tables: [String], suspicion: Suspicion
  ) {
    self.milliseconds = milliseconds
    self.suspicion = suspicion
    self.rows = rows
    self.tables = tables
  }

  /// Reads the record; `nil` if this never happened.
  package init?(_ settings: Settings) throws {
    let lines = try settings.lines(.uncaptured)
    let words = lines.first?.split(separator: " ").map(String.init) ?? []
    guard lines.count > 2, let milliseconds = words.first.flatMap({ UInt64($0) }),
      let rows = Int(lines[1])
    else { return nil }
    let suspicion = words.count > 1 ? Suspicion(rawValue: words[1]) : nil
    self.init(
      milliseconds: milliseconds, rows: rows, tables: Array(lines[2...]),
      suspicion: suspicion ?? .dropped)
  }

  package func write(to settings: Settings) throws {
    try settings.set(
      .uncaptured, lines: ["\(milliseconds) \(suspicion.rawValue)", "\(rows)"] + tables)
  }
}
