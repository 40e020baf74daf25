import FoundationEssentials
import TributaryCoordination

/// A presenter that reports what it is told.
final class ReportingPresenter: FilePresenter {
  let presentedItemURL: URL?
  let isSilent: Bool

  init(url: URL, isSilent: Bool) {
    presentedItemURL = url
    self.isSilent = isSilent
  }

  func relinquishPresentedItemToReader() async -> Reacquirer? {
    await answer("reader")
    return { Contender.report("reacquired") }
  }

  func relinquishPresentedItemToWriter() async -> Reacquirer? {
    await answer("writer")
    return { Contender.report("reacquired") }
  }

  func savePresentedItemChanges() async throws { Contender.report("save") }
  func accommodatePresentedItemDeletion() async throws { Contender.report("deletion") }
  func presentedItemDidChange() async { Contender.report("changed") }

  func presentedItemDidMove(to newURL: URL) async {
    Contender.report("moved to \(newURL.lastPathComponent)")
  }

  func presentedSubitemDidAppear(at url: URL) async {
    Contender.report("appeared \(url.lastPathComponent)")
  }

  func presentedSubitemDidChange(at url: URL) async {
    Contender.report("subitem changed \(url.lastPathComponent)")
  }

  private func answer(_ question: String) async {
    Contender.report(question)
    // Until the process ends.
    if isSilent { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }
}
