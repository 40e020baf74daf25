import TributaryContainer
import TributaryCore
import TributaryLog

/// Removes own baselines that others replace (rule 20 of `docs/space-files.md`).
struct BaselineRemoval {
  let exchange: Exchange
  /// Whether to remove declared baselines, too: other devices may still need them until all have forgotten by
  /// a later one.
  var includesDeclared = false

  /// Removes these baselines and damaged ones. A baseline that cannot be read now, or has a newer format,
  /// stays: that says nothing about its contents.
  ///
  /// - Parameter name: a baseline that stays in any case.
  /// - Returns: the paths of the removed files.
  func run(sparing name: BaselineName? = nil) -> [String] {
    let store = exchange.baselines(of: exchange.own)
    // A directory that cannot be listed now is examined the next time.
    guard var all = try? exchange.memory.baselines.all(of: exchange),
      let names = try? store.names()
    else { return [] }
    var removed: [String] = []
    for other in order(names, all) where other != name {
      do {
        try store.read(other)
        guard let index = all.firstIndex(where: { $0.peer == exchange.own && $0.name == other }),
          includesDeclared || all[index].header.declaration == nil,
          try isReplaced(all[index], by: all)
        else { continue }
        try store.remove(other)
        all.remove(at: index)
      } catch let error as ContainerError where error.code == .damagedFile {
        all.removeAll { $0.peer == exchange.own && $0.name == other }
        // A baseline that cannot be removed now is removed the next time, and is not reported.
        guard (try? store.remove(other)) != nil else { continue }
      } catch {
        continue
      }
      removed.append(store.path(of: other))
    }
    return removed
  }

  /// Returns the names, those with the least contents first.
  private func order(
    _ names: [BaselineName], _ all: [DeclaredBaselines.Baseline]
  ) -> [BaselineName] {
    let own = all.filter { $0.peer == exchange.own }
    let counts = Dictionary(
      own.map { ($0.name, $0.header.transactionCount) }, uniquingKeysWith: { $1 })
    return names.sorted { (counts[$0] ?? 0, $0) < (counts[$1] ?? 0, $1) }
  }

  /// Whether two own baselines, or declared ones in two directories, each contain everything in a baseline.
  private func isReplaced(
    _ baseline: DeclaredBaselines.Baseline, by all: [DeclaredBaselines.Baseline]
  ) throws -> Bool {
    let others = try all.filter { other in
      guard (other.peer, other.name) != (baseline.peer, baseline.name),
        other.header.contents.isSuperset(of: baseline.header.contents),
        try other.header.tables == baseline.header.tables
          || exchange.tablesMissing(from: other.header).isEmpty,
        baseline.header.declaration.map({ other.covers($0) }) ?? true
      else { return false }
      return try exchange.memory.baselines.isWhole(other, in: exchange)
    }
    if others.count(where: { $0.peer == exchange.own }) >= 2 { return true }
    return Set(others.filter { $0.header.declaration != nil }.map(\.peer)).count >= 2
  }
}
