extension String {
  /// The number of terminal columns that the text takes, without control characters.
  var columnCount: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// Returns the text, padded with spaces to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columnCount))
  }
}

extension Unicode.Scalar {
  /// 0 for characters that combine with the previous one, 2 for East Asian wide characters and most
  /// emoji.
  ///
  /// Source: Unicode Standard Annex 11, in its largest ranges.
  fileprivate var columnCount: Int {
    switch value {
    case 0..<0x300: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default:
      switch properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return 1
      }
    }
  }
}
