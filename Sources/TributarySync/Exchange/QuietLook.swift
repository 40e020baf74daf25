import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite
import TributaryStore

/// A look at a store and its container that neither lists the directories of peers nor reads a file.
/// `QuietMark`s are compared with it and made from it.
struct QuietLook {
  private let exchange: Exchange
  private let peers: [PeerIdentity]
  private let state: UInt64

  /// Takes a look.
  ///
  /// - Returns: `nil` if there are few peers, or if a change might be missed because a directory is missing,
  ///   changed a moment ago, or is on a file system that does not record each change.
  /// - Complexity: two looks per peer, and one per own segment and baseline.
  /// - Throws: if something cannot be read or examined. The steps that need it report it.
  init?(_ state: StoreLook.State, _ exchange: Exchange) throws {
    let (environment, directory, own) = (exchange.environment, exchange.directory, exchange.own)
    let (peers, stamps) = try environment.stamps(
      of: directory, fewest: environment.fewestMarkedPeers)
    if stamps.isEmpty { return nil }
    var words: [UInt64] = []
    for stamp in stamps {
      guard let stamp else { return nil }
      words.add(stamp.identity, stamp.changedNanoseconds)
    }
    let (segments, baselines) = (exchange.segments(of: own), directory.baseline(of: own))
    let files =
      state.segments.map { segments.path(of: $0) }
      + (try environment.names(in: [baselines], DirectoryNames()).first ?? []).sorted()
      .map { baselines.appending(component: $0) }
    for status in try environment.statuses(files) { words.add(status) }
    // A copy of the store is another file.
    guard let file = try environment.localFiles.status(exchange.connection.filePath) else {
      return nil
    }
    words.add(file.identity, 0)
    for entry in state.knowledge.entries {
      words += [entry.peer.high, entry.peer.low, entry.sequence.rawValue]
    }
    words.append(state.last?.rawValue ?? 0)
    var hash = SegmentHash()
    words.withUnsafeBytes { hash.update($0) }
    // With another policy, there may be something to do. The place changes with each write, which the other
    // settings show.
    let texts =
      [
        "\(environment.horizons) \(environment.segments) \(String(describing: environment.formats))",
        "\(state.numbers.schemaVersion) \(state.numbers.header)",
        "\(state.numbers.spent.sorted { $0.key < $1.key })",
      ] + (try Settings(exchange.connection).quoted(without: [.quiet, .notes, .place]))
    for var text in texts {
      text.append("\0")
      text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    }
    (self.exchange, self.peers, self.state) = (exchange, peers, hash.finish())
  }

  /// Whether nothing has changed since a mark was taken, as far as stamps and one share of the `peer.json`
  /// files show.
  func matches(_ mark: QuietMark) throws -> Bool {
    guard mark.state == state else { return false }
    // If the clock chose the share, a timer would always get the same shares.
    let chance = exchange.environment.randomness()
    let share = Int(chance % UInt64(QuietMark.shareCount))
    guard !(chance / UInt64(QuietMark.shareCount)).isMultiple(of: QuietMark.wholeShare) else {
      return false
    }
    return try manifests(share) == mark.manifests[share]
  }

  /// Returns a mark of what was seen.
  func mark() throws -> QuietMark {
    QuietMark(state: state, manifests: try (0..<QuietMark.shareCount).map(manifests))
  }

  /// Returns the hash of the status of each `peer.json` in a share.
  private func manifests(_ share: Int) throws -> UInt64 {
    let paths = stride(from: share, to: peers.count, by: QuietMark.shareCount).map {
      exchange.directory.manifest(of: peers[$0])
    }
    var words: [UInt64] = []
    for status in try exchange.environment.statuses(paths) { words.add(status) }
    return words.withUnsafeBytes { SegmentHash.hash($0) }
  }
}

extension [UInt64] {
  fileprivate mutating func add(_ identity: FileIdentity, _ time: Int64) {
    self += [identity.device, identity.inode, UInt64(bitPattern: time)]
  }

  /// Adds what shows whether a file has changed. Adds a single word for a missing file.
  fileprivate mutating func add(_ status: FileStatus?) {
    append(status?.size ?? .max)
    guard let status else { return }
    add(status.identity, status.modifiedNanoseconds)
    append(UInt64(bitPattern: status.changedNanoseconds))
  }
}
