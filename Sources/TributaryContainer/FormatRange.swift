/// The versions of one kind of file that a program reads.
///
/// In a file, each version is a list of its major and its minor number.
package struct FormatRange: Hashable, Sendable {
  /// The oldest version.
  package var oldest: ManifestFormat
  /// The newest version. A newer minor version is read, too, unless a flag forbids it.
  package var newest: ManifestFormat

  /// Makes a range.
  ///
  /// - Precondition: `oldest` is not newer than `newest`.
  package init(oldest: ManifestFormat, newest: ManifestFormat) {
    precondition(oldest <= newest)
    self.oldest = oldest
    self.newest = newest
  }

  /// Whether a file of that version may be written for the program to read.
  package func contains(_ version: ManifestFormat) -> Bool {
    oldest <= version && version <= newest
  }
}

extension FormatRange: CustomStringConvertible {
  package var description: String { "\(oldest) to \(newest)" }
}

extension FormatRange: Codable {
  private enum CodingKeys: String, CodingKey { case oldest, newest }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func version(_ key: CodingKeys) throws -> ManifestFormat {
      let numbers = try values.decode([UInt16].self, forKey: key)
      guard numbers.count == 2 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "\(numbers) is no version")
      }
      return ManifestFormat(major: numbers[0], minor: numbers[1])
    }
    oldest = try version(.oldest)
    newest = try version(.newest)
    guard oldest <= newest else {
      throw DecodingError.dataCorruptedError(
        forKey: .newest, in: values, debugDescription: "\(newest) is older than \(oldest)")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode([oldest.major, oldest.minor], forKey: .oldest)
    try values.encode([newest.major, newest.minor], forKey: .newest)
  }
}
