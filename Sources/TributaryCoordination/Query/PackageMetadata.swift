internal import FoundationEssentials
internal import TributaryFiles

/// What the `DocumentMetadata.plist` of a package says, unchecked.
package struct PackageMetadata: Codable, Hashable, Sendable {
  package var contentName: String
  package var contentURL: String
  package var formatVersion: Int
  /// `nil` if there are none.
  package var attributes: [String: String]?

  enum CodingKeys: String, CodingKey {
    case contentName = "ContentName"
    case contentURL = "ContentURL"
    case formatVersion = "FormatVersion"
    case attributes = "Attributes"
  }

  /// The largest file that is read.
  package static let byteLimit = 1 << 20

  package init(
    contentName: String, contentURL: String, formatVersion: Int, attributes: [String: String]?
  ) {
    self.contentName = contentName
    self.contentURL = contentURL
    self.formatVersion = formatVersion
    self.attributes = attributes
  }

  /// Reads the contents of a file.
  package init(decoding bytes: [UInt8]) throws {
    self = try PropertyListDecoder().decode(PackageMetadata.self, from: Data(bytes))
  }

  /// Reads the file at a path; `nil` if it cannot be read, has not arrived completely, or has another form.
  init?(at path: String, _ files: LocalFileSystem) {
    guard let bytes = try? files.read(path, limit: Self.byteLimit),
      let metadata = try? PackageMetadata(decoding: bytes)
    else { return nil }
    self = metadata
  }
}
