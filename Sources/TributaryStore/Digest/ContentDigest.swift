import CSodium
import TributaryCore
import TributaryLog
import TributarySQLite

/// SHA-256 over the contents of the replicated tables.
///
/// Two digests are equal exactly when the contents are equal, whatever the layout or history of the file. The
/// digest covers the tables in order of name. For each table, it covers the names of its columns in order of
/// name, and its rows in order of key, with values and their types in the log format. Rows that identify
/// themselves have no order, so the sum of their digests counts. Names are compared as SQLite does, with
/// ASCII letters regardless of case.
package struct ContentDigest: Equatable, Sendable {
  /// The digest over all tables, in lower-case hexadecimal.
  package var total: String
  /// The digest of each table, in order of name.
  package var tables: [(name: String, digest: String)]

  package static func == (a: ContentDigest, b: ContentDigest) -> Bool { a.total == b.total }

  /// Reads all rows.
  ///
  /// - Complexity: O(*n*) in the bytes of the tables, in bounded memory.
  package init(_ connection: Connection, schema: ReplicatedSchema) throws {
    tables = []
    try connection.addTextOrder()
    var all = SHA256()
    for table in schema.tables.sorted(by: { SQLName($0.name) < SQLName($1.name) })
    where table.refusal == nil {
      let digest = try Self.digest(table, connection)
      tables.append((table.name, digest))
      var line = ByteBuffer()
      line.append(.string(SQLName(table.name).folded))
      line.append(.string(digest))
      all.update(line.bytes)
    }
    total = all.finish()
  }

  private static func digest(
    _ table: TableDescription, _ connection: Connection
  ) throws -> String {
    var hash = SHA256()
    var buffer = ByteBuffer(capacity: 1 << 16)
    if table.keepsEqualRowsApart { return try digestOfEqualRows(table, connection) }
    let names = table.shape.columns.sorted { SQLName($0) < SQLName($1) }
    for name in names { buffer.append(.string(SQLName(name).folded)) }
    let statement = try connection.prepare(
      """
      SELECT \(names.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(table.name.quotedIdentifier)
      ORDER BY \(table.orderTerms.joined(separator: ", "))
      """)
    while try statement.step() {
      for column in 0..<names.count { buffer.append(statement, column: column) }
      if buffer.count >= 1 << 15 {
        hash.update(buffer.bytes)
        buffer.removeAll()
      }
    }
    hash.update(buffer.bytes)
    return hash.finish()
  }

  /// Ignores the row identifiers, which are not contents.
  private static func digestOfEqualRows(
    _ table: TableDescription, _ connection: Connection
  ) throws -> String {
    let hidden = table.shape.columns[table.shape.keys[0].column]
    let names = table.shape.columns.filter { SQLName($0) != SQLName(hidden) }
      .sorted { SQLName($0) < SQLName($1) }
    var buffer = ByteBuffer(capacity: 1 << 12)
    for name in names { buffer.append(.string(SQLName(name).folded)) }
    var hash = SHA256()
    hash.update(buffer.bytes)
    let statement = try connection.prepare(
      """
      SELECT \(names.map(\.quotedIdentifier).joined(separator: ", "))
      FROM \(table.name.quotedIdentifier) NOT INDEXED
      """)
    var sum = [UInt8](repeating: 0, count: 32)
    while try statement.step() {
      buffer.removeAll()
      for column in 0..<names.count { buffer.append(statement, column: column) }
      var row = SHA256()
      row.update(buffer.bytes)
      var carry: UInt16 = 0
      for (place, byte) in row.bytes().enumerated() {
        carry += UInt16(sum[place]) + UInt16(byte)
        sum[place] = UInt8(truncatingIfNeeded: carry)
        carry >>= 8
      }
    }
    sum.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }
}

extension TableDescription {
  /// The key terms in an order that is the same in every database.
  fileprivate var orderTerms: [String] {
    hasRowIdentifierKey
      ? keyTerms
      : shape.keys.map { key in
        // SQLite's own byte order depends on the encoding, which may be UTF-16 in one of two
        // databases.
        let collation = key.collation == .binary ? Connection.textOrder : key.collation.sqlName
        return "\(shape.columns[key.column].quotedIdentifier) COLLATE \(collation)"
      }
  }
}

/// The streaming form of libsodium's SHA-256.
private struct SHA256 {
  private var state = crypto_hash_sha256_state()

  init() { crypto_hash_sha256_init(&state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    crypto_hash_sha256_update(
      &state, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
  }

  mutating func finish() -> String { bytes().lowerHex }

  mutating func bytes() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256_final(&state, &digest)
    return digest
  }
}

extension LocalStore {
  /// Returns the digest of the current contents.
  package func digest() throws -> ContentDigest {
    try read { database in
      try ContentDigest(
        database.connection,
        schema: ReplicatedSchema(
          database.connection, selection: TableSelection(database.connection)))
    }
  }
}
