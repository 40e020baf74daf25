internal import FoundationEssentials
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore

/// What a device keeps for one document: a directory with the store, and a record of where the document is.
struct DocumentRecord: Codable, Equatable {
  var contentName: String
  var contentRoot: String
  /// The container of the logs. For a document that is only on this device, it is a directory of its own.
  var container: String
  /// Where the package was last seen.
  var package: String
  /// Where other packages of the document were seen, which are copies that a user has made by hand; `nil` if
  /// there were none.
  var copies: [String]?
  /// What the document says about itself, so that it can be searched for.
  var attributes: [String: String]?
  /// Whether the document is not complete yet. A process that finds it like this, with no other process
  /// working on it, removes it.
  var isBeingMade = false
}

/// The directory of a document on this device.
struct LocalDocument {
  let directory: String
  let record: DocumentRecord

  static let storeName = "store.sqlite"
  /// The suffix, perhaps followed by a number, of a store that was put aside when it was recreated.
  static let aside = "-before-rebuilding"

  /// The path of the store.
  var store: String { directory.appending(component: Self.storeName) }
}

/// The documents whose stores this device has.
struct LocalDocuments {
  let data: String
  let files: any FileSystem
  /// Cancels waiting for locks; `nil` if that cannot be cancelled.
  var cancellation: Cancellation?

  private static let recordName = "document.json"
  private static let limit = 1 << 20
  /// The longest time that making, moving or deleting a document may take before others give up on it.
  private static let lockLimit = Duration.seconds(60)

  /// The directory that has a directory for each document.
  var root: String { data.appending(component: "documents") }
  /// The directory for the logs of documents that are in no container.
  var privateContainers: String { data.appending(component: "local") }
  /// The directory for stores whose documents other devices have deleted.
  var removed: String { data.appending(component: "removed") }

  func privateContainer(of contentName: String) -> String {
    privateContainers.appending(component: contentName)
  }

  /// Returns all documents, except those whose records cannot be read.
  func all() throws(FileError) -> [LocalDocument] {
    guard try files.status(root) != nil else { return [] }
    // An unreadable record does not affect other documents. Opening that document reports it.
    return try files.list(root).filter { $0.kind == .directory && $0.isExact }
      .compactMap { (try? read(root.appending(component: $0.name)))?.flatMap(\.self) }
  }

  /// Returns the documents with a content name: more than one if it is in several containers.
  ///
  /// - Throws: `FileError` for a record that cannot be read now: its store must not be treated as missing.
  func all(named contentName: String) throws(FileError) -> [LocalDocument] {
    var found: [LocalDocument] = []
    for number in try numbers(of: contentName) {
      let directory = directory(contentName, number)
      if let document = try read(directory) ?? recovered(directory, contentName) {
        found.append(document)
      }
    }
    return found
  }

  /// Returns the first document with a content name that satisfies the condition.
  ///
  /// - Complexity: usually reads one file; if that is not the right document, lists all documents.
  func first(
    named contentName: String, where isMeant: (LocalDocument) -> Bool
  ) throws(FileError) -> LocalDocument? {
    if let document = try read(directory(contentName, 1)), isMeant(document) { return document }
    return try all(named: contentName).first(where: isMeant)
  }

  /// Returns the numbers of the directories for a content name, in ascending order. Numbers may be missing,
  /// because the document in that container was deleted.
  private func numbers(of contentName: String) throws(FileError) -> [Int] {
    guard try files.status(root) != nil else { return [] }
    return try files.list(root).compactMap { entry in
      guard entry.kind == .directory, entry.isExact, entry.name.hasPrefix(contentName) else {
        return nil
      }
      let rest = entry.name.dropFirst(contentName.count)
      if rest.isEmpty { return 1 }
      guard rest.first == ".", let number = Int(rest.dropFirst()) else { return nil }
      return entry.name == directory(contentName, number).lastPathComponent ? number : nil
    }.sorted()
  }

  /// Makes a directory for a document.
  func make(_ record: DocumentRecord) throws(DocumentError) -> LocalDocument {
    do {
      var number = 1
      while try files.status(directory(record.contentName, number)) != nil {
        let directory = directory(record.contentName, number)
        // A directory whose record was never written belongs to no document, unless there is a store in it.
        if try read(directory) == nil, try !hasStore(directory) {
          try files.removeTree(directory)
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

  /// Whether a directory has a store, or one that was put aside.
  private func hasStore(_ directory: String) throws(FileError) -> Bool {
    try files.list(directory).contains {
      $0.name.hasPrefix(LocalDocument.storeName) && !$0.name.contains("-tributary-")
    }
  }

  /// Whether a store of a document was put aside when it was rebuilt from the logs.
  func hasStoreAside(_ document: LocalDocument) throws(FileError) -> Bool {
    try files.list(document.directory).contains {
      $0.name.hasPrefix(LocalDocument.storeName + LocalDocument.aside)
    }
  }

  /// Replaces the record of a document.
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

  /// Runs `body` while no other process makes, moves or deletes a document with this content name.
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
        remedy: "wait until it is done, then try again")
    }
    let result = Swift.Result { try body() }
    lock.removeAndRelease()
    return try result.get()
  }

  /// Runs `body` as `locked` does, unless another process holds the lock.
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

  /// Reads the record of a document.
  ///
  /// - Returns: `nil` if there is none, or it does not say what it should.
  /// - Throws: `FileError` if it cannot be read now.
  private func read(_ directory: String) throws(FileError) -> LocalDocument? {
    let bytes: [UInt8]
    do {
      bytes = try files.read(directory.appending(component: Self.recordName), limit: Self.limit)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    // What is wrong with the record does not matter: the store says the same, or is kept as it is.
    guard let record = try? JSONDecoder().decode(DocumentRecord.self, from: Data(bytes)) else {
      return nil
    }
    return LocalDocument(directory: directory, record: record)
  }

  /// Returns a document whose record is lost, based on what its store says; `nil` if no store says so.
  private func recovered(_ directory: String, _ contentName: String) -> LocalDocument? {
    let store = directory.appending(component: LocalDocument.storeName)
    // A store that cannot be read stays where it is, and the document gets another one beside it.
    guard ((try? files.status(store)) ?? nil) != nil,
      let connection = try? Connection(path: store, mode: .readWrite)
    else { return nil }
    defer { connection.close() }
    guard (try? Settings.exist(in: connection)) ?? false,
      let identity = try? Settings(connection).identity(), identity.contentName == contentName
    else { return nil }
    // The next opening records where the package is.
    let record = DocumentRecord(
      contentName: contentName, contentRoot: identity.contentRoot, container: identity.container,
      package: directory)
    return LocalDocument(directory: directory, record: record)
  }
}
