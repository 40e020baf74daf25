/// A condition that every row of a table of the bookkeeping must meet.
struct BookkeepingRule {
  let table: String
  /// The SQL condition that an invalid row meets; `t` is the row.
  let violation: String
  /// What is wrong with an invalid row, as the end of a sentence.
  let meaning: String

  private init(_ table: String, _ violation: String, _ meaning: String) {
    self.table = "tributary_" + table
    self.violation = violation
    self.meaning = meaning
  }

  private static func types(_ table: String, _ type: String, _ columns: String...) -> Self {
    Self(
      table, columns.map { "typeof(t.\"\($0)\") <> '\(type)'" }.joined(separator: " OR "),
      "a value of a type other than \(type) in \(columns.joined(separator: ", "))")
  }

  private static func peers(_ table: String, _ columns: String...) -> Self {
    Self(
      table,
      columns.map { "typeof(t.\($0)) <> 'blob' OR length(t.\($0)) <> 16" }.joined(
        separator: " OR "),
      "an invalid peer")
  }

  private static func sequences(_ table: String, _ columns: String...) -> Self {
    Self(
      table,
      columns.map { "typeof(t.\($0)) <> 'integer' OR t.\($0) < 1" }.joined(separator: " OR "),
      "an invalid sequence")
  }

  private static func vectors(_ table: String, _ column: String) -> Self {
    Self(
      table, "typeof(t.\(column)) NOT IN ('blob', 'null') OR length(t.\(column)) % 24 <> 0",
      "an invalid version vector")
  }

  static let all: [Self] = [
    sequences("outbox", "sequence"), types("outbox", "integer", "time", "schema"),
    types("outbox", "blob", "changes"),
    Self(
      "outbox",
      """
      length(t.changes) = 0 AND t.sequence > coalesce(
        (SELECT value FROM tributary_store WHERE key = 'removed'), 0)
      """, "no changes"),
    vectors("outbox", "basis"),
    Self(
      "outbox", "t.schema NOT IN (SELECT id FROM tributary_schema)", "a schema without a name"),
    sequences("outbox_piece", "sequence", "piece"), types("outbox_piece", "blob", "changes"),
    Self(
      "outbox_piece", "t.sequence NOT IN (SELECT sequence FROM tributary_outbox)",
      "no transaction to which it belongs"),
    sequences("segment", "first", "last", "bytes", "payload"), types("segment", "text", "name"),
    Self(
      "segment", "typeof(t.level) <> 'integer' OR t.level NOT BETWEEN 0 AND 12",
      "an invalid compression level"),
    types("withdrawal", "text", "name"), types("withdrawal", "integer", "since"),
    peers("peer", "peer"), sequences("peer", "sequence"), types("peer", "integer", "time"),
    sequences("knowledge", "sequence"),
    Self("knowledge", "typeof(t.after) <> 'integer' OR t.after < 0", "an invalid sequence"),
    peers("refusal", "peer"), sequences("refusal", "sequence"),
    types("conflict", "blob", "row", "key", "columns"), types("conflict", "text", "table", "id"),
    Self("conflict", "typeof(t.ended) <> 'integer' OR t.ended < 0", "an invalid time"),
    Self("conflict", "t.held NOT IN (0, 1)", "an invalid mark of being held"),
    peers("conflict", "winner_peer", "loser_peer"),
    // Until the next synchronization, it may be unknown who has lost.
    Self(
      "conflict",
      ["winner", "loser"].map {
        """
        typeof(t.\($0)_sequence) <> 'integer' OR t.\($0)_sequence < 0
          OR t.\($0)_sequence = 0 AND t.\($0)_peer <> zeroblob(16)
        """
      }.joined(separator: " OR "), "a sequence that is none"),
    types("conflict", "integer", "winner_time", "loser_time"),
    types("held", "blob", "key", "cells"), types("held", "text", "table"),
    Self("held", "t.held NOT IN (0, 1)", "an invalid mark of being held"),
    types("claim", "blob", "key", "value"), types("claim", "text", "table", "name"),
    // A peer of zeros means that it was before the horizon, or that only the logs show the peer.
    peers("claim", "peer"), types("claim", "integer", "time"),
    Self(
      "claim",
      """
      typeof(t.sequence) <> 'integer' OR t.sequence < 0
        OR t.sequence = 0 AND t.peer <> zeroblob(16)
      """, "an invalid sequence"),
    types("birth", "text", "table"), types("birth", "integer", "number", "time"),
    peers("birth", "peer"), sequences("birth", "sequence"), vectors("birth", "view"),
    types("birth", "blob", "view", "content", "identity"),
    types("shape", "blob", "definition"), types("schema", "text", "name"),
    types("migration", "text", "name", "sql"), types("import", "text", "changes"),
    Self(
      "merge",
      """
      t.rule NOT IN ('row', 'column', 'natural', 'counter', 'max', 'min', 'last', 'rowid',
          'themselves', 'identify')
        AND t.rule NOT GLOB 'key [1-9]*' AND t.rule NOT GLOB 'refers "*"."*"'
        AND t.rule <> 'positive' AND t.rule NOT GLOB 'positive [1-9]*'
        AND NOT (t.rule IN ('keep', 'enforce') AND t."table" = '')
      """,
      "an invalid rule"),
  ]
}
