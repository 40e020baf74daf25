internal import TributaryContainer
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore

// Where only the path of a package is known, and perhaps not all of the document can be reached.
extension Documents {
  /// Returns the path of the store of a document, which is rebuilt first if it is not here.
  ///
  /// A store that is here is found also while the package is not: while its container is disabled or away.
  ///
  /// A name in other letters counts as that of the document, where no more than one is alike.
  ///
  /// - Parameters:
  ///   - asItIs: whether the store, if there is one, is wanted even if it is damaged.
  ///   - makesNone: whether a store that is not here stays away.
  ///   - mayBeNew: whether it is no failure that a container has nothing at the path.
  /// - Returns: `nil` if no document of this device is known to be, or to have been, at the path, or its store stays away.
  /// - Throws: what `open` throws; `DocumentError` with `unavailable` if the container is, and nothing of the
  ///   document is here; with `damaged` for a store that must be rebuilt.
  package func store(
    of written: String, asItIs: Bool = false, makesNone: Bool = false, mayBeNew: Bool = false
  ) throws -> String? {
    // What is made now has the name that was given.
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
    // A file that is there is no package.
    if ((try? LocalFileSystem().status(path)) ?? nil)?.kind == .file { return nil }
    guard let document = try recorded(path) else {
      // Opening a path that cannot be looked at says why.
      if ((try? LocalFileSystem().status(path)) ?? nil) != nil {
        let file = path.appending(component: DocumentMetadata.fileName)
        let isMarked = ((try? LocalFileSystem().statusOfEntry(file)) ?? nil) != nil
        // Says what is in the place of the metadata.
        if isMarked, !asItIs { _ = try metadata(of: place(of: path)) }
        return nil
      }
      guard try isAmongContainers(path) else { return nil }
      // Says why, if the container is disabled or away.
      let place = try place(of: path)
      if place.container == nil || mayBeNew { return nil }
      throw remedied(DocumentMetadata.absent(path, files), place.package)
    }
    try checkNotDeleted(document)
    return document.store
  }

  /// Returns the path of a document as it is spelled on disk; unchanged where that is no document.
  private func documentPath(_ path: String) throws -> String {
    // If it cannot be looked at, the names on its way say why.
    if ((try? LocalFileSystem().status(path)) ?? nil) != nil { return path }
    let spelled = try NameCheck.spelled(AbsolutePath.of(path), using: files)
    return Self.isDocument(spelled) ? spelled : path
  }

  /// Returns the document that this device has at a path, or last had there; `nil` if its store is not here.
  func recorded(_ path: String) throws -> LocalDocument? {
    let written = try AbsolutePath.of(path)
    let resolved = try? AbsolutePath.resolved(written.parentDirectory, using: files)
      .appending(component: written.lastPathComponent)
    // The package may be gone, damaged or away: then what this device has recorded of the path says which store is meant.
    let metadata = try? DocumentMetadata(ofPackage: written, using: files)
    let name = metadata?.contentName
    // One that was copied with its container has more than one store here: that of the package's container comes first.
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
    // A container that is away says nothing.
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

  /// Returns an error that names the remedy for a document, if it is that of a damaged store.
  func explained(_ error: any Error, _ path: String) throws -> any Error {
    guard Self.isDamage(error), let document = try recorded(path) else { return error }
    return DocumentError(
      .damaged, "the store of the document is damaged: \(document.store)", path: path,
      remedy: "run `tributary rebuild \(path)`: the logs have what was published",
      underlying: error)
  }

  /// Whether an error says that a store cannot be read as one.
  static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? SQLiteError { return error.isDamage }
    guard let error = error as? StoreError else { return false }
    return [.damaged, .notADatabase].contains(error.code)
  }
}
