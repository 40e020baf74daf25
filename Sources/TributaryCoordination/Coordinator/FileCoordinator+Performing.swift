internal import FoundationEssentials
internal import Synchronization
internal import TributaryFiles

extension FileCoordinator {
  /// Waits for items on the calling thread.
  func waitForGrant(_ intents: [FileAccessIntent]) throws -> Grant {
    let latch = Latch<Result<Grant, any Error>>()
    AccessRequest(self, intents).start { latch.set($0) }
    return try latch.wait().get()
  }

  /// Waits for items in the calling task. Cancelling the task ends the wait.
  func awaitGrant(_ intents: [FileAccessIntent]) async throws -> Grant {
    let request = AccessRequest(self, intents)
    let handover = Handover<Result<Grant, any Error>>()
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        @Sendable func hand(_ result: Result<Grant, any Error>) {
          handover.put(result)
          continuation.resume()
        }
        do {
          _ = try WorkerThread(name: "tributary-access") { request.start(hand) }
        } catch {
          hand(.failure(error))
        }
      }
    } onCancel: {
      request.cancel()
    }
    return try handover.take().get()
  }

  /// Runs an accessor on the calling thread, and ends the access.
  func perform<Result>(
    _ grant: Grant, _ accessor: ([URL]) throws -> Result
  ) throws -> Result {
    let existing = try begin(grant)
    defer { end(grant, existing: existing) }
    return try CoordinationFlow.$claims.withValue(flow(of: grant)) { try accessor(grant.urls) }
  }

  /// Returns the claims that enclose the accessor of a grant.
  func flow(of grant: Grant) -> [UInt64] { grant.claim.under + [grant.claim.number] }

  /// Checks the answers of presenters. May block for a moment.
  ///
  /// - Returns: the paths of those items to be written that exist now.
  /// - Throws: if a presenter has failed. The access has ended then.
  func begin(_ grant: Grant) throws(CoordinationError) -> Set<String> {
    guard grant.claim.failure.isEmpty else {
      domain.end(grant.claim.number, changes: [])
      let paths = grant.claim.items.map(\.path).joined(separator: ", ")
      throw CoordinationError(
        .presenterFailed,
        "a program that shows \(paths) could not make way: \(grant.claim.failure)",
        path: grant.claim.items.first?.path,
        remedy: "close the document there, or save it under another name, and try again")
    }
    return Self.existing(grant)
  }

  /// Ends an access and notifies presenters. May block for a moment.
  func end(_ grant: Grant, existing before: Set<String>) {
    let after = Self.existing(grant)
    var changes: [ItemChange] = []
    for item in grant.claim.items where item.access.isWriting {
      // Everyone who must know of the move has been notified.
      if moved.withLock({ $0.remove(item.path) }) != nil { continue }
      let isNew = after.contains(item.path) && !before.contains(item.path)
      changes.append(isNew ? .appeared(item.path) : .changed(item.path))
    }
    domain.end(grant.claim.number, changes: changes)
  }

  private static func existing(_ grant: Grant) -> Set<String> {
    let files = LocalFileSystem()
    // An item whose status cannot be read counts as missing: the presenters find out themselves.
    return Set(
      grant.claim.items.lazy.filter(\.access.isWriting).map(\.path)
        .filter { (try? files.status($0)) != nil })
  }
}
