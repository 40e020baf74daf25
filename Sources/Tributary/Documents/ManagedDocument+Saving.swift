import Foundation
import TributaryDocuments
import TributarySync

extension ManagedDocument {
  /// The state of the document.
  public var documentState: DocumentState { session.state }

  /// Whether something was written that is not published yet.
  public var hasUnsavedChanges: Bool { session.hasUnsavedChanges }

  /// Why the document closed on its own or could not be saved; `nil` if neither happened.
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
  /// - Throws: why something could not be published. The data is safe in the database, and publishing is
  ///   tried again.
  @discardableResult
  public func save() async throws -> SyncReport {
    try await Blocking.run { try self.session.save() }
  }

  /// Saves and closes the document. Later reads and writes throw.
  ///
  /// - Returns: whether everything is published. The rest is published when the document is opened again.
  @discardableResult
  public func close() async -> Bool {
    // This fails only if no thread can be made.
    let isSaved = try? await Blocking.run { self.session.close() }
    // Then this thread closes the document.
    let result = isSaved ?? session.close()
    relay.end()
    return result
  }

  /// Disables editing until `enableEditing` has been called as many times as this method.
  public func disableEditing() { session.disableEditing() }

  /// Enables editing again after `disableEditing`.
  public func enableEditing() { session.enableEditing() }

  // MARK: Moving and deleting

  /// Moves the document: renames it, or moves it into a container or out of one. Its history and its
  /// conflicts move with it, and the document stays open. If it leaves a container, it is deleted on the
  /// other devices of that container.
  ///
  /// - Throws: `DocumentError`; `exists`, `nameCollision` and `invalidName` for the new path;
  ///   `CancellationError` if the task is cancelled while it waits or copies. The document is then where it
  ///   was.
  public func move(to path: String) async throws {
    try await Blocking.run { try self.session.move(to: path, heeding: $0) }
  }

  /// Gives the package another name in the same directory.
  ///
  /// - Throws: `DocumentError` and `CancellationError`, as `move(to:)` does; `invalidName` also for a path.
  public func rename(to name: String) async throws {
    try await Blocking.run { try self.session.rename(to: name, heeding: $0) }
  }

  /// Makes another document with the same contents, which is independent from then on. It is not opened.
  ///
  /// - Throws: `DocumentError`, as `move(to:)` does; `CancellationError` if the task is cancelled. Nothing is left then.
  /// - Returns: the path of the new package.
  @discardableResult
  public func duplicate(to path: String) async throws -> String {
    try await Blocking.run { try self.session.duplicate(to: path, heeding: $0).package }
  }

  /// Closes and deletes the document: the package, the logs and the database, on all devices. A device keeps
  /// what it had written and no other device had imported.
  ///
  /// - Throws: `DocumentError`; `CancellationError` if the task is cancelled while it waits. The document is
  ///   then kept and stays open.
  public func delete() async throws {
    try await Blocking.run { try self.session.delete(heeding: $0) }
    relay.end()
  }
}
