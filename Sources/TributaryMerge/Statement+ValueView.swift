import Glibc
import TributaryLog
import TributarySQLite

extension Statement {
  /// Binds borrowed bytes without copying them.
  @inline(__always)
  func bind(_ view: ValueView, at index: Int) throws(SQLiteError) {
    switch view.kind {
    case .integer: try bind(view.integer, at: index)
    case .real: try bind(view.real, at: index)
    case .text: try bind(borrowedText: view.bytes, at: index)
    case .blob: try bind(borrowedBlob: view.bytes, at: index)
    case .null, .absent: try bindNull(at: index)
    }
  }

  /// Whether a result column has that type and exactly that value, bit by bit.
  func holds(_ view: ValueView, at column: Int) -> Bool {
    switch (view.kind, type(column)) {
    case (.null, .null): true
    case (.integer, .integer): view.integer == integer(column)
    case (.real, .real): view.real.bitPattern == real(column).bitPattern
    case (.text, .text), (.blob, .blob): areEqual(view.bytes, bytes(column))
    default: false
    }
  }

  private func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let start = a.baseAddress, let other = b.baseAddress else { return true }
    return memcmp(start, other, a.count) == 0
  }
}
