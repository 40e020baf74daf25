/// The version of the format that a file is written in.
///
/// A reader rejects a newer major version. A newer minor version appends data to the header and trailer that
/// older readers can skip, or sets a flag that makes them reject the file.
package struct FormatVersion: Hashable, Sendable {
  package var major: UInt16
  package var minor: UInt16

  package init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// The newest version of a segment that this library knows. It writes the lowest version that can express
  /// everything.
  package static let current = FormatVersion(major: 1, minor: 1)
}

extension FormatVersion: Comparable {
  package static func < (a: FormatVersion, b: FormatVersion) -> Bool {
    a.major != b.major ? a.major < b.major : a.minor < b.minor
  }
}

extension FormatVersion: CustomStringConvertible {
  package var description: String { "\(major).\(minor)" }
}
