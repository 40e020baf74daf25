internal import FoundationEssentials
internal import Synchronization

/// Delivers messages to a presenter one after another.
final class PresenterQueue: Sendable {
  let presenter: any FilePresenter
  /// The path, which follows moves.
  private let place: Mutex<String>
  private let inbox: AsyncStream<PresenterMessage>.Continuation

  init(_ presenter: any FilePresenter, path: String, domain: CoordinationDomain) {
    self.presenter = presenter
    place = Mutex(path)
    let (messages, inbox) = AsyncStream<PresenterMessage>.makeStream()
    self.inbox = inbox
    // Detached: the presenter does not hold what the task that adds it holds.
    Task.detached { [presenter] in
      var reacquirers: [UInt64: FilePresenter.Reacquirer] = [:]
      for await message in messages {
        var failure = ""
        do {
          // A claim that is made meanwhile is made within the claim that asks.
          let around = message.kind.needsAnswer ? [message.claim] : []
          try await CoordinationFlow.$claims.withValue(around) {
            try await presenter.receive(message, &reacquirers)
          }
        } catch {
          failure = "\(error)"
        }
        guard message.kind.needsAnswer else { continue }
        // Without an answer, the presenter counts as silent.
        try? await Blocking.run { [failure] in
          try domain.transact { (table, _) throws(CoordinationError) in
            table.answer(message.number, failure: failure)
          }
        }
      }
    }
  }

  var path: String { place.withLock { $0 } }

  func add(_ message: PresenterMessage) {
    if message.kind == .didMove { place.withLock { $0 = message.otherPath } }
    inbox.yield(message)
  }

  /// Lets calls that have begun end, and makes no more.
  func end() { inbox.finish() }
}

extension FilePresenter {
  fileprivate func receive(
    _ message: PresenterMessage, _ reacquirers: inout [UInt64: Reacquirer]
  ) async throws {
    let url = URL(filePath: message.path)
    let other = URL(filePath: message.otherPath)
    switch message.kind {
    case .relinquishToReader:
      reacquirers[message.claim] = await relinquishPresentedItemToReader()
    case .relinquishToWriter:
      reacquirers[message.claim] = await relinquishPresentedItemToWriter()
    case .reacquire: await reacquirers.removeValue(forKey: message.claim)?()
    case .saveChanges: try await savePresentedItemChanges()
    case .accommodateDeletion: try await accommodatePresentedItemDeletion()
    case .accommodateSubitemDeletion: try await accommodatePresentedSubitemDeletion(at: url)
    case .didChange: await presentedItemDidChange()
    case .didMove: await presentedItemDidMove(to: other)
    case .subitemDidAppear: await presentedSubitemDidAppear(at: url)
    case .subitemDidChange: await presentedSubitemDidChange(at: url)
    case .subitemDidMove: await presentedSubitem(at: url, didMoveTo: other)
    case .didGainVersion: await presentedItemDidGainVersion(at: other)
    case .didLoseVersion: await presentedItemDidLoseVersion(at: other)
    case .didResolveVersion: await presentedItemDidResolveConflictVersion(at: other)
    case .subitemDidGainVersion: await presentedSubitem(at: url, didGainVersionAt: other)
    case .subitemDidLoseVersion: await presentedSubitem(at: url, didLoseVersionAt: other)
    case .subitemDidResolveVersion:
      await presentedSubitem(at: url, didResolveConflictVersionAt: other)
    }
  }
}
