import TributaryContainer
import TributaryStore

extension PeerManifests {
  /// Whether a device states that it has written, or imported, the rows of a migration that runs once.
  func haveWritten(_ migration: Migration) -> Bool {
    all.values.contains { $0.schema.written.contains(migration.mark) }
  }
}
