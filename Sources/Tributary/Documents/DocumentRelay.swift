import Foundation
import Synchronization
import TributaryDocuments
import TributarySync

/// Passes on what happens to a document: to its sequences, and as notifications.
final class DocumentRelay: Sendable {
  private struct Target {
    weak var document: ManagedDocument?
  }

  let announcements = Announcements()
  let states = Broadcast<DocumentStateNews>()
  private let target = Mutex(Target())

  func attach(_ document: ManagedDocument) { target.withLock { $0.document = document } }

  var observer: DocumentObserver {
    DocumentObserver(
      didChangeState: { [weak self] state in self?.didChange(state) },
      didImport: { [weak self] imported in self?.didImport(imported) })
  }

  private var document: ManagedDocument? { target.withLock { $0.document } }

  private func didChange(_ state: DocumentState) {
    states.send(DocumentStateNews(state: state))
    guard let document else { return }
    NotificationCenter.default.post(
      name: ManagedDocument.stateChangedNotification, object: document,
      userInfo: [ManagedDocument.stateKey: state])
  }

  private func didImport(_ imported: SyncReport.Imported) {
    announcements.send(imported)
    // A handler may wait for the importing thread.
    announcements.deliveries.deliverElsewhere { [weak self] change in
      guard let document = self?.document else { return }
      NotificationCenter.default.post(
        name: .didImportUbiquitousContentChanges, object: document, userInfo: change.userInfo)
    }
  }

  func end() {
    states.end()
    announcements.end()
  }
}

extension ManagedDocument {
  /// Posted after each change of `documentState`, on the thread that changed it. The object is the document,
  /// and `userInfo` has the state under `stateKey`.
  public static let stateChangedNotification = Notification.Name(
    "TributaryManagedDocumentStateChanged")

  /// The key of the state in `userInfo`.
  public static let stateKey = "state"
}
