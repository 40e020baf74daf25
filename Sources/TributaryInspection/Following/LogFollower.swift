internal import TributaryContainer
package import TributaryCore
package import TributaryFiles
internal import TributaryLog
package import TributaryReplay

/// Passes on transactions as they arrive, each once, and each only after its predecessor and everything that
/// its author knew: these were passed on, or existed or were missing before the start.
///
/// A file counts once it can be read to its end: carriers bring files in pieces. Memory grows with the number
/// of files and peers, not with their contents.
package final class LogFollower {
  private let paths: [String]
  private let fileSystem: any FileSystem
  private let search: LogSearch
  private let horizons = KnownHorizons()
  private var known: [String: FollowedPath] = [:]
  private var peers: [PeerIdentity: FollowedPeer] = [:]
  private var order = CausalOrder()
  /// The peers that transactions may wait for; `nil` means all.
  private var scope: Set<PeerIdentity>?
  /// The location of each peer's files, if they are in a directory.
  package private(set) var logs: [PeerIdentity: PeerLog] = [:]
  /// The directories where something may arrive.
  package private(set) var directories: Set<String> = []

  /// Makes a follower without reading anything.
  package init(_ paths: [String], using fileSystem: any FileSystem = LocalFileSystem()) {
    self.paths = paths
    self.fileSystem = fileSystem
    search = LogSearch(using: fileSystem)
  }

  // MARK: Looking

  /// Finds out what exists, and treats everything as known except for the last transactions.
  ///
  /// - Parameters:
  ///   - count: the number of transactions that pass the filter to treat as new; `nil` for all.
  ///   - isStopped: called periodically; return `true` to stop reading.
  /// - Throws: `FileError`, `ContainerError` for a path that cannot be searched.
  package func start(
    last count: Int?, _ filter: TransactionFilter, isStopped: () -> Bool = { false }
  ) throws {
    try look { _ in }
    scope = try pathsAreOfPeers() ? Set(peers.keys).union(logs.keys) : nil
    let segments = peers.values.flatMap { $0.files.values.map(\.segment) }
    setHorizons(segments)
    guard let count else { return }
    var filter = filter
    filter.followNames(beside: Array(logs.values))
    var torn: [LogFinding] = []
    var window = FollowWindow(segments, filter, fileSystem)
    let first = try window.first(ofLast: count, isStopped) { torn.append($0) }
    for finding in torn { setTorn(finding) }
    for peer in peers.values {
      checkLast(of: peer)
      for file in peer.files.values { peer.done.insert(file.range) }
      if let first = first[peer.peer] { peer.done.remove(from: first) }
      dropDone(of: peer)
    }
  }

  /// Finds out what has arrived.
  ///
  /// - Parameter report: called once for each file that cannot be read and does not change.
  /// - Throws: `FileError`, `ContainerError` for a path that cannot be searched now.
  package func look(report: (LogFinding) -> Void) throws {
    horizons.forgetMissing()
    let found = try search.logs(at: paths, isNaming: false)
    directories = Set(try paths.map { try place($0) })
    var present: Set<String> = []
    for log in found {
      if let peer = log.peer { logs[peer] = log }
      if let directory = log.directory { addPlaces(around: directory) }
      for path in log.paths where present.insert(path).inserted {
        look(at: path, owner: log.peer, report)
      }
    }
    for path in known.keys where !present.contains(path) { forget(path) }
  }

  /// Whether any file could not be read and was not reported yet: it may be about to arrive.
  package var hasArriving: Bool {
    known.values.contains { if case .torn(_, _, isReported: false) = $0 { true } else { false } }
  }

  private func look(at path: String, owner: PeerIdentity?, _ report: (LogFinding) -> Void) {
    switch known[path] {
    case .done, .news: return
    case .torn(let before, let finding, let isReported):
      // If the status is unavailable, reading the file shows why.
      let status = try? fileSystem.status(path)
      if status?.size == before?.size, status?.modifiedNanoseconds == before?.modifiedNanoseconds {
        if !isReported { report(finding) }
        known[path] = .torn(before, finding, isReported: true)
        return
      }
    case nil:
      if let owner, let name = SegmentName(path.lastPathComponent), name.first <= name.last,
        peers[owner]?.done.firstMissing(in: name.first...name.last) == nil, peers[owner] != nil
      {
        known[path] = .done
        return
      }
    }
    read(path)
  }

  private func read(_ path: String) {
    // The status before the file was read; if it is unavailable, reading the file shows why.
    let status = try? fileSystem.status(path)
    do {
      let segment = try LogSegment(reading: path, fileSystem)
      let peer = peers[segment.header.peer] ?? FollowedPeer(segment.header.peer)
      peers[peer.peer] = peer
      let file = FollowedFile(segment: segment)
      let hasNews = peer.done.firstMissing(in: file.range) != nil
      known[path] = hasNews ? .news(peer.peer) : .done
      if hasNews { peer.files[path] = file }
    } catch let error as FileError where error.isMissing {
      known[path] = nil
    } catch {
      known[path] = .torn(status ?? nil, LogFinding(path: path, error), isReported: false)
    }
  }

  private func forget(_ path: String) {
    if case .news(let peer) = known[path] { peers[peer]?.files[path] = nil }
    known[path] = nil
  }

  /// Leaves a file aside until it changes.
  private func setTorn(_ finding: LogFinding) {
    forget(finding.path)
    // Without a status, any later one counts as different, so the file is read again as soon as one
    // is available.
    let status = try? fileSystem.status(finding.path)
    known[finding.path] = .torn(status ?? nil, finding, isReported: false)
  }

  private func dropDone(of peer: FollowedPeer) {
    for (path, file) in peer.files where peer.done.firstMissing(in: file.range) == nil {
      peer.files[path] = nil
      known[path] = .done
    }
  }

  private func place(_ path: String) throws(FileError) -> String {
    try fileSystem.status(path)?.kind == .directory ? path : path.parentDirectory
  }

  private func addPlaces(around directory: String) {
    directories.insert(directory.appending(component: "log"))
    var place = directory
    // The directories of the peer, of the peers, of the content name, of the content root, and the
    // container.
    for _ in 0..<5 {
      directories.insert(place)
      if paths.contains(place) { return }
      place = place.parentDirectory
    }
  }

  // MARK: The start

  /// Whether only the logs of some peers are followed.
  private func pathsAreOfPeers() throws -> Bool {
    for path in paths where try fileSystem.status(path)?.kind == .directory {
      let found = try search.logs(at: [path], isNaming: false)
      let resolved = try fileSystem.resolve(path) ?? path
      guard found.count == 1, let directory = found[0].directory,
        try fileSystem.resolve(directory).map({
          $0 == resolved || $0.appending(component: "log") == resolved
        }) ?? false
      else { return false }
    }
    return true
  }

  private func setHorizons(_ segments: [LogSegment]) {
    func raise(_ peer: PeerIdentity, to sequence: SequenceNumber) {
      let followed = peers[peer] ?? FollowedPeer(peer)
      peers[peer] = followed
      followed.horizon = max(followed.horizon, sequence)
    }
    for segment in segments {
      raise(segment.header.peer, to: segment.header.last)
      for entry in segment.header.knowledge.entries { raise(entry.peer, to: entry.sequence) }
    }
    for log in logs.values {
      guard let peer = log.peer else { continue }
      // Including those of files that cannot be read yet.
      for path in log.paths {
        if let name = SegmentName(path.lastPathComponent) { raise(peer, to: name.last) }
      }
    }
  }

  /// Reads the newest files of a peer until one is intact: the contents of a torn one are still to
  /// come.
  private func checkLast(of peer: FollowedPeer) {
    let files = peer.files.sorted { $0.value.range.upperBound > $1.value.range.upperBound }
    for (path, _) in files where check(path, of: peer) { return }
  }

  /// Whether a file can be read to its end; one that cannot is left aside.
  private func check(_ path: String, of peer: FollowedPeer) -> Bool {
    guard let file = peer.files[path] else { return false }
    if file.isWhole { return true }
    do {
      let cursor = try SegmentCursor(path, horizons: horizons, fileSystem)
      while try cursor.advance() {}
      peer.files[path]?.isWhole = true
      return true
    } catch let error as FileError where error.isMissing {
      forget(path)
    } catch {
      setTorn(LogFinding(path: path, error))
    }
    return false
  }

  // MARK: Handing out

  /// Passes on what has arrived and waits for nothing, in order of stamps as far as causes allow.
  ///
  /// - Parameters:
  ///   - isStopped: called before each.
  ///   - waiting: called once for each transaction that has to wait.
  ///   - body: reads the changes that it needs, and rethrows their errors.
  /// - Throws: what the body throws, except for `LogError` and `FileError`.
  package func forEachReady(
    _ filter: TransactionFilter, isStopped: () -> Bool = { false },
    waiting: (Waiting) -> Void, body: (LogTransaction) throws -> Void
  ) throws {
    defer { for peer in peers.values { peer.close() } }
    // What has arrived may include a migration that renames a table.
    var filter = filter
    filter.followNames(beside: Array(logs.values))
    let all = peers.values.sorted { $0.peer < $1.peer }
    for peer in all {
      // A transaction that still waits is not read again.
      if let waiting = order.waiting[peer.peer], peer.nextFile?.sequence == waiting.sequence {
        continue
      }
      settle(peer)
    }
    while !isStopped(), let position = order.next(among: all, having: self) {
      let peer = all[position]
      guard let cursor = peer.cursor, let head = peer.head, let path = peer.path else {
        // It waited, and its file is closed.
        settle(peer)
        continue
      }
      do {
        if filter.includes(peer.peer), filter.includes(head) {
          try body(LogTransaction(head, cursor, filter))
        }
        peer.done.insert(head.sequence)
        order.take(.init(peer: peer.peer, sequence: head.sequence), having: self)
        if try !cursor.advance() { peer.close() }
      } catch {
        guard error is LogError || error is FileError else { throw error }
        peer.close()
        setTorn(LogFinding(path: path, error))
      }
      if let next = peer.cursor?.transaction, !peer.done.contains(next.sequence) {
        peer.head = next
      } else {
        peer.close()
        dropDone(of: peer)
        settle(peer)
      }
    }
    for peer in all {
      guard let known = order.waiting[peer.peer], peer.toldWaiting != known.sequence else {
        continue
      }
      peer.toldWaiting = known.sequence
      waiting(known)
    }
  }

  /// Opens the file with the lowest new transaction of a peer, and moves to that transaction.
  private func settle(_ peer: FollowedPeer) {
    peer.close()
    peer.head = nil
    order.reconsider(peer.peer)
    while let (path, sequence) = peer.nextFile {
      guard check(path, of: peer) else { continue }
      do {
        let cursor = try SegmentCursor(path, horizons: horizons, fileSystem)
        while try cursor.advance(), let header = cursor.transaction, header.sequence < sequence {}
        guard let header = cursor.transaction else { return forget(path) }
        peer.head = header
        peer.cursor = cursor
        peer.path = path
        return
      } catch {
        setTorn(LogFinding(path: path, error))
      }
    }
  }
}

extension LogFollower: Presence {
  package func firstMissing(upTo entry: Knowledge.Entry) -> Knowledge.Entry? {
    if let scope, !scope.contains(entry.peer) { return nil }
    guard let followed = peers[entry.peer] else {
      return Knowledge.Entry(peer: entry.peer, sequence: SequenceNumber(1))
    }
    return followed.firstMissing(upTo: entry.sequence).map { .init(peer: entry.peer, sequence: $0) }
  }
}
