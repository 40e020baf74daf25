import TributaryCore
import TributarySQLite

/// The database in a baseline: what all devices of a content have in common.
///
/// It is a store without an identity: the tables, indexes, views and triggers that are in `peer.json`, and
/// the bookkeeping tables. Of the bookkeeping tables, only those of the merge have rows; of the others, only
/// the replicated ones do.
package enum BaselineImage {
  /// The name under which the database is attached.
  static let name = "tributary_baseline"

  /// The bookkeeping that is equal on every device with the same transactions.
  static let bookkeeping: [(table: String, columns: [String])] = [
    (
      "tributary_birth",
      ["table", "number", "peer", "sequence", "time", "view", "content", "identity"]
    ),
    ("tributary_claim", ["table", "key", "name", "value", "peer", "sequence", "time"]),
    (
      "tributary_conflict",
      [
        "ended", "table", "row", "id", "key", "kind", "held", "columns", "winner_peer",
        "winner_sequence", "winner_time", "loser_peer", "loser_sequence", "loser_time",
      ]
    ),
    ("tributary_held", ["table", "key", "held", "cells"]),
  ]

  /// The table of facts that are not rows, by keys that `tributary_store` also has in a store.
  static let facts = "tributary_store"

  /// Why an image does not fit a database.
  package struct Unfit: Error, CustomStringConvertible {
    /// The finding, as a phrase.
    package let description: String
    /// Whether the image's rows violate a UNIQUE key of the database.
    package let breaksKey: Bool

    package init(_ description: String, breaksKey: Bool = false) {
      self.description = description
      self.breaksKey = breaksKey
    }
  }

  /// Runs `body` while a database is attached to a connection that has no open transaction.
  static func attached<Result>(
    _ path: String, as name: String = Self.name, to connection: Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try connection.execute("ATTACH \(path.quotedLiteral) AS \(name)")
    defer {
      connection.rollBack()
      // All statements that use it are finished, so this cannot fail.
      try? connection.execute("DETACH \(name)")
    }
    return try body()
  }

  /// Opens an image, which may come from an untrusted source.
  ///
  /// Its schema may name any function of SQLite. Releases before 3.42 count the JSON functions as unsafe, so
  /// `trusted_schema = OFF` would refuse the databases of many programs. None of these functions does
  /// anything but return a value, and this connection has neither extensions nor functions of the
  /// application.
  static func open(_ path: String, _ mode: Connection.Mode) throws -> Connection {
    let image = try Connection(path: path, mode: mode)
    try image.execute("PRAGMA cell_size_check = ON")
    image.setTriggers(firing: false)
    image.setForeignKeys(enforced: false)
    return image
  }

  /// The text encoding of a database.
  static func encoding(_ connection: Connection) throws -> String {
    let statement = try connection.prepare("PRAGMA main.encoding")
    return try statement.step() ? statement.string(0) : ""
  }
}
