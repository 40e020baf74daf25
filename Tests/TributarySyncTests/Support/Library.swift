import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// A music library that declares what makes artists the same.
enum Library {
  static let script = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, born INTEGER);
    CREATE TABLE album (
      id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist (id) ON DELETE CASCADE);
    CREATE TABLE tagging (
      album INTEGER REFERENCES album (id), artist INTEGER REFERENCES artist (id),
      PRIMARY KEY (album, artist)) WITHOUT ROWID;
    CREATE TABLE play (id INTEGER PRIMARY KEY, artist_id TEXT, day TEXT)
    """
  static let merge = MergeOptions(tables: [
    "artist": TableMerge(identifyingColumns: ["name"]),
    "play": TableMerge(references: ["artist_id": DeclaredReference("artist", "id")]),
  ])
}

/// Opens a store for each name, the first of which declares how tables merge. In the end, a verification, a new
/// device and a rebuild must find the same.
func withDevices(
  _ names: [String], _ script: String, _ merge: MergeOptions,
  _ body: (SyncDevices, [SyncSession]) throws -> Void
) throws {
  try withTemporaryDirectory { directory in
    let devices = try SyncDevices(in: directory)
    let sessions = try names.map { name in
      let session = try devices.open(name, script, merge: name == names[0] ? merge : nil)
      try session.exchange()
      return session
    }
    try body(devices, sessions)
    for name in names {
      #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
    }
    // A device without a store makes the same of the logs, and so does a rebuild.
    let digest = try sessions[0].store.digest().total
    do {
      let late = try devices.open("late")
      try late.exchange()
      #expect(try late.store.digest().total == digest)
      #expect(try late.conflicts().map(\.id) == sessions[0].conflicts().map(\.id))
    }
    _ = try Engine.rebuild(store: devices.path("late"))
    #expect(try SyncSession(store: devices.path("late")).store.digest().total == digest)
  }
}
