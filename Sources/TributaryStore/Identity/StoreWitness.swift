package import TributaryCore
import TributaryFiles
import TributaryLog
import TributarySQLite

/// Keeps a record of what the store has published outside the store's file. If a backup is written over the
/// file, this is then recognised before the store's first write.
///
/// One witness is beside the store, and another one in the user's state directory, because a backup of the
/// whole directory also restores the first one. Neither is required: a witness that is missing, or cannot be
/// read or written, merely recognises nothing.
package struct StoreWitness: Sendable {
  private let stateDirectory: String?
  private let files: any FileSystem

  /// The suffix that is appended to the store's path.
  package static let suffix = "-witness"

  /// Makes a witness.
  ///
  /// - Parameters:
  ///   - stateDirectory: created when needed; `nil` for none.
  ///   - files: the file system of this machine, where the store is.
  package init(stateDirectory: String?, files: any FileSystem = LocalFileSystem()) {
    self.stateDirectory = stateDirectory
    self.files = files
  }

  private func paths(of store: String, _ lineage: UInt64) -> [String] {
    // SQLite resolves links before it names a file.
    [store + Self.suffix]
      + (stateDirectory.map { [$0.appending(component: Self.name(of: store, lineage))] } ?? [])
  }

  /// Returns a name that differs from those of stores at other places, and from those of other stores at the
  /// same place.
  private static func name(of store: String, _ lineage: UInt64) -> String {
    let hash = Array(store.utf8).withUnsafeBytes { SegmentHash.hash($0) }
    return "\(hash.lowerHex)-\(lineage.lowerHex)\(suffix)"
  }

  /// Returns what is recorded about the store at a place, as far as it concerns a store of the same origin.
  ///
  /// - Returns: the statements, and for each whether it comes from the state directory, which knows the
  ///   place.
  func statements(
    about store: String, lineage: UInt64
  ) -> [(statement: WitnessStatement, knowsPlace: Bool)] {
    paths(of: store, lineage).enumerated().compactMap { index, path in
      guard let bytes = try? files.read(path, limit: 1 << 20),  // Unreadable: proves nothing.
        let statement = WitnessStatement(bytes), statement.peer.lineage == lineage
      else { return nil }
      return (statement, index > 0)
    }
  }

  /// Records the store's identity and what it has written, all of which must be durable.
  ///
  /// Callers must not do this concurrently for the same store.
  package func testify(for connection: Connection, upTo last: Outbox.Record) throws {
    let peer = try Settings(connection).peer()
    testify(
      WitnessStatement(
        peer: peer, sequence: last.sequence, time: last.time,
        former: try FormerIdentities(connection).all().map(\.peer)),
      about: connection.filePath)
  }

  private func testify(_ statement: WitnessStatement, about store: String) {
    let bytes = statement.bytes
    for (index, path) in paths(of: store, statement.peer.lineage).enumerated() {
      // If a witness cannot be written, it recognises less, but that is no reason not to publish.
      do {
        try files.replace(path, with: bytes)
      } catch {
        guard index > 0, error.isMissing, let stateDirectory else { continue }
        // For the same reason, these failures do not matter.
        try? files.makeDirectories(stateDirectory)
        try? files.replace(path, with: bytes)
      }
    }
  }

  /// Removes the records of a store that no longer exists.
  package func dismiss(_ store: String, of peer: PeerIdentity) {
    for path in paths(of: store, peer.lineage) {
      // A remaining record belongs to a different store than any later one.
      try? files.remove(path)
    }
  }
}
