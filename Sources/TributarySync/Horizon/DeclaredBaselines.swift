import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog

/// The baselines of a container, of which each header is read once, and each file to its end once.
final class DeclaredBaselines: Sendable {
  /// A baseline whose header can be read.
  struct Baseline {
    /// Who has it in its directory.
    var peer: PeerIdentity
    var name: BaselineName
    var header: BaselineHeader
  }

  private struct State {
    var headers: [String: BaselineHeader] = [:]
    /// The sizes of the files that have been read to their end.
    var verified: [String: UInt64] = [:]
  }

  private let state = Mutex(State())

  /// Returns all baselines whose header can be read now. A damaged one counts as not there; `doctor` names it.
  ///
  /// - Throws: `ContainerError` if the container does not answer.
  func all(of exchange: Exchange) throws -> [Baseline] {
    // The store may have written one since the listing.
    let peers = exchange.listing.peers.filter { $0.hasBaselines || $0.peer == exchange.own }
      .map(\.peer)
    let paths = peers.map { exchange.directory.baseline(of: $0) }
    var found: [Baseline] = []
    var present: Set<String> = []
    for (peer, names) in zip(peers, try exchange.environment.names(in: paths)) {
      let baselines = exchange.baselines(of: peer)
      for name in names.compactMap({ BaselineName($0) }).sorted() {
        let path = baselines.path(of: name)
        present.insert(path)
        guard let header = try header(of: name, in: baselines, path) else { continue }
        found.append(Baseline(peer: peer, name: name, header: header))
      }
    }
    state.withLock { state in
      state.headers = state.headers.filter { present.contains($0.key) }
      state.verified = state.verified.filter { present.contains($0.key) }
    }
    return found
  }

  private func header(
    of name: BaselineName, in baselines: BaselineStore, _ path: String
  ) throws -> BaselineHeader? {
    if let known = state.withLock({ $0.headers[path] }) { return known }
    do {
      let header = try baselines.header(of: name)
      state.withLock { $0.headers[path] = header }
      return header
    } catch let error as ContainerError {
      if error.code == .unresponsive { throw error }
      return nil
    }
  }

  /// Whether a baseline can be read to its end, with every checksum right.
  ///
  /// - Throws: `ContainerError` if the container does not answer.
  func isWhole(_ baseline: Baseline, in exchange: Exchange) throws -> Bool {
    let baselines = exchange.baselines(of: baseline.peer)
    let path = baselines.path(of: baseline.name)
    do {
      guard let size = try baselines.size(of: baseline.name) else { return false }
      if state.withLock({ $0.verified[path] }) == size { return true }
      try baselines.read(baseline.name)
      state.withLock { $0.verified[path] = size }
      return true
    } catch let error as ContainerError {
      if error.code == .unresponsive { throw error }
      return false
    }
  }
}

extension BaselineHeader {
  /// What is in the baseline.
  var contents: Knowledge {
    Knowledge(entries.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) })
  }
}

extension DeclaredBaselines.Baseline {
  /// Whether a store that needs a baseline of a declaration can use this one: it declares that, or a later one that
  /// follows it.
  func covers(_ declaration: Declaration) -> Bool {
    header.declaration.map { $0 == declaration || $0.follows(declaration) } ?? false
  }
}
