internal import FoundationEssentials
internal import Glibc
internal import TributaryContainer
internal import TributaryCoordination
package import TributaryFiles

/// What a document says about itself, in the file `DocumentMetadata.plist` of its package. The file never
/// changes.
public struct DocumentMetadata: Hashable, Sendable {
  /// The content name of the document's store, which no other document has.
  public let contentName: String
  /// The directory of the logs of documents, relative to the container: the content root.
  public let contentURL: String
  /// The version of the format; see `current`.
  public let formatVersion: Int
  /// What the application says about the document, so that it can be searched for.
  public let attributes: [String: String]

  /// The name of the file.
  public static let fileName = "DocumentMetadata.plist"
  /// The version that this program writes.
  public static let current = 1

  init(contentName: String, contentURL: String, attributes: [String: String] = [:]) {
    self.contentName = contentName
    self.contentURL = contentURL
    formatVersion = Self.current
    self.attributes = attributes
  }

  /// Reads the file of a package.
  ///
  /// - Throws: `DocumentError`: `missing` if nothing is at the path, `notADocument` if there is no such file in
  ///   it, `newerFormat`, `damaged`.
  package init(ofPackage path: String, using files: some FileSystem) throws(DocumentError) {
    do {
      try self.init(reading: path.appending(component: Self.fileName), using: files)
    } catch {
      guard error.code == .missing else { throw error }
      throw Self.absent(path, files)
    }
  }

  /// Reads a file with any name.
  init(reading file: String, using files: some FileSystem) throws(DocumentError) {
    let bytes: [UInt8]
    do {
      bytes = try files.read(file, limit: PackageMetadata.byteLimit)
    } catch {
      throw Self.unreadable(file, error)
    }
    let content: PackageMetadata
    do {
      content = try PackageMetadata(decoding: bytes)
    } catch {
      if let version = try? PropertyListDecoder().decode(Version.self, from: Data(bytes)),
        version.formatVersion > Self.current
      {
        throw Self.newer(file, version.formatVersion)
      }
      throw DocumentError(
        .damaged, "it is damaged or has not arrived whole", path: file,
        remedy: "wait for the carrier to deliver it, or restore it from a backup", underlying: error
      )
    }
    guard content.formatVersion <= Self.current else {
      throw Self.newer(file, content.formatVersion)
    }
    do throws(ContainerError) {
      // Both become paths, and must not lead elsewhere.
      _ = try ContentName(content.contentName)
      let root = try ContentRoot(content.contentURL)
      guard root.isOfDocuments else {
        throw ContainerError(
          .invalidName,
          "the content URL \(root.text.debugDescription) is not a place for logs of documents",
          remedy: "")
      }
    } catch {
      throw DocumentError(
        .damaged, error.message, path: file, remedy: "restore it from a backup", underlying: error)
    }
    contentName = content.contentName
    contentURL = content.contentURL
    formatVersion = content.formatVersion
    attributes = content.attributes ?? [:]
  }

  private static func unreadable(_ file: String, _ error: FileError) -> DocumentError {
    let reason: String
    if error.isTooLarge {
      reason = "it is larger than \(PackageMetadata.byteLimit) bytes, as no metadata are"
    } else if [ELOOP, EISDIR, EINVAL, ENXIO].contains(error.code) {
      reason = "it is not a regular file, but a directory, a link, a pipe or a device"
    } else {
      return DocumentError(error)
    }
    return DocumentError(
      .damaged, reason, path: file, remedy: "restore it from a backup", underlying: error)
  }

  static func absent(_ path: String, _ files: some FileSystem) -> DocumentError {
    // Whether something is there affects only the message.
    let isThere = ((try? files.status(path)) ?? nil) != nil
    return isThere
      ? DocumentError(
        .notADocument, "it is not a document: it has no \(fileName)", path: path,
        remedy:
          "name a document; `tributary document create` makes one at a path where nothing is")
      : DocumentError(
        .missing, "there is no document", path: path,
        remedy: "check the path; `tributary document list` shows the documents")
  }

  private static func newer(_ file: String, _ version: Int) -> DocumentError {
    DocumentError(
      .newerFormat, "it has the format version \(version), and this program knows \(current)",
      path: file, remedy: "update Tributary on this device")
  }

  /// Writes the file into a package, which makes it a document.
  func write(intoPackage path: String, using files: some FileSystem) throws(DocumentError) {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let content = PackageMetadata(
      contentName: contentName, contentURL: contentURL, formatVersion: formatVersion,
      attributes: attributes.isEmpty ? nil : attributes)
    do {
      let data = try encoder.encode(content)
      try files.replaceDurably(path.appending(component: Self.fileName), with: Array(data))
    } catch let error as FileError {
      throw DocumentError(error)
    } catch {
      throw DocumentError(
        .damaged, "its attributes cannot be written: \(error)", path: path,
        remedy: "use other attributes", underlying: error)
    }
  }

  private struct Version: Decodable {
    var formatVersion: Int

    enum CodingKeys: String, CodingKey { case formatVersion = "FormatVersion" }
  }
}
