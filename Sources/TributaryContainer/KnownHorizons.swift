internal import Synchronization
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog

/// The horizons above which segments and receipts are written, by the identifiers of their declarations:
/// those that callers have added, and those that baselines of the same content directory declare.
///
/// Everything that is read above one horizon shares its entries.
package final class KnownHorizons: Sendable {
  private struct State {
    var declarations: [UInt64: Declaration] = [:]
    /// By the directory of all peers: declarations that no baseline there has.
    var missing: [String: Set<UInt64>] = [:]
  }

  private let state = Mutex(State())
  private let isPrepared = Atomic(false)

  /// Makes a value that knows only the horizons of baselines.
  package init() {}

  /// Adds the horizon of a declaration, which determines its identifier.
  package func add(_ declaration: Declaration) {
    state.withLock { state in
      guard state.declarations[declaration.identifier] == nil else { return }
      var declaration = declaration
      declaration.horizon = declaration.horizon.shared()
      state.declarations[declaration.identifier] = declaration
    }
  }

  /// Adds declarations at the first call.
  package func prepare(_ declarations: () -> [Declaration]) {
    guard !isPrepared.exchange(true, ordering: .relaxed) else { return }
    for declaration in declarations() { add(declaration) }
  }

  /// Looks again for declarations that were not found.
  package func forgetMissing() { state.withLock { $0.missing = [:] } }

  /// Returns the horizon above which a segment is written; `nil` if it is not known.
  ///
  /// - Parameter path: the file of the segment. Baselines are looked for only if it is in a peer's log.
  /// - Complexity: as `declaration`.
  package func horizon(
    _ horizon: SegmentHorizon, ofSegment path: String, using fileSystem: any FileSystem
  ) -> Knowledge? {
    let log = path.parentDirectory
    let peers = log.lastPathComponent == "log" ? log.parentDirectory.parentDirectory : nil
    return declaration(horizon.declaration, beside: peers, fileSystem)?.horizon
  }

  /// Returns a declaration, whose horizon is shared by all callers; `nil` if it is not known.
  ///
  /// The header of a baseline is enough: an identifier is the hash of what it stands for, and only readers of
  /// the baseline's rows depend on the rest being intact.
  ///
  /// - Complexity: O(1) for a known one; otherwise, once, a listing for each peer and a header for each baseline.
  package func declaration(
    _ identifier: UInt64, in directory: ContentDirectory, using fileSystem: any FileSystem
  ) -> Declaration? {
    // Usually it is known, and no path is needed.
    state.withLock { $0.declarations[identifier] }
      ?? declaration(identifier, beside: directory.peers, fileSystem)
  }

  private func declaration(
    _ identifier: UInt64, beside peers: String?, _ fileSystem: any FileSystem
  ) -> Declaration? {
    let (known, isMissing) = state.withLock { state in
      (
        state.declarations[identifier],
        peers.map { state.missing[$0]?.contains(identifier) ?? false } ?? true
      )
    }
    guard known == nil, !isMissing, let peers else { return known }
    readBaselines(in: peers, fileSystem)
    return state.withLock { state in
      if let declaration = state.declarations[identifier] { return declaration }
      state.missing[peers, default: []].insert(identifier)
      return nil
    }
  }

  /// Adds what baselines declare. A baseline that cannot be listed or read counts as missing; `doctor` names
  /// it.
  private func readBaselines(in peers: String, _ fileSystem: any FileSystem) {
    for file in BaselineFile.all(in: peers, using: fileSystem) {
      if let declaration = try? file.header(using: fileSystem).declaration { add(declaration) }
    }
  }
}
