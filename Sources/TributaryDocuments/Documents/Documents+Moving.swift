internal import TributaryContainer
internal import TributaryFiles
internal import TributaryStore
internal import TributarySync

extension Documents {
  /// Moves a document: renames it, or moves it into a container, out of one, or from one into another.
  ///
  /// Its store, its history and its conflicts move with it. If it leaves a container, it is deleted on the
  /// other devices of that container.
  ///
  /// - Throws: `DocumentError`; `exists`, `nameCollision` and `invalidName` for the new path;
  ///   `CancellationError`. The document is then where it was.
  /// - Returns: the path of the package, without links.
  @discardableResult
  package func move(_ path: String, to newPath: String) throws -> String {
    let place = try place(of: path)
    let metadata = try metadata(of: place)
    // If a carrier has put aside the metadata of another document there, that document stays.
    if let container = place.container { try part(place.package, in: container) }
    let target = try self.place(of: newPath, isNew: true)
    if target == place { return place.package }
    if target.container == place.container {
      try rename(metadata, place, target)
    } else {
      try transplant(metadata, place, target)
    }
    return target.package
  }

  private func rename(
    _ metadata: DocumentMetadata, _ place: DocumentPlace, _ target: DocumentPlace
  ) throws {
    guard AbsolutePath.relative(target.package, to: place.package) == nil else {
      throw DocumentError(
        .invalidName, "a document cannot be moved into itself", path: target.package,
        remedy: "choose another directory")
    }
    let isSameDirectory = target.package.parentDirectory == place.package.parentDirectory
    let name = place.package.lastPathComponent
    // If only case or Unicode form differs, both names may lead to the same directory.
    let isSameName = isSameDirectory && NameRule.collide(name, target.package.lastPathComponent)
    // Checked before presenters make way for the move, and again afterwards.
    try checkFree(target, replacing: isSameDirectory ? name : nil)
    try step.run(.moves(to: target.package), place.package) {
      try local.locked(metadata.contentName) {
        try checkFree(target, replacing: isSameDirectory ? name : nil)
        if !isSameName { try claim(target.package) }
        do throws(FileError) {
          try files.rename(place.package, to: target.package)
        } catch {
          // It is empty, no longer there, or filled by another process.
          if !isSameName { try? files.remove(target.package) }
          throw DocumentError(error)
        }
        try files.synchronizeDirectory(target.package.parentDirectory)
        if !isSameDirectory { try files.synchronizeDirectory(place.package.parentDirectory) }
        try note(metadata, at: target.package)
      }
    }
  }

  /// Moves a document to another container, from this device alone into a container, or out of a container to
  /// this device alone.
  ///
  /// If the process is killed in between, the document is at both places, complete at each.
  private func transplant(
    _ metadata: DocumentMetadata, _ place: DocumentPlace, _ target: DocumentPlace
  ) throws {
    // Rebuilt on this device first, if necessary: from here on, this device is responsible for it.
    let open = try self.open(place.package, options: heedful)
    try checkFree(target)
    let contents = try PackageContents(of: place.package, using: files)
    if let container = target.container { try sweep(container) }
    // This waits for presenters first, since the owner of the lock must not wait for anyone.
    try step.run(.moves(to: target.package), place.package) {
      try local.locked(metadata.contentName) {
        try transplant(metadata, place, target, contents, open.store)
      }
    }
    // The document has moved, and an error here would say otherwise. The next synchronisation publishes what
    // this one cannot, and reports why.
    _ = try? SyncSession(store: open.store, environment: environment).synchronize()
  }

  /// Moves a locked document.
  private func transplant(
    _ metadata: DocumentMetadata, _ place: DocumentPlace, _ target: DocumentPlace,
    _ contents: PackageContents, _ store: String
  ) throws {
    guard let document = try present(metadata, place) else {
      throw DocumentError(
        .missing, "another process has moved or deleted the document", path: place.package,
        remedy: "look where it is now")
    }
    try takeStock(store, leavingContainer: place.container != nil)
    let container = target.container ?? local.privateContainer(of: metadata.contentName)
    let root = try freeRoot(for: metadata, in: container)
    let moved = DocumentMetadata(
      contentName: metadata.contentName, contentURL: root, attributes: metadata.attributes)
    if target.container == nil { try local.files.makeDirectories(container) }
    let source = logs(metadata.contentURL, metadata.contentName, in: document.record.container)
    let goal = logs(root, metadata.contentName, in: container)
    var record = document.record
    record.container = container
    record.contentRoot = root
    record.package = target.package
    var isClaimed = false
    do {
      try copyLogs(source, to: goal)
      try claim(target.package)
      isClaimed = true
      try contents.copy(to: target.package, using: files, heeding: local.cancellation)
      // Files that were added meanwhile must not vanish with the old package.
      try PackageContents(of: place.package, using: files).subtracting(contents)
        .copy(to: target.package, using: files, heeding: local.cancellation)
      try moved.write(intoPackage: target.package, using: files)
      _ = try Engine.attach(
        request(store: document.store, record, heedful), environment: environment)
      // From here on, the move cannot be cancelled.
      try local.write(record, in: document.directory)
    } catch {
      withdraw(isClaimed ? target : nil, goal, document)
      throw error
    }
    let result = Result { try delete(metadata, place, keepingStore: true) }
    if place.container == nil {
      try local.files.removeTree(local.privateContainer(of: metadata.contentName))
    }
    try result.get()
  }

  /// Brings a store up to date before it leaves its container.
  private func takeStock(_ store: String, leavingContainer: Bool) throws {
    let session = try SyncSession(store: store, environment: environment)
    defer { session.store.close() }
    let report = try synchronize(session)
    if let failure = report.failure { throw failure }
    guard leavingContainer, !report.waiting.isEmpty || !report.damaged.isEmpty else { return }
    throw DocumentError(
      .wouldLose, "not everything that others have written has arrived", path: store,
      remedy:
        "wait for the carrier, then move the document; `tributary doctor` says what is missing")
  }

  /// Returns a content root of a container in which the document neither is nor was deleted.
  private func freeRoot(for metadata: DocumentMetadata, in container: String) throws -> String {
    let tombstones = Tombstones(container: container, files: files)
    for number in 1... {
      let root = ContentRoot.textForDocuments(number)
      if try !tombstones.contain(root: root, name: metadata.contentName),
        try files.status(logs(root, metadata.contentName, in: container)) == nil
      {
        return root
      }
    }
    preconditionFailure("there are numbers enough")
  }

  /// Undoes an attempt to move a document. Whatever fails here is done by the next opening.
  ///
  /// - Parameter target: `nil` if the directory of the new package does not belong to this process.
  private func withdraw(_ target: DocumentPlace?, _ logs: String, _ document: LocalDocument) {
    // The caller gets the error that stopped the move, so further errors are dropped here: the next opening takes the
    // store back to its logs if this attempt fails (`takeBack`), and writes the record.
    if let identity = try? identity(of: document.store),
      identity.container != document.record.container
    {
      _ = try? Engine.attach(
        request(store: document.store, document.record, DocumentOptions()),
        environment: environment)
    }
    _ = try? local.write(document.record, in: document.directory)
    // If this cannot be removed, it is either a complete document or none.
    if let target {
      try? files.remove(target.package.appending(component: DocumentMetadata.fileName))
      try? files.removeTree(target.package)
    }
    try? files.removeTree(logs)
  }

  func identity(of store: String) throws -> StoreIdentity {
    let clock = environment.clock
    let store = try LocalStore(path: store, milliseconds: { clock.milliseconds() })
    defer { store.close() }
    return try store.identity()
  }

  /// Makes another document with the same contents, which is independent from then on.
  ///
  /// - Throws: `DocumentError`, as `move` does; `CancellationError`. Nothing is left then.
  /// - Returns: the new document.
  @discardableResult
  package func duplicate(_ path: String, to newPath: String) throws -> OpenDocument {
    let original = try open(path, options: heedful)
    let target = try place(of: newPath, isNew: true)
    try sweepUnfinished()
    try checkFree(target)
    if let container = target.container { try sweep(container) }
    let settings = try StoreSettings(of: original.store)
    return try make(
      target, attachments: original.package, original.metadata.attributes,
      fill: { store in
        try StoreCopy(
          source: original.store, environment: environment, cancellation: local.cancellation
        ).make(at: store)
      },
      options: {
        var options = settings.options
        options.cancellation = local.cancellation
        return options
      })
  }

  /// Options that change nothing, for work that is cancelled with the rest.
  private var heedful: DocumentOptions {
    var options = DocumentOptions()
    options.cancellation = local.cancellation
    return options
  }
}
