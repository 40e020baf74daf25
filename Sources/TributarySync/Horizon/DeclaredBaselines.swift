import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// The baselines of a container. Each header is read once a session, and each file is read to the end once:
/// the store remembers which files were whole, and how they looked then. What was read from a damaged file
/// says nothing about the file that replaces it.
final class DeclaredBaselines: Sendable {
  /// A baseline whose header can be read.
  struct Baseline {
    /// The peer in whose directory it is.
    var peer: PeerIdentity
    var name: BaselineName
    var header: BaselineHeader
  }

  private struct State {
    /// The headers, and how the files looked when these were read.
    var headers: [String: (header: BaselineHeader, appearance: FileAppearance?)] = [:]
    /// How the files looked that have been read to the end.
    var verified: [String: FileAppearance] = [:]
    /// The same, as the store remembers it; `nil` before the store was asked.
    var remembered: [String: FileAppearance]?
    /// What is wrong with files, and their status at that time.
    var damaged: [String: Damage] = [:]
  }

  private struct Damage {
    var reason: String
    var status: FileStatus?
    /// Whether the file does not belong there. Its owner cannot replace it by writing another baseline.
    var isStray: Bool
  }

  private let state = Mutex(State())
  private let names: DirectoryNames

  /// Makes an empty memory.
  ///
  /// - Parameter fewest: the fewest directories of baselines whose names are remembered.
  init(fewest: Int = ListingMemory.fewest) { names = DirectoryNames(fewest: fewest) }

  /// Returns all baselines whose header can be read now. A damaged baseline counts as missing; `doctor` names
  /// it.
  ///
  /// - Throws: `ContainerError` if the container does not answer, or no more files can be opened.
  func all(of exchange: Exchange) throws -> [Baseline] {
    // The store may have written a baseline since the listing.
    return try all(
      in: exchange.listing, exchange.directory, exchange.environment, besides: exchange.own
    ) { exchange.memory.vanishing.note($1) }
  }

  /// Returns all baselines of a listing whose header can be read now.
  ///
  /// - Parameters:
  ///   - other: a peer that may have baselines that are not in the listing.
  ///   - report: called with the path of each of the others, and what is wrong with it.
  /// - Throws: `ContainerError` if the container does not answer, or no more files can be opened.
  func all(
    in listing: ContentListing, _ directory: ContentDirectory, _ environment: StoreEnvironment,
    besides other: PeerIdentity? = nil, report: (String, ContainerError) -> Void = { _, _ in }
  ) throws -> [Baseline] {
    let peers = listing.peers.filter { $0.hasBaselines || $0.peer == other }.map(\.peer)
    forgetDamage(environment)
    var found: [Baseline] = []
    var present: Set<String> = []
    if let other, listing.peers.contains(where: { $0.peer == other && $0.lacksBaselineDirectory }) {
      let path = directory.baseline(of: other)
      present.insert(path)
      noteStray(
        "\(path) is not a directory, so no baseline can be written there; "
          + ContainerError.misplacedRemedy, path, try environment.statuses([path])[0])
    }
    let all = try environment.names(in: peers.map { directory.baseline(of: $0) }, names)
    for (peer, names) in zip(peers, all) where !names.isEmpty {
      let baselines = BaselineStore(directory, peer: peer, using: environment.fileSystem)
      for name in names.compactMap({ BaselineName($0) }).sorted() {
        let path = baselines.path(of: name)
        present.insert(path)
        do {
          let header = try header(of: name, in: baselines, path)
          found.append(Baseline(peer: peer, name: name, header: header))
        } catch let error as ContainerError {
          if error.stopsAll { throw error }
          note(error, path, try? baselines.status(of: name))
          report(path, error)
        }
      }
    }
    state.withLock { state in
      state.headers = state.headers.filter { present.contains($0.key) }
      state.damaged = state.damaged.filter { present.contains($0.key) }
      state.verified = state.verified.filter { present.contains($0.key) }
    }
    return found
  }

  /// Forgets what was read from damaged files that have been replaced or removed.
  private func forgetDamage(_ environment: StoreEnvironment) {
    let damaged = state.withLock { $0.damaged }
    if damaged.isEmpty { return }
    let paths = Array(damaged.keys)
    for (path, look) in zip(paths, environment.looks(paths)) {
      // A file that cannot be examined now may be the same.
      guard case .success(let status) = look, status != damaged[path]?.status else { continue }
      state.withLock { state in
        state.headers[path] = nil
        state.damaged[path] = nil
      }
    }
  }

  private func header(
    of name: BaselineName, in baselines: BaselineStore, _ path: String
  ) throws -> BaselineHeader {
    if let known = state.withLock({ $0.headers[path] }) { return known.header }
    let status = try baselines.status(of: name)
    let header = try baselines.header(of: name)
    state.withLock { state in
      state.headers[path] = (header, status.map { FileAppearance($0) })
      state.damaged[path] = nil
    }
    return header
  }

  /// Whether a baseline can be read to the end, with every checksum right, and has the header that is known.
  ///
  /// - Throws: `ContainerError` if the container does not answer, or no more files can be opened.
  func isWhole(_ baseline: Baseline, in exchange: Exchange) throws -> Bool {
    try recall(exchange.connection)
    let baselines = exchange.baselines(of: baseline.peer)
    let path = baselines.path(of: baseline.name)
    do {
      guard let status = try baselines.status(of: baseline.name) else { return false }
      let present = FileAppearance(status)
      let isKnown = state.withLock {
        $0.verified[path] == present && $0.headers[path]?.appearance == present
      }
      if isKnown { return true }
      let header = try baselines.read(baseline.name)
      state.withLock { state in
        state.verified[path] = present
        state.headers[path] = (header, present)
        state.damaged[path] = nil
      }
      return header == baseline.header
    } catch let error as ContainerError {
      if error.stopsAll { throw error }
      note(error, path, try? baselines.status(of: baseline.name))
      return false
    }
  }

  /// Records what is wrong with a file. A file that cannot be read now, or has a newer format, is not
  /// damaged.
  private func note(_ error: ContainerError, _ path: String, _ status: FileStatus??) {
    let status = status ?? nil
    if error.code == .damagedFile {
      state.withLock {
        $0.damaged[path] = Damage(reason: error.message, status: status, isStray: false)
      }
    } else if error.code == .foreign {
      noteStray("\(error.message); \(error.remedy)", path, status)
    } else if error.isWrongKind {
      noteStray(
        "\(path) is a directory, a link or a device where a baseline belongs; move it elsewhere",
        path, status)
    }
  }

  private func noteStray(_ reason: String, _ path: String, _ status: FileStatus?) {
    state.withLock { $0.damaged[path] = Damage(reason: reason, status: status, isStray: true) }
  }

  /// The files that were found damaged and still exist, in order of path.
  ///
  /// - Parameter milliseconds: files that were modified after this time may still be arriving, and are left
  ///   out.
  /// - Complexity: one status for each.
  func damaged(
    before milliseconds: UInt64, _ environment: StoreEnvironment
  ) -> [(path: String, reason: String)] {
    forgetDamage(environment)
    return state.withLock { state in
      state.damaged.filter { $0.value.status?.modifiedMilliseconds ?? 0 < milliseconds }
        .sorted { $0.key < $1.key }
        .map { ($0.key, $0.value.reason) }
    }
  }

  /// Whether any file was found damaged.
  var hasDamaged: Bool { state.withLock { !$0.damaged.isEmpty } }

  /// Whether a file in a directory was found damaged that its owner can replace.
  func hasDamaged(in directory: String) -> Bool {
    state.withLock { state in
      state.damaged.contains { !$0.value.isStray && Self.isFile($0.key, in: directory) }
    }
  }

  /// Returns a directory and the files that are known in it, in order; empty if none are known.
  func known(in directory: String) -> [String] {
    let paths = state.withLock { state in
      Set(state.headers.keys).union(state.damaged.keys).filter { Self.isFile($0, in: directory) }
    }
    return paths.isEmpty ? [] : [directory] + paths.sorted()
  }

  private static func isFile(_ path: String, in directory: String) -> Bool {
    path.utf8.starts(with: "\(directory)/".utf8)
  }

  // MARK: Remembering

  /// Reads once what the store remembers. Entries that cannot be read are verified again.
  private func recall(_ connection: Connection) throws {
    guard state.withLock({ $0.remembered == nil }) else { return }
    var known: [String: FileAppearance] = [:]
    for line in try Settings(connection).lines(.whole) {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let appearance = FileAppearance(words: words[0..<2]) else { continue }
      known[String(words[2])] = appearance
    }
    state.withLock { state in
      state.remembered = known
      state.verified.merge(known) { present, _ in present }
    }
  }

  /// Makes the store remember what has been verified, if there is anything new.
  func remember(in connection: Connection) throws {
    let (verified, known) = state.withLock { ($0.verified, $0.remembered) }
    guard let known, known != verified else { return }
    let lines = verified.sorted { $0.key < $1.key }.map { path, appearance in
      "\(appearance.text) \(path)"
    }
    try Settings(connection).set(.whole, lines: lines)
    state.withLock { $0.remembered = verified }
  }
}

extension BaselineHeader {
  /// The transactions in the baseline.
  var contents: Knowledge {
    Knowledge(entries.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) })
  }
}

extension DeclaredBaselines.Baseline {
  /// Whether a store that needs a baseline of a declaration can use this one: it declares the same, or a
  /// later declaration that follows it.
  func covers(_ declaration: Declaration) -> Bool {
    header.declaration.map { $0 == declaration || $0.follows(declaration) } ?? false
  }
}

extension PeerListing {
  /// Whether something else is in place of the directory of its baselines.
  fileprivate var lacksBaselineDirectory: Bool {
    ignored.contains { $0.reason == .wrongKind && $0.path == "baseline" }
  }
}
