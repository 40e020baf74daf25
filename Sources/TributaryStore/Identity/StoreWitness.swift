public import TributaryCore
public import TributaryFiles
import TributaryLog
public import TributarySQLite

/// Keeps outside of a store's file what the store has published, so that a backup that is written over
/// the file is found out before its first write.
///
/// One witness is beside the store, another one in the user's state directory: a backup of the whole
/// directory brings the first one back, too. Neither is needed: one that is missing, or cannot be read
/// or written, finds out nothing.
public struct StoreWitness: Sendable {
  private let stateDirectory: String?
  private let files: any FileSystem

  /// Added to the store's path.
  public static let suffix = "-witness"

  /// - Parameters:
  ///   - stateDirectory: is made when needed; `nil` for none.
  ///   - files: of this machine, where the store is.
  public init(stateDirectory: String?, files: any FileSystem = LocalFileSystem()) {
    self.stateDirectory = stateDirectory
    self.files = files
  }

  private func paths(of store: String, _ lineage: UInt64) -> [String] {
    // SQLite follows links before it names a file.
    [store + Self.suffix]
      + (stateDirectory.map { [$0.appending(component: Self.name(of: store, lineage))] } ?? [])
  }

  /// A store elsewhere, and another one at the same place, have other names.
  private static func name(of store: String, _ lineage: UInt64) -> String {
    let hash = Array(store.utf8).withUnsafeBytes { SegmentHash.hash($0) }
    return "\(hash.lowerHex)-\(lineage.lowerHex)\(suffix)"
  }

  /// What is said of the store at a place, as far as it is of one with the same beginnings.
  ///
  /// - Returns: whether it is said by the state directory, too, which knows the place.
  func statements(
    about store: String, lineage: UInt64
  ) -> [(statement: WitnessStatement, knowsPlace: Bool)] {
    paths(of: store, lineage).enumerated().compactMap { index, path in
      guard let bytes = try? files.read(path, limit: 1 << 20),  // What cannot be read says nothing.
        let statement = WitnessStatement(bytes), statement.peer.lineage == lineage
      else { return nil }
      return (statement, index > 0)
    }
  }

  /// Writes down who the store is and what it has written, all of which must be durable.
  ///
  /// Only one at a time may do that for one store.
  public func testify(for connection: Connection, upTo last: Outbox.Record) throws {
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
      // A witness that cannot be written finds out less, and is no reason not to publish.
      do {
        try files.replace(path, with: bytes)
      } catch {
        guard index > 0, error.isMissing, let stateDirectory else { continue }
        // For the same reason neither of these matters.
        try? files.makeDirectories(stateDirectory)
        try? files.replace(path, with: bytes)
      }
    }
  }

  /// Removes what is said of a store that is none any more.
  public func dismiss(_ store: String, of peer: PeerIdentity) {
    for path in paths(of: store, peer.lineage) {
      // What stays behind is of another store than any that comes after it.
      try? files.remove(path)
    }
  }
}
