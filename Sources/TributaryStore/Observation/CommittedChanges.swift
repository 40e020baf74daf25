import TributaryCore
import TributaryLog

/// The changes that commits have made, for those who observe the store.
package struct CommittedChanges: Sendable {
  /// The last recorded transaction; `nil` if nothing replicated has changed.
  package var sequence: SequenceNumber?
  /// The tables in which rows have changed, and possibly others whose changes were undone; `nil` if they are unknown.
  package var tables: [SQLName]?
  /// The recorded changes, each with the shapes to which it refers; `nil` if there are too many.
  package var records: [[UInt8]]?
  /// The shapes of `records`, by number.
  package var shapes: [UInt32: TableShape] = [:]
  /// Whether rows of `tables` have changed other than those in `records`.
  package var hasOtherRows = false
  /// SQLite's number of the schema, if it has changed.
  package var schemaVersion: Int64?

  package init() {}

  /// Whether nothing has changed.
  package var isEmpty: Bool { sequence == nil && tables?.isEmpty == true && schemaVersion == nil }

  /// Calls `body` with each recorded change and its table.
  ///
  /// - Throws: for bytes that cannot be read, and what `body` throws.
  package func read(_ body: (ChangeView, TableShape) throws -> Void) throws {
    for record in records ?? [] {
      try record.withUnsafeBytes { bytes in
        var reader = ChangeListReader(bytes)
        while let change = try reader.next(layout: { shapes[$0].map { ShapeLayout($0) } }) {
          if let shape = shapes[change.shapeID] { try body(change, shape) }
        }
      }
    }
  }
}
