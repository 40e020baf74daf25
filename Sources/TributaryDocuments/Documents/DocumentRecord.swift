internal import FoundationEssentials
internal import TributaryFiles
internal import TributarySQLite

/// What a device keeps of one document: a directory with the store, and a record of where the document is.
struct DocumentRecord: Codable, Equatable {
  var contentName: String
  var contentRoot: String
  /// The container of the logs: for a document of this device alone, a directory of its own.
  var container: String
  /// Where the package was last seen.
  var package: String
  /// Where other packages of the document were seen: copies that somebody has made by hand; `nil` if there were none.
  var copies: [String]?
  /// What the document says of itself for those who search for it.
  var attributes: [String: String]?
  /// Whether the document is not whole yet: whoever finds it like this, and nobody at work, removes it.
  var isBeingMade = false
}

/// The directory of a document on this device.
struct LocalDocument {
  let directory: String
  let record: DocumentRecord

  /// The path of the store.
  var store: String { directory.appending(component: "store.sqlite") }
}

/// The documents of which this device has a store.
struct LocalDocuments {
  let data: String
  let files: any FileSystem
  /// Ends waiting for locks; `nil` if nobody can.
  var cancellation: Cancellation?

  private static let recordName = "document.json"
  private static let limit = 1 << 20
  /// The longest time that making, moving or deleting a document may take before others give up on it.
  private static let lockLimit = Duration.seconds(60)

  /// The directory with a directory for each document.
  var root: String { data.appending(component: "documents") }
  /// The directory of logs of documents that are in no container.
  var privateContainers: String { data.appending(component: "local") }
  /// The directory for stores whose documents others have deleted.
  var removed: String { data.appending(component: "removed") }

  func privateContainer(of contentName: String) -> String {
    privateContainers.appending(component: contentName)
  }

  /// Returns all of them; those whose records cannot be read are left out.
  func all() throws(FileError) -> [LocalDocument] {
    guard try files.status(root) != nil else { return [] }
    return try files.list(root).filter { $0.kind == .directory && $0.isExact }
      .compactMap { read(root.appending(component: $0.name)) }
  }

  /// Returns the documents of a content name: more than one where it is in several containers.
  func all(named contentName: String) throws(FileError) -> [LocalDocument] {
    var found: [LocalDocument] = []
    for number in 1... {
      let directory = directory(contentName, number)
      guard try files.status(directory) != nil else { return found }
      if let document = read(directory) { found.append(document) }
    }
    return found
  }

  /// Makes a directory for a document.
  func make(_ record: DocumentRecord) throws(DocumentError) -> LocalDocument {
    do {
      var number = 1
      while try files.status(directory(record.contentName, number)) != nil {
        // One whose record was never written belongs to nobody.
        if read(directory(record.contentName, number)) == nil {
          try files.removeTree(directory(record.contentName, number))
          break
        }
        number += 1
      }
      let directory = directory(record.contentName, number)
      try files.makeDirectories(directory)
      return try write(record, in: directory)
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Records something else about a document.
  @discardableResult
  func write(_ record: DocumentRecord, in directory: String) throws(DocumentError) -> LocalDocument
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      try files.replaceDurably(
        directory.appending(component: Self.recordName), with: Array(encoder.encode(record)))
    } catch let error as FileError {
      throw DocumentError(error)
    } catch {
      preconditionFailure("text can be encoded: \(error)")
    }
    return LocalDocument(directory: directory, record: record)
  }

  /// Runs `body` while no other process makes, moves or deletes a document of this content name.
  func locked<Result>(_ contentName: String, _ body: () throws -> Result) throws -> Result {
    try files.makeDirectories(root)
    let path = root.appending(component: contentName + ".lock")
    guard
      let lock = try FileLock.makeAndTake(
        path, within: Self.lockLimit, unless: { cancellation?.isCancelled ?? false })
    else {
      try cancellation?.check()
      throw DocumentError(
        .inaccessible, "another process is making, moving or deleting the document", path: path,
        remedy: "wait until that one is done, then try again")
    }
    let result = Swift.Result { try body() }
    lock.removeAndRelease()
    return try result.get()
  }

  /// Runs `body` as `locked` does, unless another process is at work.
  func lockedIfFree(_ contentName: String, _ body: () throws -> Void) throws {
    try files.makeDirectories(root)
    let path = root.appending(component: contentName + ".lock")
    guard let lock = try FileLock.makeAndTake(path, within: .zero) else { return }
    let result = Swift.Result { try body() }
    lock.removeAndRelease()
    try result.get()
  }

  private func directory(_ contentName: String, _ number: Int) -> String {
    root.appending(component: number == 1 ? contentName : "\(contentName).\(number)")
  }

  private func read(_ directory: String) -> LocalDocument? {
    let path = directory.appending(component: Self.recordName)
    // Without a record, there is no document: it is written first.
    guard let bytes = try? files.read(path, limit: Self.limit),
      let record = try? JSONDecoder().decode(DocumentRecord.self, from: Data(bytes))
    else { return nil }
    return LocalDocument(directory: directory, record: record)
  }
}
