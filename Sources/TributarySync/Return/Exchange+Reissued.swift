import TributaryCore
import TributaryReplay
import TributaryStore

extension Exchange {
  /// Returns what waits without what nobody needs to wait for: what a store has left behind under its former
  /// identity, when it came back, has been issued again.
  func withoutReissued(_ waiting: [Waiting]) throws -> [Waiting] {
    guard waiting.contains(where: \.isFenced) else { return waiting }
    var left = Set(try FormerIdentities(connection).all().map(\.peer))
    for manifest in manifests.all.values { left.formUnion(manifest.former.keys) }
    return waiting.filter { !$0.isFenced || !left.contains($0.peer) }
  }
}

extension Waiting {
  fileprivate var isFenced: Bool {
    if case .fenced = reason { true } else { false }
  }
}
