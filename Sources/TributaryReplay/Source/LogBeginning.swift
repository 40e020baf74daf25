package import TributaryCore
package import TributaryFiles

/// Where the history of one content name begins, if its devices have forgotten earlier transactions.
package struct LogBeginning {
  /// The directory that contains the peers' directories.
  package let path: String
  /// The baseline that stands for transactions that no segment has any more; `nil` if there is none, or if
  /// segments have everything.
  package private(set) var baseline: LogBaseline?
  /// The baselines that can be used, starting with the last one in the order of declarations.
  package let usable: [LogBaseline]
  /// Whole baselines that may not be used, in the same order. They show what was forgotten.
  package let others: [LogBaseline]
  /// Damaged baselines whose headers can be read. They show what was forgotten, too.
  package let damaged: [LogBaseline]
  /// What the devices have forgotten and neither a segment nor a usable baseline has. Peers whose segments
  /// are here but were not requested, or not all of them, do not count.
  package private(set) var missing: [LogCoverage.Gap] = []
  /// What lies below the horizon of the baseline that is to be used, whether or not segments have it.
  package private(set) var horizon = Knowledge()

  /// Finds out where histories begin, from the headers of baselines and from what `check` reads of the one with
  /// which a history would begin.
  ///
  /// - Parameters:
  ///   - isUsable: whether a baseline may be used.
  ///   - check: throws for a baseline that is damaged. Then the history begins with the next one that is not.
  ///   - report: receives a finding for each baseline whose header cannot be read, or for which `check` throws.
  /// - Returns: one for each directory of peers.
  /// - Complexity: reads one header for each baseline, and calls `check` once for each directory and each damaged
  ///   baseline.
  package static func find(
    beside logs: [PeerLog], having coverage: LogCoverage,
    using fileSystem: any FileSystem = LocalFileSystem(),
    isUsable: (LogBaseline) -> Bool = { _ in true },
    check: (LogBaseline) throws -> Void, report: (LogFinding) -> Void
  ) -> [LogBeginning] {
    logs.byContent(fileSystem).map { directory, logs in
      var (baselines, failures) = LogBaseline.declared(in: directory, using: fileSystem)
      var damaged: [LogBaseline] = []
      while true {
        let beginning = LogBeginning(
          directory, logs, coverage, usable: baselines.filter(isUsable),
          others: baselines.filter { !isUsable($0) }, damaged: damaged, fileSystem)
        do {
          if let first = beginning.baseline { try check(first) }
        } catch {
          guard let first = beginning.baseline else { return beginning }
          baselines.removeAll { $0.path == first.path }
          if !LogBaseline.isGone(error) {
            damaged.append(first)
            failures.append((first.file, error))
          }
          continue
        }
        // A command about single segments needs nothing that is in a baseline.
        if logs.contains(where: { !$0.isPartial }) {
          for (file, error) in failures {
            report(LogFinding(baseline: file, error, consequence: beginning.consequence))
          }
        }
        return beginning
      }
    }
  }

  /// - Parameter logs: the logs in the directory.
  init(
    _ path: String, _ logs: [PeerLog], _ coverage: LogCoverage, usable: [LogBaseline],
    others: [LogBaseline] = [], damaged: [LogBaseline], _ fileSystem: any FileSystem
  ) {
    self.path = path
    self.others = others.sorted { $0.comes(before: $1) }
    self.damaged = damaged
    let whole = Set(logs.filter { !$0.isPartial }.compactMap(\.peer))
    let unasked =
      whole.isEmpty ? [] : Self.peers(in: path, fileSystem).subtracting(whole)
    let usable = usable.sorted { $0.comes(before: $1) }
    // If the others do not follow a peer's baseline, nothing else has the beginning of that peer's log.
    let covering =
      unasked.isEmpty
      ? []
      : usable.filter { baseline in
        whole.allSatisfy { peer in
          let most = usable.lazy.map { $0.horizon[peer] }.max() ?? .zero
          return baseline.horizon[peer] >= coverage.lastMissing(of: peer, inAnyUpTo: most)
        }
      }
    self.usable = covering.isEmpty ? usable : covering
    guard !whole.isEmpty else {
      horizon = self.usable.first?.horizon ?? Knowledge()
      return
    }
    func missing(from forgotten: Knowledge) -> [LogCoverage.Gap] {
      coverage.missing(from: forgotten, beyond: horizon).filter { !unasked.contains($0.peer) }
    }
    if let last = self.usable.first {
      if !missing(from: last.horizon).isEmpty { baseline = last }
      horizon = last.horizon
    }
    self.missing = missing(
      from: (others + damaged).reduce(Knowledge()) { $0.union($1.horizon) })
    self.missing += unknownLosses(of: whole, logs, coverage, fileSystem)
    self.missing.sort { ($0.peer, $0.missing.lowerBound) < ($1.peer, $1.missing.lowerBound) }
  }

  /// Returns what is missing at the beginnings of logs although no baseline here shows that it was forgotten,
  /// if peers state that they have forgotten by another declaration.
  private func unknownLosses(
    of peers: Set<PeerIdentity>, _ logs: [PeerLog], _ coverage: LogCoverage,
    _ fileSystem: any FileSystem
  ) -> [LogCoverage.Gap] {
    let told = Set(missing.map(\.peer))
    let losses = peers.subtracting(told).compactMap { peer in
      // Devices forget starting with the first transaction.
      coverage.gaps[peer]?.first { $0.upperBound > horizon[peer] }.flatMap { gap in
        gap.lowerBound <= horizon[peer].next
          ? (peer: peer, missing: horizon[peer].next...gap.upperBound) : nil
      }
    }
    let known = Set((usable + others + damaged).map(\.declaration.identifier))
    return losses.isEmpty || !Self.haveForgotten(logs, otherwiseThan: known, fileSystem)
      ? [] : losses
  }

  /// The peers that have a directory.
  private static func peers(
    in directory: String, _ fileSystem: any FileSystem
  ) -> Set<PeerIdentity> {
    Set(((try? fileSystem.list(directory)) ?? []).compactMap { PeerIdentity(hex: $0.name) })
  }

  /// Whether a peer states that it has forgotten by a declaration that no baseline here has.
  private static func haveForgotten(
    _ logs: [PeerLog], otherwiseThan known: Set<UInt64>, _ fileSystem: any FileSystem
  ) -> Bool {
    let search = LogSearch(using: fileSystem)
    return logs.contains { log in
      search.manifest(of: log)?.horizon?.settled.map { !known.contains($0) } ?? false
    }
  }

  /// What is missing, as a phrase; `nil` if nothing is.
  package var lack: String? {
    guard !missing.isEmpty else { return nil }
    // At most this many are named.
    let limit = 3
    let ranges = missing.prefix(limit).map { gap in
      gap.missing.lowerBound == gap.missing.upperBound
        ? "transaction \(gap.missing.lowerBound) of \(gap.peer)"
        : "transactions \(gap.missing.lowerBound) to \(gap.missing.upperBound) of \(gap.peer)"
    }
    let more = missing.count > limit ? ", and \(missing.count - limit) more" : ""
    return "the devices have forgotten what came first, and no whole baseline here has it: "
      + "\(ranges.joined(separator: ", "))\(more)"
  }

  /// The consequence of a damaged baseline, as a phrase.
  var consequence: String {
    if !missing.isEmpty { return "no other baseline here has what the devices have forgotten" }
    return baseline == nil
      ? "new devices begin with another one, or with the segments"
      : "new devices begin with another one"
  }

  /// What to do about what is missing.
  package static let remedy =
    "wait for the carrier; if no device has a whole baseline any more, run `tributary baseline` on one that has the "
    + "data, and `tributary sync` on the others and there again"
}

extension [PeerLog] {
  /// Returns the logs in directories of peers, by the directory that contains the peers' directories.
  func byContent(_ fileSystem: any FileSystem) -> [(directory: String, logs: [PeerLog])] {
    var found: [String: [PeerLog]] = [:]
    for log in self {
      guard var directory = log.directory else { continue }
      // The path may be `.`.
      if PeerIdentity(hex: directory.lastPathComponent) == nil {
        directory = (try? fileSystem.resolve(directory)) ?? directory
      }
      found[directory.parentDirectory, default: []].append(log)
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
