internal import TributaryCore

/// The names of files that are not published yet.
///
/// The leading dot keeps them out of listings; carriers may still transport them.
package enum TemporaryName {
  /// The beginning of every temporary name.
  package static let prefix = ".tmp-"

  /// Makes a name that no other writer uses.
  package static func random() -> String {
    prefix + UInt64.random(in: 0 ... .max).lowerHex
  }

  /// Whether a name is a temporary one.
  package static func matches(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}
