package import TributarySync

/// The functions that are called when something happens to an open document. None of the document's
/// locks is held during the calls.
package struct DocumentObserver: Sendable {
  /// Called with each state that differs from the one before.
  package var didChangeState: @Sendable (DocumentState) -> Void
  /// Called after each commit of an import.
  package var didImport: @Sendable (SyncReport.Imported) -> Void
  /// Called when the path of the package has changed.
  package var didMove: @Sendable (String) -> Void

  /// Makes an observer; functions that are not given do nothing.
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
