internal import TributaryContainer
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
package import TributarySync

/// What a new document contains.
public enum DocumentContents: Sendable {
  /// What the migrations in the options make; nothing without migrations.
  case empty
  /// A copy of a database, which may itself be a store.
  case database(String)
}

extension Documents {
  /// Makes a document.
  ///
  /// - Parameters:
  ///   - path: the path of the package, in the `Documents` directory of a container or anywhere on this device;
  ///     its directory must exist.
  ///   - progress: called with the progress of the work on its store.
  /// - Throws: `DocumentError`: `exists`, `invalidName`, `nameCollision`, `missing`; what `Engine.attach` throws.
  ///   Nothing is left then.
  package func create(
    at path: String, contents: DocumentContents = .empty,
    options: DocumentOptions = DocumentOptions(), progress: ((Progress) throws -> Void)? = nil
  ) throws -> OpenDocument {
    try heeding(options.cancellation).makeHeeding(path, contents, options, progress)
  }

  private func makeHeeding(
    _ path: String, _ contents: DocumentContents, _ options: DocumentOptions,
    _ progress: ((Progress) throws -> Void)?
  ) throws -> OpenDocument {
    let place = try place(of: path, isNew: true)
    try sweepUnfinished()
    try checkFree(place)
    if let container = place.container { try sweep(container) }
    return try make(place, attachments: nil, options.attributes, progress: progress) { store in
      guard case .database(let source) = contents else { return }
      try StoreCopy(
        source: source, environment: environment, cancellation: options.cancellation,
        progress: progress
      ).make(at: store)
    } options: {
      guard case .database(let source) = contents, try LocalStore.isAttached(at: source) else {
        return options
      }
      return try options.completed(by: StoreSettings(of: source).options)
    }
  }

  /// Checks that a package can be made at a place or moved to it. The place is not reserved until `claim`.
  func checkFree(_ place: DocumentPlace, replacing former: String? = nil) throws {
    let package = place.package
    try checkSurroundings(of: place)
    let parent = package.parentDirectory
    guard try files.status(parent)?.kind == .directory else {
      throw DocumentError(
        .missing, "there is no directory \(parent)", path: package,
        remedy: "make the directory first, or choose another one")
    }
    let name = package.lastPathComponent
    guard try !files.list(parent).contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw Self.taken(package)
    }
    try NameCheck.collision(of: package, replacing: former, using: files)
  }

  /// Makes the empty directory of a package. If several processes make one at the same path, only one
  /// succeeds.
  func claim(_ package: String) throws(DocumentError) {
    do throws(FileError) {
      try files.makeNewDirectory(package)
    } catch {
      guard error.isNotEmpty else { throw DocumentError(error) }
      throw Self.taken(package)
    }
  }

  private static func taken(_ package: String) -> DocumentError {
    DocumentError(
      .exists, "something is there already", path: package, remedy: "choose another name")
  }

  /// Makes a document with a store whose database `fill` may provide.
  ///
  /// Until the package has its metadata, there is no document. `sweepUnfinished` removes what a killed
  /// attempt has left.
  ///
  /// - Parameter attachments: a package whose other files the document gets too.
  func make(
    _ place: DocumentPlace, attachments: String?, _ attributes: [String: String],
    progress: ((Progress) throws -> Void)? = nil, fill: (String) throws -> Void,
    options: () throws -> DocumentOptions
  ) throws -> OpenDocument {
    let contents = try attachments.map { try PackageContents(of: $0, using: files) }
    let name = Self.freshName(for: place.package)
    let container = place.container ?? local.privateContainer(of: name)
    let metadata = DocumentMetadata(
      contentName: name, contentURL: ContentRoot.standard.text, attributes: attributes)
    return try local.locked(name) {
      var record = DocumentRecord(
        contentName: name, contentRoot: metadata.contentURL, container: container,
        package: place.package, attributes: attributes.isEmpty ? nil : attributes,
        isBeingMade: true)
      let document = try local.make(record)
      var isClaimed = false
      do {
        if place.container == nil { try local.files.makeDirectories(container) }
        try fill(document.store)
        let options = try options()
        let report = try Engine.attach(
          request(store: document.store, record, options), environment: environment,
          progress: progress)
        try note(options.formerMigrations, in: document.store)
        // Publishing now saves waiting for the first synchronisation. What cannot be published now is
        // published later.
        _ = try SyncSession(store: document.store, environment: environment).synchronize()
        // From here on, the document exists.
        try options.cancellation?.check()
        try step.run(.makes, place.package) {
          try claim(place.package)
          isClaimed = true
          try contents?.copy(
            to: place.package, using: files, heeding: options.cancellation)
          try metadata.write(intoPackage: place.package, using: files)
        }
        record.isBeingMade = false
        try local.write(record, in: document.directory)
        return OpenDocument(
          package: place.package, metadata: metadata, store: document.store,
          container: place.container, report: report)
      } catch {
        // The next call that makes a document removes what cannot be removed now. The first error is the one
        // to report.
        if isClaimed, !isPackage(place.package, named: name) {
          try? files.removeTree(place.package)
        }
        try? discard(document, withPackage: false)
        throw error
      }
    }
  }

  /// Records that migrations have run in the original of a store.
  private func note(_ migrations: [String], in store: String) throws {
    if migrations.isEmpty { return }
    let connection = try Connection(path: store, mode: .readWrite)
    defer { connection.close() }
    try ForeignCapture.follow(connection) {
      try Migration.writeDown(names: migrations, in: connection)
    }
  }

  /// Removes the parts of a document that does not exist yet. Its content name is new, so no one else has any
  /// of it.
  ///
  /// - Parameter withPackage: whether an empty directory was also made for it at the path of the package.
  private func discard(_ document: LocalDocument, withPackage: Bool) throws {
    let record = document.record
    let isThere = isPackage(record.package, named: record.contentName)
    // Another device may have made a package for the logs.
    if let package = try isThere
      ? record.package : packages(of: record.contentName, in: record.container).first
    {
      // Only the record is missing: the document is complete.
      var whole = record
      whole.package = package
      whole.isBeingMade = false
      try local.write(whole, in: document.directory)
      return
    }
    try files.removeTree(logs(record.contentRoot, record.contentName, in: record.container))
    if record.container == local.privateContainer(of: record.contentName) {
      try local.files.removeTree(record.container)
    }
    try local.files.removeTree(document.directory)
    // An empty package, or one with only the attachments of another document. A package that this attempt did
    // not make stays.
    guard withPackage, try files.status(record.package)?.kind == .directory,
      try files.list(record.package).isEmpty
    else { return }
    try files.remove(record.package)
  }

  /// Whether the document with a content name is at a path.
  func isPackage(_ path: String, named contentName: String) -> Bool {
    // If the metadata cannot be read, it is another document or none.
    (try? DocumentMetadata(ofPackage: path, using: files))?.contentName == contentName
  }

  /// Removes what killed processes have left behind of documents that they were making.
  func sweepUnfinished() throws {
    let unfinished = try local.all().filter(\.record.isBeingMade)
    for document in unfinished {
      // Another process may be about to fill the same directory.
      let isAlone =
        unfinished.count { $0.record.package == document.record.package } == 1
      try local.lockedIfFree(document.record.contentName) {
        for again in try local.all(named: document.record.contentName)
        where again.record.isBeingMade {
          do {
            try discard(again, withPackage: isAlone)
          } catch is FileError {
            // The container cannot be written now, but that must not prevent other documents from being made.
            // The next call tries again.
          }
        }
      }
    }
  }
}
