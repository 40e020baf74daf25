import TributaryCore
import TributaryLog
import TributarySQLite

/// When a store last changed its schema itself, rather than adopting something from another device. Of two
/// schemas, the one with the later change is the newer one.
package struct SchemaChangeTime: Equatable, Sendable {
  /// The digest of the statements to which the time belongs: 16 hexadecimal digits.
  private let digest: String
  /// In milliseconds since 1970; zero if the store has changed nothing since it was attached.
  package let milliseconds: UInt64

  package init(_ statements: [String], milliseconds: UInt64) {
    digest = Self.digest(statements)
    self.milliseconds = milliseconds
  }

  /// Reads what a store remembers; `nil` if it remembers nothing.
  package init?(_ connection: Connection) throws {
    let words = (try Settings(connection).text(.schemaChanged) ?? "").split(separator: " ")
    guard words.count == 2, let milliseconds = UInt64(words[1]) else { return nil }
    digest = String(words[0])
    self.milliseconds = milliseconds
  }

  /// Whether the time belongs to these statements.
  package func isOf(_ statements: [String]) -> Bool { digest == Self.digest(statements) }

  package func write(to connection: Connection) throws {
    try Settings(connection).set(.schemaChanged, .string("\(digest) \(milliseconds)"))
  }

  /// Keeps the time for a schema to which something from elsewhere was added. A change by the store itself
  /// that is not noted yet is left to be found later.
  static func keep(
    since before: [String], now: [String], in connection: Connection
  ) throws {
    guard let known = try Self(connection), known.isOf(before) else { return }
    try Self(now, milliseconds: known.milliseconds).write(to: connection)
  }

  private static func digest(_ statements: [String]) -> String {
    var hash = SegmentHash()
    for statement in statements {
      // No statement contains the NUL that ends it here.
      Array((statement + "\0").utf8).withUnsafeBytes { hash.update($0) }
    }
    return hash.finish().lowerHex
  }
}
