import CSQLite

/// SQLite's own source of random numbers: seeded by the system, and without a call of it each time.
/// *sqlite3_randomness*
public enum SQLiteRandomness {
  public static func next() -> UInt64 {
    var number: UInt64 = 0
    withUnsafeMutableBytes(of: &number) { sqlite3_randomness(Int32($0.count), $0.baseAddress) }
    return number
  }
}
