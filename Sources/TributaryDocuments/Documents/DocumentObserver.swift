package import TributarySync

/// Who is told what happens to an open document. None of the document's locks is held meanwhile.
package struct DocumentObserver: Sendable {
  /// Called with each state that differs from the one before.
  package var didChangeState: @Sendable (DocumentState) -> Void
  /// Called after each commit of an import.
  package var didImport: @Sendable (SyncReport.Imported) -> Void
  /// Called when the package has another path.
  package var didMove: @Sendable (String) -> Void

  /// Tells nobody unless given.
  package init(
    didChangeState: @escaping @Sendable (DocumentState) -> Void = { _ in },
    didImport: @escaping @Sendable (SyncReport.Imported) -> Void = { _ in },
    didMove: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.didChangeState = didChangeState
    self.didImport = didImport
    self.didMove = didMove
  }
}
