import Foundation
import TributaryDocuments
import TributarySync

extension ManagedDocument {
  /// The state of the document.
  public var documentState: DocumentState { session.state }

  /// Whether something is written that is not published yet.
  public var hasUnsavedChanges: Bool { session.hasUnsavedChanges }

  /// Why the document was closed by itself, or could not be saved; `nil` if neither happened.
  public var failure: (any Error)? { session.failure }

  /// The states from now on, each when it begins. The sequence ends with the document.
  public var states: DocumentStateSequence {
    DocumentStateSequence(listening: relay.states.listen())
  }

  /// The imports from now on; see `Store.imports`.
  public var imports: ImportSequence {
    ImportSequence(listening: relay.announcements.changes.listen())
  }

  /// Publishes what was written, imports what has arrived, and waits until this is done.
  ///
  /// - Throws: why something could not be published. It is safe in the database, and is tried again.
  @discardableResult
  public func save() async throws -> SyncReport {
    try await Blocking.run { try self.session.save() }
  }

  /// Saves and closes the document. Later reads and writes throw.
  ///
  /// - Returns: whether everything is published; what is not is published when the document is opened again.
  @discardableResult
  public func close() async -> Bool {
    // The only error is that no thread can be made.
    let isSaved = try? await Blocking.run { self.session.close() }
    // Then this thread closes the document.
    let result = isSaved ?? session.close()
    relay.end()
    return result
  }

  /// Disables editing until `enableEditing` was called as often.
  public func disableEditing() { session.disableEditing() }

  /// Enables editing again.
  public func enableEditing() { session.enableEditing() }

  // MARK: Moving and deleting

  /// Moves the document: renames it, or brings it into a container or out of one. Its history and its conflicts
  /// go with it, and the document stays open. The other devices of a container that it leaves see it deleted.
  ///
  /// - Throws: `DocumentError`; `exists`, `nameCollision` and `invalidName` for the new path; `CancellationError` if the task
  ///   is cancelled while it waits or copies. The document is where it was then.
  public func move(to path: String) async throws {
    try await Blocking.run { try self.session.move(to: path, heeding: $0) }
  }

  /// Gives the package another name in the same directory.
  ///
  /// - Throws: `DocumentError` and `CancellationError`, as `move(to:)` does; `invalidName` also for a path.
  public func rename(to name: String) async throws {
    try await Blocking.run { try self.session.rename(to: name, heeding: $0) }
  }

  /// Makes another document with the same contents, which goes its own way from then on. It is not opened.
  ///
  /// - Throws: `DocumentError`, as `move(to:)` does; `CancellationError` if the task is cancelled. Nothing is left then.
  /// - Returns: the path of the new package.
  @discardableResult
  public func duplicate(to path: String) async throws -> String {
    try await Blocking.run { try self.session.duplicate(to: path, heeding: $0).package }
  }

  /// Closes and deletes the document: the package, the logs and the database, on all devices. What a device had
  /// written and nobody had imported is kept there.
  ///
  /// - Throws: `DocumentError`; `CancellationError` if the task is cancelled while it waits. The document stays, and stays
  ///   open, then.
  public func delete() async throws {
    try await Blocking.run { try self.session.delete(heeding: $0) }
    relay.end()
  }
}
