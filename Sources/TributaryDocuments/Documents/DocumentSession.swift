internal import Synchronization
internal import TributaryFiles
package import TributarySQLite
package import TributaryStore
package import TributarySync

/// An open document: its store, its state, and its place among the other open documents.
package final class DocumentSession: Sendable {
  struct State: Sendable {
    var document: OpenDocument
    var state = DocumentState.normal
    /// Counts the commits of this process.
    var commits = 0
    /// The count of commits that are known to be published.
    var saved = 0
    /// Whether the store had something unpublished when it was opened.
    var hadUnsaved = false
    /// The number of steps in progress that edits would disturb.
    var disabled = 0
    /// Why the document was closed, or could not be saved.
    var failure: (any Error)?
  }

  let documents: Documents
  let centre: DocumentCentre
  package let store: LocalStore
  package let session: SyncSession
  private let observer: DocumentObserver
  let content = Mutex<State?>(nil)
  private let announcing = Mutex(Announcing())

  /// The announcements of states, made one after another.
  private struct Announcing {
    var last = DocumentState.normal
    var waiting: [DocumentState] = []
    var isUnderWay = false
  }

  /// Opens a document whose store is on this device.
  ///
  /// - Parameter centre: the centre that keeps the document in sync with other devices.
  package init(
    _ document: OpenDocument, of documents: Documents, centre: DocumentCentre = .shared,
    observer: DocumentObserver = DocumentObserver()
  ) throws {
    self.documents = documents
    self.centre = centre
    self.observer = observer
    let environment = documents.environment
    store = try environment.openStore(at: document.store)
    session = SyncSession(store: store, environment: environment)
    var state = State(document: document)
    let isConflicting = try store.service { try !ConflictTable($0).isEmpty() }
    if isConflicting { state.state.insert(.inConflict) }
    state.hadUnsaved = try session.status().unpublished > 0
    announcing.withLock { [state] in $0.last = state.state }
    content.withLock { [state] in $0 = state }
    store.onCommit { [weak self] _ in self?.didCommit() }
    centre.add(self)
    if state.hadUnsaved { centre.schedule(self, after: .zero) }
  }

  private func with<Result>(_ body: (inout State) -> Result) -> Result {
    content.withLock { body(&$0!) }
  }

  /// The document as it is now.
  package var document: OpenDocument { with(\.document) }
  package var state: DocumentState { with(\.state) }
  /// Why the document closed on its own or could not be saved; `nil` if neither happened.
  package var failure: (any Error)? { with(\.failure) }
  /// Whether something was written that is not published.
  package var hasUnsavedChanges: Bool { with { $0.hadUnsaved || $0.commits > $0.saved } }

  // MARK: Reading and writing

  package func read<Result>(
    heeding cancellation: Cancellation? = nil, _ body: (Database) throws -> Result
  ) throws -> Result {
    try checkOpen()
    return try centre.using(self) { try store.read(heeding: cancellation, body) }
  }

  package func write<Result>(
    basedOn version: Version? = nil, heeding cancellation: Cancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    try checkEditable()
    return try centre.using(self) {
      guard let version else { return try store.write(heeding: cancellation, body) }
      let result = try store.write(basedOn: version, heeding: cancellation, body)
      // If the write cannot be examined now, the next synchronisation does so.
      if let found = try? session.examineOwnWrites(), !found.isEmpty { observer.didImport(found) }
      return result
    }
  }

  private func didCommit() {
    with { $0.commits += 1 }
    centre.schedule(self, after: DocumentCentre.savingDelay)
  }

  private func checkOpen() throws {
    let (state, failure, package) = with { ($0.state, $0.failure, $0.document.package) }
    guard state.contains(.closed) else { return }
    throw failure
      ?? DocumentError(.closed, "the document is closed", path: package, remedy: "open it again")
  }

  private func checkEditable() throws {
    try checkOpen()
    guard state.contains(.editingDisabled) else { return }
    throw DocumentError(
      .editingDisabled, "the document cannot be edited at present", path: document.package,
      remedy: "wait until its state no longer includes editingDisabled")
  }

  // MARK: Editing and closing

  /// Disables editing until `enableEditing` has been called as many times as this method.
  package func disableEditing() { change { $0.disabled += 1 } }

  package func enableEditing() { change { $0.disabled = max(0, $0.disabled - 1) } }

  /// Saves and closes the document. Running reads and writes continue to their end.
  ///
  /// - Returns: whether everything is published. The rest is published when the document is opened again.
  @discardableResult
  package func close() -> Bool {
    if state.contains(.closed) { return !hasUnsavedChanges }
    // The failure is in the state.
    if hasUnsavedChanges { _ = try? save() }
    end(nil)
    return !hasUnsavedChanges
  }

  /// Closes the document without saving.
  ///
  /// - Parameter failure: the reason, if the document closes on its own.
  package func end(_ failure: (any Error)?) {
    centre.remove(self)
    // A synchronisation in progress on another thread then knows why its store is closed.
    with {
      $0.state.insert(.closed)
      if let failure { $0.failure = failure }
    }
    store.close()
    change { _ in }
  }

  // MARK: What changes

  /// Changes the state and announces it.
  func change(_ body: (inout State) -> Void) {
    with { state in
      body(&state)
      if state.disabled > 0 {
        state.state.insert(.editingDisabled)
      } else {
        state.state.remove(.editingDisabled)
      }
    }
    announce()
  }

  private func announce() {
    let begins = announcing.withLock { announcing in
      // Read here, so that the last announcement is of the current state.
      let now = state
      if announcing.last != now {
        announcing.last = now
        announcing.waiting.append(now)
      }
      if announcing.isUnderWay { return false }
      announcing.isUnderWay = true
      return true
    }
    guard begins else { return }
    while true {
      let next = announcing.withLock { announcing -> DocumentState? in
        if announcing.waiting.isEmpty {
          announcing.isUnderWay = false
          return nil
        }
        return announcing.waiting.removeFirst()
      }
      guard let next else { return }
      observer.didChangeState(next)
    }
  }

  func didImport(_ imported: SyncReport.Imported) { observer.didImport(imported) }

  /// Records that the package is now at another place.
  func didMove(to document: OpenDocument) {
    let isElsewhere = with { state in
      defer { state.document = document }
      return state.document.package != document.package
    }
    if isElsewhere { observer.didMove(document.package) }
  }
}
