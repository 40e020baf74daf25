internal import TributaryContainer
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore

// Finding documents when only the path of a package is known, and perhaps not all of the document can be
// reached.
extension Documents {
  /// Returns the path of the store of a document, rebuilding it first if it is not on this device.
  ///
  /// A store on this device is found even while the package is not, because its container is disabled or
  /// absent.
  ///
  /// A name that differs in case or Unicode form counts as the name of the document if only one is similar.
  ///
  /// - Parameters:
  ///   - asItIs: whether the store, if there is one, is wanted even if damaged.
  ///   - makesNone: whether not to make a store that is not on this device.
  ///   - mayBeNew: whether a container may have nothing at the path without this being a failure.
  /// - Returns: `nil` if no document of this device is known to be, or to have been, at the path, or its
  ///   store is not made.
  /// - Throws: what `open` throws; `DocumentError` with `unavailable` if the container is unavailable and
  ///   this device has nothing of the document; with `damaged` for a store that must be rebuilt.
  package func store(
    of written: String, asItIs: Bool = false, makesNone: Bool = false, mayBeNew: Bool = false
  ) throws -> String? {
    // What is made now has the given name.
    let path = mayBeNew ? written : try documentPath(written)
    if Self.isDocument(path) {
      if asItIs, let document = try recorded(path) { return document.store }
      if makesNone { return nil }
      do {
        return try open(path).store
      } catch let error as DocumentError where error.code == .unavailable {
        guard let document = try recorded(path) else { throw error }
        return document.store
      }
    }
    // A file at the path is not a package.
    if ((try? LocalFileSystem().status(path)) ?? nil)?.kind == .file { return nil }
    guard let document = try recorded(path) else {
      // Opening a path that cannot be examined reports why.
      if ((try? LocalFileSystem().status(path)) ?? nil) != nil {
        let file = path.appending(component: DocumentMetadata.fileName)
        let isMarked = ((try? LocalFileSystem().statusOfEntry(file)) ?? nil) != nil
        // Reports what is in place of the metadata.
        if isMarked, !asItIs { _ = try metadata(of: place(of: path)) }
        return nil
      }
      guard try isAmongContainers(path) else { return nil }
      // Reports why, if the container is disabled or absent.
      let place = try place(of: path)
      if place.container == nil || mayBeNew { return nil }
      throw remedied(DocumentMetadata.absent(path, files), place.package)
    }
    try checkNotDeleted(document)
    return document.store
  }

  /// Returns the path of a document as it is spelled on disk; unchanged if there is no document.
  private func documentPath(_ path: String) throws -> String {
    // If the path cannot be examined, checking the names along it reports why.
    if ((try? LocalFileSystem().status(path)) ?? nil) != nil { return path }
    let spelled = try NameCheck.spelled(AbsolutePath.of(path), using: files)
    return Self.isDocument(spelled) ? spelled : path
  }

  /// Returns the document that this device has at a path, or last had there; `nil` if its store is not on
  /// this device.
  func recorded(_ path: String) throws -> LocalDocument? {
    let written = try AbsolutePath.of(path)
    let resolved = try? AbsolutePath.resolved(written.parentDirectory, using: files)
      .appending(component: written.lastPathComponent)
    // The package may be gone, damaged or unavailable. Then this device's record of the path says which store
    // is meant.
    let metadata = try? DocumentMetadata(ofPackage: written, using: files)
    let name = metadata?.contentName
    // A document that was copied with its container has more than one store on this device. The store for the
    // package's container comes first.
    if let metadata, let place = try? place(of: written), let document = try find(metadata, place),
      try !document.record.isBeingMade && local.files.status(document.store) != nil
    {
      return document
    }
    return try local.all().first { document in
      let record = document.record
      // Another device may have renamed the package.
      let isMeant =
        name.map { $0 == record.contentName } ?? [written, resolved].contains(record.package)
      return try isMeant && !record.isBeingMade && local.files.status(document.store) != nil
    }
  }

  private func isAmongContainers(_ path: String) throws(DocumentError) -> Bool {
    let written = try AbsolutePath.of(path)
    return AbsolutePath.relative(written, to: try containers.root()) != nil
      || AbsolutePath.relative(written, to: containers.places.containers) != nil
  }

  private func checkNotDeleted(_ document: LocalDocument) throws {
    let record = document.record
    let tombstones = Tombstones(container: record.container, files: files)
    // An absent container says nothing.
    let isDeleted =
      (try? tombstones.contain(root: record.contentRoot, name: record.contentName)) ?? false
    guard isDeleted else { return }
    try sweep(record.container)
    throw Self.deleted(record.package)
  }

  /// Returns the error of a store whose document was deleted, perhaps on another device; `nil` for every other store.
  package func deletion(ofStore store: String) throws -> DocumentError? {
    let path = try AbsolutePath.of(store)
    guard path.parentDirectory.parentDirectory == local.root,
      let record = try local.all().first(where: { $0.store == path })?.record,
      try Tombstones(container: record.container, files: files)
        .contain(root: record.contentRoot, name: record.contentName)
    else { return nil }
    return Self.deleted(record.package)
  }

  /// Returns an error that names the remedy for a document, if the error is about a damaged store.
  func explained(_ error: any Error, _ path: String) throws -> any Error {
    guard Self.isDamage(error), let document = try recorded(path) else { return error }
    return DocumentError(
      .damaged, "the store of the document is damaged: \(document.store)", path: path,
      remedy: "run `tributary rebuild \(path)`: the logs have what was published",
      underlying: error)
  }

  /// Whether an error says that a file cannot be read as a store.
  static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? SQLiteError { return error.isDamage }
    guard let error = error as? StoreError else { return false }
    return [.damaged, .notADatabase].contains(error.code)
  }
}
