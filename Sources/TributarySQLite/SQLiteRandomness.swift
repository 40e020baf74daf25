import CSQLite

/// SQLite's own source of random numbers. The system seeds it, and drawing a number needs no system
/// call. *sqlite3_randomness*
package enum SQLiteRandomness {
  package static func next() -> UInt64 {
    var number: UInt64 = 0
    withUnsafeMutableBytes(of: &number) { sqlite3_randomness(Int32($0.count), $0.baseAddress) }
    return number
  }
}
