internal import TributaryCore
internal import TributaryFiles
internal import TributaryLog
internal import TributaryReplay

/// Finds the last transactions of logs without reading what certainly precedes them.
struct FollowWindow {
  private var segments: [LogSegment]
  private let filter: TransactionFilter
  private let fileSystem: any FileSystem

  init(_ segments: [LogSegment], _ filter: TransactionFilter, _ fileSystem: any FileSystem) {
    self.segments = segments.filter { filter.includes($0.header) }
      .sorted { $0.header.firstTime > $1.header.firstTime }
    self.filter = filter
    self.fileSystem = fileSystem
  }

  /// Returns, by peer, its first transaction among the last ones that pass the filter.
  ///
  /// - Parameter torn: called for each file that cannot be read, and which is ignored entirely.
  mutating func first(
    ofLast count: Int, _ isStopped: () -> Bool, torn: (LogFinding) -> Void
  ) throws -> [PeerIdentity: SequenceNumber] {
    guard count > 0 else { return [:] }
    // If a filter excludes much, or segments overlap, more is read.
    var wanted = count
    while true {
      let start = time(ofLast: wanted)
      var findings: [LogFinding] = []
      let last = try read(from: start, count, isStopped) { findings.append($0) }
      if !findings.isEmpty {
        let paths = Set(findings.map(\.path))
        segments.removeAll { paths.contains($0.path) }
        findings.forEach(torn)
        continue
      }
      if last.count >= count || start == .zero || isStopped() {
        var first: [PeerIdentity: SequenceNumber] = [:]
        for (peer, sequence) in last { first[peer] = min(first[peer] ?? sequence, sequence) }
        return first
      }
      wanted = wanted.multipliedReportingOverflow(by: 8).partialValue
    }
  }

  /// Returns a moment after which there are at least this many transactions; zero if there are
  /// fewer.
  private func time(ofLast count: Int) -> HybridTime {
    var found = 0
    for segment in segments {
      let header = segment.header
      found += Int(clamping: header.last.rawValue - header.first.rawValue + 1)
      if found >= count { return header.firstTime }
    }
    return .zero
  }

  private func read(
    from start: HybridTime, _ count: Int, _ isStopped: () -> Bool, report: (LogFinding) -> Void
  ) throws -> [(PeerIdentity, SequenceNumber)] {
    var last: [(PeerIdentity, SequenceNumber)] = []
    struct Stopped: Error {}
    let walk = LogWalk(
      segments.filter { $0.header.lastTime >= start }, filter, using: fileSystem)
    do {
      try walk.run(report: report) { transaction in
        if isStopped() { throw Stopped() }
        guard transaction.header.time >= start else { return }
        if transaction.isSelected, try transaction.nextChange() == nil { return }
        last.append((transaction.peer, transaction.header.sequence))
        // Only occasionally, since each removal moves the rest.
        if last.count / 2 > count { last.removeFirst(last.count - count) }
      }
    } catch is Stopped {
      return []
    }
    return Array(last.suffix(count))
  }
}
