import Foundation
import TributaryCoordination
import TributaryTesting

/// A presenter that notes what it is told, and does more where a test says so.
final class NotedPresenter: FilePresenter {
  let presentedItemURL: URL?
  let notes = Recorded<String>()
  private let name: String
  private let onWriter: @Sendable (NotedPresenter) async -> Void
  private let onSave: @Sendable (NotedPresenter) async throws -> Void

  init(
    _ url: URL?, name: String = "",
    onWriter: @escaping @Sendable (NotedPresenter) async -> Void = { _ in },
    onSave: @escaping @Sendable (NotedPresenter) async throws -> Void = { _ in }
  ) {
    presentedItemURL = url
    self.name = name
    self.onWriter = onWriter
    self.onSave = onSave
  }

  func note(_ text: String) { notes.append(name + text) }

  func relinquishPresentedItemToReader() async -> Reacquirer? {
    note("reader")
    return { self.note("reacquire") }
  }

  func relinquishPresentedItemToWriter() async -> Reacquirer? {
    note("writer")
    await onWriter(self)
    return { self.note("reacquire") }
  }

  func savePresentedItemChanges() async throws {
    note("save")
    try await onSave(self)
  }

  func accommodatePresentedItemDeletion() async throws { note("deletion") }

  func accommodatePresentedSubitemDeletion(at url: URL) async throws {
    note("deletion of \(url.lastPathComponent)")
  }

  func presentedItemDidChange() async { note("changed") }
  func presentedItemDidMove(to newURL: URL) async { note("moved to \(newURL.lastPathComponent)") }
  func presentedSubitemDidAppear(at url: URL) async { note("appeared \(url.lastPathComponent)") }
  func presentedSubitemDidChange(at url: URL) async { note("changed \(url.lastPathComponent)") }

  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    note("moved \(oldURL.lastPathComponent) to \(newURL.lastPathComponent)")
  }

  func presentedItemDidGainVersion(at version: URL) async {
    note("gained \(version.lastPathComponent)")
  }

  func presentedItemDidLoseVersion(at version: URL) async {
    note("lost \(version.lastPathComponent)")
  }

  func presentedItemDidResolveConflictVersion(at version: URL) async {
    note("resolved \(version.lastPathComponent)")
  }

  func presentedSubitem(at url: URL, didGainVersionAt version: URL) async {
    note("\(url.lastPathComponent) gained \(version.lastPathComponent)")
  }

  func presentedSubitem(at url: URL, didLoseVersionAt version: URL) async {
    note("\(url.lastPathComponent) lost \(version.lastPathComponent)")
  }

  func presentedSubitem(at url: URL, didResolveConflictVersionAt version: URL) async {
    note("\(url.lastPathComponent) resolved \(version.lastPathComponent)")
  }
}
