import CSQLite
import TributaryCore
import TributaryStore

/// Large values that cannot be compressed, each in a separate transaction.
struct BlobLoad: ScaleLoad {
  let name: String
  let count: Int
  /// The size of each, in megabytes.
  let megabytes: Int

  var amount: Int { count * megabytes }
  let unit = Figure.Unit.milliseconds
  let schema = "CREATE TABLE files (id INTEGER PRIMARY KEY, data BLOB NOT NULL)"
  let authors = ["author"]
  let rounds = 1
  let transactionsPerSegment: Int? = nil
  var check: (sql: String, rows: Int) { ("SELECT count(*) FROM files", count) }

  private static let insert = "INSERT INTO files VALUES (?, ?)"

  func write(by author: Int, into store: LocalStore) throws {
    try withBlobs { number, blob in
      try store.write { database in
        let statement = try database.prepare(Self.insert)
        try statement.bind(Int64(number), at: 1)
        try statement.bind(borrowedBlob: blob, at: 2)
        try statement.run()
      }
    }
  }

  func write(into database: PlainDatabase) throws -> Double {
    let statement = try database.prepare(Self.insert)
    var time = 0.0
    try withBlobs { number, blob in
      sqlite3_bind_int64(statement, 1, Int64(number))
      _ = tributary_bind_blob(statement, 2, blob.baseAddress, UInt64(blob.count), 0)
      time += try seconds { try database.run(statement) }
    }
    return time
  }

  /// Calls `body` with each of them; they differ in their first bytes.
  private func withBlobs(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
    let byteCount = megabytes * 1_000_000
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { buffer.deallocate() }
    var random = Randomness(seed: 21)
    for offset in stride(from: 0, to: byteCount - 7, by: 8) {
      buffer.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
    }
    for number in 0..<count {
      buffer.storeBytes(of: UInt64(number), as: UInt64.self)
      try body(number, UnsafeRawBufferPointer(buffer))
    }
  }
}
