internal import FoundationEssentials
internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

/// The statements in a container that documents were deleted, so that logs and packages that arrive late do
/// not bring the documents back.
///
/// Each is a file that is written once, by one writer, in `deleted/<content root>/<content name>/`.
struct Tombstones {
  let container: String
  let files: any FileSystem

  /// The directory in the container.
  static let directoryName = "deleted"
  private static let limit = 16 << 20

  /// A statement that a document was deleted.
  struct Tombstone: Codable {
    var formatVersion = 1
    var contentName: String
    var contentURL: String
    /// What the deleting device knew of the document, by the identities of the writers.
    var knowledge: [String: UInt64]
  }

  private func directory(_ root: String, _ name: String) -> String {
    container.appending(component: Self.directoryName).appending(component: root)
      .appending(component: name)
  }

  /// Whether a document was deleted.
  func contain(_ metadata: DocumentMetadata) throws(FileError) -> Bool {
    try contain(root: metadata.contentURL, name: metadata.contentName)
  }

  func contain(root: String, name: String) throws(FileError) -> Bool {
    try !statements(root, name).isEmpty
  }

  /// Returns the statements about a document. A file that has not arrived completely, or names a document
  /// other than its directories do, is ignored: it must not cause any logs to be removed.
  private func statements(_ root: String, _ name: String) throws(FileError) -> [Tombstone] {
    let directory = directory(root, name)
    guard try files.status(directory)?.kind == .directory else { return [] }
    var found: [Tombstone] = []
    for entry in try files.listIfPresent(directory)
    where entry.isExact && entry.name.hasSuffix(".json") {
      let bytes: [UInt8]
      do {
        bytes = try files.read(directory.appending(component: entry.name), limit: Self.limit)
      } catch {
        // An absent mount says nothing about any of them.
        if error.isUnresponsive { throw error }
        continue
      }
      guard let tombstone = try? JSONDecoder().decode(Tombstone.self, from: Data(bytes)),
        tombstone.contentURL.utf8.elementsEqual(root.utf8),
        tombstone.contentName.utf8.elementsEqual(name.utf8)
      else { continue }
      found.append(tombstone)
    }
    return found
  }

  /// States that a document was deleted.
  func add(_ metadata: DocumentMetadata, knowledge: Knowledge) throws(DocumentError) {
    let tombstone = Tombstone(
      contentName: metadata.contentName, contentURL: metadata.contentURL,
      knowledge: Dictionary(
        knowledge.entries.map { ($0.peer.description, $0.sequence.rawValue) },
        uniquingKeysWith: max))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var generator = SystemRandomNumberGenerator()
    let writer = generator.next().lowerHex + generator.next().lowerHex
    let directory = directory(metadata.contentURL, metadata.contentName)
    do {
      try files.makeDirectories(directory)
      try files.replaceDurably(
        directory.appending(component: "\(writer).json"), with: Array(encoder.encode(tombstone)))
    } catch let error as FileError {
      throw DocumentError(error)
    } catch {
      preconditionFailure("text can be encoded: \(error)")
    }
  }

  /// Returns the combined knowledge of all devices that have deleted a document.
  func knowledge(root: String, name: String) throws(FileError) -> [String: UInt64] {
    var known: [String: UInt64] = [:]
    for statement in try statements(root, name) {
      known.merge(statement.knowledge, uniquingKeysWith: max)
    }
    return known
  }

  /// Returns the content roots and names of all deleted documents.
  func all() throws(FileError) -> [(root: String, name: String)] {
    let top = container.appending(component: Self.directoryName)
    guard try files.status(top)?.kind == .directory else { return [] }
    var found: [(root: String, name: String)] = []
    for root in try files.list(top) where root.kind == .directory && root.isExact {
      // Otherwise, something else has put it there, and what it names are not logs.
      guard let checked = try? ContentRoot(root.name), checked.isOfDocuments else { continue }
      for name in try files.list(top.appending(component: root.name))
      where name.kind == .directory && name.isExact {
        guard (try? ContentName(name.name)) != nil, try contain(root: root.name, name: name.name)
        else { continue }
        found.append((root.name, name.name))
      }
    }
    return found
  }
}
