internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
package import TributarySync

extension Documents {
  /// Makes sure that the store of a document is on this device, rebuilding it from the logs if it is not.
  ///
  /// - Parameter path: the path of the package.
  /// - Throws: `DocumentError`: `missing` and `notADocument` if there is none, `deleted` if it was deleted here or
  ///   elsewhere, `unavailable` if its logs have not arrived, `damaged` if its store must be rebuilt; what `Engine.attach` throws.
  package func open(
    _ path: String, options: DocumentOptions = DocumentOptions(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> OpenDocument {
    do {
      return try heeding(options.cancellation).openHeeding(path, options, progress)
    } catch {
      throw try explained(error, path)
    }
  }

  private func openHeeding(
    _ path: String, _ options: DocumentOptions, _ progress: ((Progress) throws -> Void)?
  ) throws -> OpenDocument {
    let place = try place(of: path)
    let metadata = try metadata(of: place)
    if let container = place.container,
      try Tombstones(container: container, files: files).contain(metadata)
    {
      try sweep(container)
      throw Self.deleted(place.package)
    }
    if let container = place.container { try part(place.package, in: container) }
    if options.asksNothing, let document = try present(metadata, place) {
      try takeBack(document, metadata, place)
      if document.record.package != place.package { try note(metadata, at: place.package) }
      return OpenDocument(
        package: place.package, metadata: metadata, store: document.store,
        container: place.container, report: nil)
    }
    return try local.locked(metadata.contentName) {
      let (store, report) = try attach(metadata, place, options, progress)
      return OpenDocument(
        package: place.package, metadata: metadata, store: store, container: place.container,
        report: report)
    }
  }

  /// Reattaches a store to the logs of its document, if a failed move took it elsewhere and could not take it
  /// back, for example because the disk was full.
  private func takeBack(
    _ document: LocalDocument, _ metadata: DocumentMetadata, _ place: DocumentPlace
  ) throws {
    guard try isAway(document) else { return }
    try local.locked(metadata.contentName) {
      // Unless another process has done this meanwhile, or has moved the document.
      guard let document = try present(metadata, place), try isAway(document) else { return }
      _ = try Engine.attach(
        request(store: document.store, document.record, DocumentOptions()),
        environment: environment)
    }
  }

  /// Whether a store is attached to a place other than its document says.
  private func isAway(_ document: LocalDocument) throws -> Bool {
    let identity = try identity(of: document.store)
    return identity.container != document.record.container
      || identity.contentRoot != document.record.contentRoot
  }

  static func deleted(_ package: String) -> DocumentError {
    DocumentError(
      .deleted, "the document was deleted, perhaps on another device", path: package,
      remedy:
        "what only this device had written is kept in the directory \"removed\" beside the stores")
  }

  /// Returns the document on this device, if its store is on this device and belongs to the package's
  /// container.
  func present(_ metadata: DocumentMetadata, _ place: DocumentPlace) throws -> LocalDocument? {
    guard let document = try find(metadata, place),
      document.record.container == container(of: metadata, place),
      document.record.contentRoot == metadata.contentURL,
      !document.record.isBeingMade, try local.files.status(document.store) != nil,
      try LocalStore.isAttached(at: document.store)
    else { return nil }
    return document
  }

  /// Returns the directory that the logs are in, or should be in.
  private func container(of metadata: DocumentMetadata, _ place: DocumentPlace) -> String {
    if let container = place.container { return container }
    let own = local.privateContainer(of: metadata.contentName)
    // A package that was moved out of its container by hand still belongs to it.
    let isOwn = (try? local.files.status(own)) ?? nil != nil
    if isOwn { return own }
    let documents = (try? local.all(named: metadata.contentName)) ?? []
    return documents.first { $0.record.contentRoot == metadata.contentURL }?.record.container ?? own
  }

  /// Returns what this device has of a document: in its container, or else in a container that is gone, or in
  /// none.
  func find(_ metadata: DocumentMetadata, _ place: DocumentPlace) throws -> LocalDocument? {
    let container = container(of: metadata, place)
    let same = try local.first(named: metadata.contentName) {
      $0.record.contentRoot == metadata.contentURL && $0.record.container == container
    }
    if let same { return same }
    let own = local.privateContainer(of: metadata.contentName)
    return try local.all(named: metadata.contentName).first { document in
      // In the same container, it belongs to a document that has left it or was deleted there.
      if document.record.container == container { return false }
      let logs = logs(
        document.record.contentRoot, metadata.contentName, in: document.record.container)
      return try document.record.container == own || files.status(logs) == nil
    }
  }

  /// Attaches the store of a document. The document is locked.
  private func attach(
    _ metadata: DocumentMetadata, _ place: DocumentPlace, _ options: DocumentOptions,
    _ progress: ((Progress) throws -> Void)?
  ) throws -> (store: String, report: AttachReport) {
    let container = container(of: metadata, place)
    var record = DocumentRecord(
      contentName: metadata.contentName, contentRoot: metadata.contentURL, container: container,
      package: place.package,
      attributes: metadata.attributes.isEmpty ? nil : metadata.attributes)
    var document = try find(metadata, place)
    if let document { record.copies = copies(of: document.record, besides: place.package) }
    try options.cancellation?.check()
    if let found = document, found.record.container != container {
      document = try bringAlong(found, to: record, heeding: options.cancellation)
    }
    let isHere = try document.map { try local.files.status($0.store) != nil } ?? false
    if !isHere { try checkLogs(metadata, in: container, place.package) }
    let target = try document ?? local.make(record)
    record.isBeingMade = false
    if target.record != record { try local.write(record, in: target.directory) }
    do {
      let request = request(store: target.store, record, options)
      let report = try Engine.attach(request, environment: environment, progress: progress)
      return (target.store, report)
    } catch {
      // Without a store, there is no document on this device. What cannot be examined or removed now is left
      // to the next opening.
      if document == nil, (try? local.files.status(target.store) == nil) ?? false {
        try? local.files.removeTree(target.directory)
      }
      throw error
    }
  }

  /// Brings along a store whose container has moved, or whose package was moved into a container by hand.
  ///
  /// - Returns: `nil` if the store does not belong to the logs that are there.
  private func bringAlong(
    _ document: LocalDocument, to record: DocumentRecord, heeding cancellation: Cancellation?
  ) throws -> LocalDocument? {
    let target = logs(record.contentRoot, record.contentName, in: record.container)
    let isNew = try files.status(target) == nil
    do {
      return try bringAlong(document, to: record, logs: target, cancellation)
    } catch {
      // Unless the store has already moved there, nothing is left of a cancelled attempt. What cannot be
      // determined or removed now is left to the next opening.
      if isNew, cancellation?.isCancelled ?? false,
        (try? identity(of: document.store))?.container == document.record.container
      {
        try? files.removeTree(target)
      }
      throw error
    }
  }

  private func bringAlong(
    _ document: LocalDocument, to record: DocumentRecord, logs target: String,
    _ cancellation: Cancellation?
  ) throws -> LocalDocument? {
    let former = document.record
    if former.container == local.privateContainer(of: former.contentName) {
      // Again, if an attempt was interrupted.
      let source = logs(former.contentRoot, former.contentName, in: former.container)
      try copyLogs(source, to: target)
    }
    do {
      var options = DocumentOptions()
      options.cancellation = cancellation
      let request = request(store: document.store, record, options)
      _ = try Engine.attach(request, environment: environment)
    } catch let error as SyncError where error.code == .differentlyAttached {
      return nil
    }
    let moved = try local.write(record, in: document.directory)
    if former.container == local.privateContainer(of: former.contentName) {
      try local.files.removeTree(former.container)
    }
    return moved
  }

  func request(
    store: String, _ record: DocumentRecord, _ options: DocumentOptions
  ) -> AttachRequest {
    var request = AttachRequest(
      store: store, container: record.container, contentName: record.contentName)
    request.contentRoot = record.contentRoot
    request.migrations = options.migrations
    request.merge = options.merge
    request.tables = options.tables
    request.capture = options.capture
    request.defaultCapture = options.defaultCapture
    request.followsSchema = options.followsSchema
    request.followsSchemaByDefault = options.followsSchemaByDefault
    request.peerName = options.peerName
    request.cancellation = options.cancellation
    return request
  }

  /// Checks that logs have arrived from which the store can be rebuilt. Without any, an empty document would
  /// take its place.
  private func checkLogs(
    _ metadata: DocumentMetadata, in container: String, _ package: String
  ) throws {
    let peers = logs(metadata.contentURL, metadata.contentName, in: container)
      .appending(component: "peers")
    if try hasLogs(peers) { return }
    let isOwn = container == local.privateContainer(of: metadata.contentName)
    throw DocumentError(
      .unavailable,
      isOwn
        ? "the document is in no container, and its store is not on this device"
        : "none of the document's logs have arrived", path: package,
      remedy: isOwn
        ? "open it on the device where it was made, and move it into a container there"
        : "wait for the carrier to bring \(peers)")
  }

  /// Whether a directory of peers has anything from which a store can be made: a segment, a baseline, or the
  /// statement of a peer that it has written nothing. What others have written may not have arrived yet.
  func hasLogs(_ peers: String) throws -> Bool {
    guard try files.status(peers)?.kind == .directory else { return false }
    for entry in try files.list(peers) {
      guard let peer = PeerIdentity(hex: entry.name) else { continue }
      let path = peers.appending(component: entry.name)
      guard try files.status(path.appending(component: PeerManifest.fileName)) != nil else {
        continue
      }
      if try hasFiles(path) || hasWrittenNothing(peer, in: peers.parentDirectory) { return true }
    }
    return false
  }

  /// Whether a peer's directory has a segment or a baseline.
  private func hasFiles(_ path: String) throws -> Bool {
    for directory in ["log", "baseline"].map({ path.appending(component: $0) }) {
      guard try files.status(directory)?.kind == .directory else { continue }
      for entry in try files.list(directory)
      where SegmentName(entry.name) != nil || BaselineName(entry.name) != nil {
        return true
      }
    }
    return false
  }

  /// Whether a peer states that it has written nothing, and has not removed its logs.
  private func hasWrittenNothing(_ peer: PeerIdentity, in content: String) throws -> Bool {
    let root = content.parentDirectory
    let directory = ContentDirectory(
      container: root.parentDirectory, root: try ContentRoot(root.lastPathComponent),
      name: try ContentName(content.lastPathComponent))
    // A file that cannot be read says nothing of the kind.
    guard let manifest = try? PeerManifest.read(of: peer, in: directory, using: files) else {
      return false
    }
    return manifest.sequence == .zero && !manifest.hasRemovedLogs
  }
}
