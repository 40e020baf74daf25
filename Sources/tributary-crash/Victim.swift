import TributaryCore
import TributaryStore
import TributarySync

/// A device that works until it is killed, adds tables and columns and follows those of the others.
struct Victim {
  let store: String
  let container: String
  let device: String
  let seed: UInt64

  static let migration = Migration(
    name: "1",
    sql: """
      CREATE TABLE writes (k TEXT PRIMARY KEY, filler BLOB);
      CREATE TABLE shared (k INTEGER PRIMARY KEY, device TEXT, number INTEGER);
      CREATE INDEX by_number ON shared (number);
      """)

  func run() throws {
    var request = AttachRequest(store: store, container: container, contentName: "Crash")
    request.migrations = [Self.migration]
    request.peerName = device
    request.followsSchema = true
    _ = try Engine.attach(request)
    var random = SeededRandom(state: seed)
    var environment = StoreEnvironment()
    // Often, so that every step of it is interrupted.
    environment.segments.fanIn = 2
    environment.segments.byteLimit = Int64.random(in: 1000...500_000, using: &random)
    environment.segments.graceMilliseconds = Int64.random(in: 0...50, using: &random)
    environment.segments.removalLimit = 2
    let session = try SyncSession(store: store, environment: environment)
    // A store that was made anew may still have to follow others before it has what this device wrote.
    if let failure = try session.synchronize().failure { throw failure }
    var number = try next(session.store)
    while true {
      let choice = Int.random(in: 0..<10, using: &random)
      if choice < 7 {
        try write(number, choice, to: session.store, &random)
        if number % 10 == 3 {
          try widen(Int.random(in: 0..<8, using: &random), number, session.store)
        }
        report("w \(device)-\(number)")
        number += 1
      } else {
        let result = try session.synchronize()
        if let failure = result.failure { throw failure }
      }
    }
  }

  /// The number after those that this device has written.
  private func next(_ store: LocalStore) throws -> Int64 {
    try store.read { database in
      try database.query(
        "SELECT ifnull(max(CAST(substr(k, ?1) AS INTEGER)), 0) + 1 AS n FROM writes WHERE k GLOB ?2",
        device.utf8.count + 2, "\(device)-*")[0].integer("n") ?? 1
    }
  }

  private func write(
    _ number: Int64, _ choice: Int, to store: LocalStore, _ random: inout SeededRandom
  ) throws {
    let size = choice == 0 ? Int.random(in: 0..<300_000, using: &random) : 20
    try store.write { database in
      try database.execute(
        "INSERT INTO writes VALUES (?, ?)", "\(device)-\(number)",
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
      for _ in 0..<choice {
        let key = Int.random(in: 0..<20, using: &random)
        if choice == 5 {
          try database.execute("DELETE FROM shared WHERE k = ?", key)
        } else {
          try database.execute(
            """
            INSERT INTO shared (k, device, number) VALUES (?1, ?2, ?3)
            ON CONFLICT (k) DO UPDATE SET device = ?2, number = ?3
            """, key, device, number)
        }
      }
    }
  }
}

extension Victim {
  /// Adds a table and a column, unless they are there, and writes them: the other devices follow.
  private func widen(_ place: Int, _ number: Int64, _ store: LocalStore) throws {
    let column = "added\(place)"
    try store.write { database in
      try database.execute("CREATE TABLE IF NOT EXISTS more\(place) (k TEXT PRIMARY KEY, a)")
      let isThere =
        try database.query("SELECT 1 FROM pragma_table_info('shared') WHERE name = ?", column)
        .isEmpty == false
      if !isThere { try database.execute("ALTER TABLE shared ADD COLUMN \(column)") }
      try database.execute(
        "INSERT OR IGNORE INTO more\(place) VALUES (?, 1)", "\(device)-\(number)")
      try database.execute("UPDATE shared SET \(column) = ? WHERE k = ?", number, place)
    }
  }
}

/// A generator that makes the same choices for the same seed.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
