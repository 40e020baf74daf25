public import Foundation
import TributaryDocuments
import TributaryStore
import TributarySync

/// A document with its own store. It consists of a package, which is a directory that is shared if it is in a
/// container, and a database, which stays on this device.
///
/// A write is in the database at once. It is *saved* when it is published for the other devices:
/// automatically a moment later, by `save`, or by `close`. If it cannot be published because the container is
/// absent, it is published later; nothing is lost meanwhile. A document that no one edits is never saved.
///
/// Hundreds of documents may be open. They share a few threads, and only the most recently used documents
/// keep files open.
public final class ManagedDocument: Sendable {
  let session: DocumentSession
  let relay: DocumentRelay
  /// The asynchronous reads.
  let turns = Turns()
  /// The asynchronous writes: one of them writes, and the others wait for it.
  let writeTurns = Turns()

  private init(_ document: OpenDocument, of documents: Documents) throws {
    let relay = DocumentRelay()
    self.relay = relay
    session = try DocumentSession(document, of: documents, observer: relay.observer)
    relay.attach(self)
  }

  deinit {
    // Without saving: that may take long, and what was written is safe.
    session.end(nil)
    relay.end()
  }

  /// Makes a document and opens it.
  ///
  /// - Parameters:
  ///   - path: a path in the `Documents` directory of a container, or anywhere on this device; see
  ///     `move(to:)`.
  ///   - contents: the initial contents.
  ///   - options: the options for this process. What other devices must know travels with the document.
  /// - Throws: `DocumentError`, `StoreError`, `AttachError` and others; `CancellationError` if the task is cancelled.
  ///   Nothing is left then.
  public static func create(
    at path: String, contents: DocumentContents = .empty, options: ManagedDocumentOptions = .init()
  ) async throws -> ManagedDocument {
    try await OpeningProgress.run(options.progress) { progress in
      let documents = try options.documents()
      return try ManagedDocument(
        documents.create(
          at: path, contents: contents,
          options: options.engineOptions(heeding: progress.cancellation), progress: progress.pass),
        of: documents)
    }
  }

  /// Opens a document. If its store is not on this device, it is first rebuilt from the logs.
  ///
  /// `ManagedDocumentOptions.progress` is called with the progress. If it throws, or the task is cancelled,
  /// nothing has been made.
  ///
  /// - Throws: `DocumentError`: `missing` and `notADocument` if there is none, `deleted` if it was deleted here or
  ///   elsewhere, `unavailable` if its logs have not arrived yet; `CancellationError`.
  public static func open(
    at path: String, options: ManagedDocumentOptions = .init()
  ) async throws -> ManagedDocument {
    try await OpeningProgress.run(options.progress) { progress in
      let documents = try options.documents()
      return try ManagedDocument(
        documents.open(
          path, options: options.engineOptions(heeding: progress.cancellation),
          progress: progress.pass),
        of: documents)
    }
  }

  /// Returns the documents in a directory and its subdirectories, open or not.
  ///
  /// - Parameters:
  ///   - directory: `nil` means the `Documents` directories of all containers that the entitlements grant.
  ///   - options: where containers are, and which the entitlements grant.
  public static func list(
    _ directory: String? = nil, options: ManagedDocumentOptions = .init()
  ) async throws -> [DocumentDescription] {
    try await list(directory, options: options, didSkip: { _ in })
  }

  /// Returns the documents in a directory and its subdirectories, as the other `list` does.
  ///
  /// - Parameters:
  ///   - directory: `nil` means the `Documents` directories of all containers that the entitlements grant.
  ///   - options: where containers are, and which the entitlements grant.
  ///   - didSkip: called with each problem that leaves something out, such as a directory that cannot be
  ///     read, or a document that has logs but no package. The rest is still listed.
  ///   - didChange: called with everything that listing has changed, once for each package: documents that
  ///     other devices have deleted are removed, and a document whose package another document has replaced
  ///     gets a package again.
  public static func list(
    _ directory: String? = nil, options: ManagedDocumentOptions = .init(),
    didSkip: @escaping @Sendable (any Error) -> Void,
    didChange: @escaping @Sendable (DocumentChange) -> Void = { _ in }
  ) async throws -> [DocumentDescription] {
    try await Blocking.run {
      try options.documents().list(
        directory, skip: didSkip, awaited: didSkip, did: didChange)
    }
  }

  /// Deletes a document that need not be open, as the other `delete` does.
  public static func delete(
    at path: String, options: ManagedDocumentOptions = .init()
  ) async throws {
    try await Blocking.run { try options.documents().heeding($0).delete(path) }
  }

  // MARK: What it is

  /// The path of the package. It changes when this device or another moves the document.
  public var path: String { session.document.package }
  /// The location of the package.
  public var fileURL: URL { URL(filePath: path, directoryHint: .isDirectory) }
  /// The name of the package without its extension.
  public var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }
  /// What the document says about itself in its package.
  public var metadata: DocumentMetadata { session.document.metadata }
  /// The path of the database, on this device.
  public var storePath: String { session.document.store }
  /// The container; `nil` for a document that is only on this device.
  public var container: Container? { session.document.container.map(Container.init(expectedAt:)) }

  // MARK: Reading and writing

  /// Runs `body` in a transaction and commits it; see `Store.write`.
  ///
  /// - Throws: also `DocumentError` with `closed`, `deleted` or `editingDisabled`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try session.write(body)
  }

  /// Runs a write based on an earlier version; see `Store.write(basedOn:_:)`.
  public func write<Result>(
    basedOn version: Version, _ body: (Database) throws -> Result
  ) throws -> Result {
    try session.write(basedOn: version, body)
  }

  /// Runs `body` on a snapshot of the database. Any number of threads may read at once.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try session.read(body)
  }

  /// Returns the open conflicts: what merging could not keep visible and no one has resolved yet.
  public func conflicts(ended: Bool = false) throws -> [Conflict] {
    try session.session.conflicts(ended: ended)
  }

  /// Resolves a conflict, as `Store.resolve` does.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ resolution: Resolution) throws -> Bool {
    try session.session.resolve(conflict.id, resolution)
  }
}
