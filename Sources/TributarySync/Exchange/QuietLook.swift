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
  /// The directories of the peers.
  let stamps: PeerStamps
  /// The hash of all that a synchronisation depends on, except for the peers' manifests; `nil` if a change might
  /// be missed because a directory is missing, changed a moment ago, or is on a file system that does not
  /// record each change.
  private var state: UInt64?
  /// Whether everything should be examined anew.
  private(set) var isWhole = false
  /// The share of the manifests that was examined; `nil` if none was.
  private(set) var share: Int?
  /// The status of each peer's manifest, in the order of the peers, once it is known.
  var statuses: [FileStatus?]?

  /// Takes a look.
  ///
  /// - Returns: `nil` if there are few peers.
  /// - Complexity: two looks per peer, and one per own segment and baseline.
  /// - Throws: if something cannot be read or examined. The steps that need it report it.
  init?(_ state: StoreLook.State, _ exchange: Exchange) throws {
    let (environment, directory, own) = (exchange.environment, exchange.directory, exchange.own)
    guard
      let seen = try environment.stamps(of: directory, fewest: environment.fewestRememberedPeers)
    else { return nil }
    (self.exchange, stamps) = (exchange, seen)
    var words: [UInt64] = []
    for stamp in seen.stamps {
      guard let stamp else { return }
      words.add(stamp.identity, stamp.changedNanoseconds)
    }
    let (segments, baselines) = (exchange.segments(of: own), directory.baseline(of: own))
    let files =
      state.segments.map { segments.path(of: $0) }
      + (try environment.names(in: [baselines], DirectoryNames()).first ?? []).sorted()
      .map { baselines.appending(component: $0) }
    for status in try environment.statuses(files) { words.add(status) }
    // A copy of the store is another file.
    guard let file = try environment.localFiles.status(exchange.connection.filePath) else { return }
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
    self.state = hash.finish()
  }

  /// Whether nothing has changed since a mark was taken, as far as stamps and one share of the `peer.json`
  /// files show.
  mutating func matches(_ mark: QuietMark) throws -> Bool {
    guard mark.state == state else { return false }
    // If the clock chose the share, a timer would always get the same shares.
    let chance = exchange.environment.randomness()
    let share = Int(chance % UInt64(QuietMark.shareCount))
    isWhole = (chance / UInt64(QuietMark.shareCount)).isMultiple(of: QuietMark.wholeShare)
    if isWhole { return false }
    self.share = share
    let paths = indices(of: share).map { exchange.directory.manifest(of: stamps.peers[$0]) }
    return hash(try exchange.environment.statuses(paths)) == mark.manifests[share]
  }

  /// A mark of what was seen; `nil` if a change might be missed.
  var mark: QuietMark? {
    guard let state, let statuses, statuses.count == stamps.peers.count else { return nil }
    return QuietMark(
      state: state,
      manifests: (0..<QuietMark.shareCount).map { share in
        hash(indices(of: share).map { statuses[$0] })
      })
  }

  /// Returns the places of the peers in a share.
  private func indices(of share: Int) -> some Sequence<Int> {
    stride(from: share, to: stamps.peers.count, by: QuietMark.shareCount)
  }

  /// Returns the hash of the status of each `peer.json` in a share.
  private func hash(_ statuses: [FileStatus?]) -> UInt64 {
    var words: [UInt64] = []
    for status in statuses { words.add(status) }
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
