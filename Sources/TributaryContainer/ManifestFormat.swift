/// The version of the container's format that a peer writes, or of a file there.
///
/// A reader rejects a newer major version before it interprets anything else. A newer minor version
/// only adds things that older readers ignore.
package struct ManifestFormat: Codable, Hashable, Sendable {
  /// Increases when older readers could misunderstand.
  package var major: UInt16
  /// Increases when something is added.
  package var minor: UInt16

  /// Makes a version.
  package init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// The version that this library writes as long as it has nothing to say about horizons.
  package static let current = ManifestFormat(major: 1, minor: 1)

  /// The first version that says something about horizons.
  package static let withHorizons = ManifestFormat(major: 1, minor: 2)

  /// The first version of segments and baselines with horizons.
  package static let aboveHorizons = ManifestFormat(major: 1, minor: 1)
}

extension ManifestFormat: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

extension ManifestFormat: CustomStringConvertible {
  package var description: String { "\(major).\(minor)" }
}
