import TributaryContainer
import TributarySQLite
import TributaryStore

extension NameChanges {
  /// Learns what migrations have renamed and dropped on other devices: their logs use the new names.
  ///
  /// - Throws: `SyncError` with the code `foreignSchema` if something cannot be read. Nothing is recorded
  ///   then.
  static func take(from manifests: PeerManifests, into connection: Connection) throws {
    var theirs: [NameChange] = []
    for manifest in manifests.ordered where !manifest.schema.names.isEmpty {
      theirs +=
        try manifest.schema.nameChanges(at: manifests.directory.manifest(of: manifest.peer)).all
    }
    guard !theirs.isEmpty else { return }
    func united() throws -> NameChanges? {
      let known = try NameChanges(connection)
      var names = known
      names.add(theirs)
      return names == known ? nil : names
    }
    guard try united() != nil else { return }
    // Another process may have run a migration meanwhile that declared some of these changes.
    try connection.atomic { try united()?.write(to: connection) }
  }
}

extension PeerManifests {
  /// Returns what the migrations of all devices have renamed and dropped, in addition to what a store knows.
  func nameChanges(besides known: NameChanges) throws -> NameChanges {
    var names = known
    for manifest in ordered where !manifest.schema.names.isEmpty {
      names.add(try manifest.schema.nameChanges(at: directory.manifest(of: manifest.peer)).all)
    }
    return names
  }
}

extension ManifestSchema {
  /// What migrations have renamed and dropped.
  ///
  /// - Parameter path: the file that states it.
  package func nameChanges(at path: String) throws -> NameChanges {
    NameChanges(
      try names.map { line in
        guard let change = NameChange(line) else {
          throw SyncError(
            .foreignSchema, "a renaming in the file cannot be read: \(line)", path: path,
            remedy: "install the newer Tributary that wrote it")
        }
        return change
      })
  }
}
