/// The versions of all files of a container that a program reads, as its `peer.json` states them.
package struct ReadableFormats: Codable, Hashable, Sendable {
  /// The versions of segments; `nil` if they are not stated.
  package var log: FormatRange?
  /// The versions of baselines; `nil` if they are not stated.
  package var baseline: FormatRange?
  /// The versions of `peer.json`; `nil` if they are not stated.
  package var manifest: FormatRange?

  /// Makes a statement.
  package init(log: FormatRange?, baseline: FormatRange?, manifest: FormatRange?) {
    self.log = log
    self.baseline = baseline
    self.manifest = manifest
  }

  /// What this program reads.
  package static let current = ReadableFormats(
    log: FormatRange(oldest: first, newest: .aboveHorizons),
    baseline: FormatRange(oldest: first, newest: .aboveHorizons),
    manifest: FormatRange(oldest: first, newest: .withHorizons))

  private static let first = ManifestFormat(major: 1, minor: 0)

  /// Returns the kinds of files, each with what is stated about it.
  package var kinds: [(name: String, range: FormatRange?)] {
    [("segments", log), ("baselines", baseline), ("peer.json", manifest)]
  }
}
