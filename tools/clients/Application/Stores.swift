import Foundation
import Tributary

struct Album: Equatable {
  var id: Int64
  var title: String
}

extension Album {
  init?(_ row: Row) {
    guard let id = row["id"]?.integerValue, let title = row.string("title") else { return nil }
    self.init(id: id, title: title)
  }
}

struct Rating: ValueConvertible {
  var stars: Int

  var value: Value { stars.value }
}

final class Library: Sendable {
  let store: Store

  static let schema: Schema = [
    Migration(name: "001", sql: "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)"),
    Migration(name: "002", rows: .perDevice, renames: ["a": "b"], drops: ["c"]) { database in
      try database.execute("ALTER TABLE album ADD COLUMN rating INTEGER")
    },
  ]

  init(at path: String, in directory: String) async throws {
    let merge = MergeOptions(
      tables: [
        "album": TableMerge(
          merge: .column, keys: .natural, columns: ["rating": .max], knownBy: .unique(["title"]),
          references: ["artist": DeclaredReference("artist", "id")])
      ],
      foreignKeys: .enforce)
    var options = StoreOptions(
      contentName: "Library", container: try Container(at: directory), schema: Self.schema,
      peerName: "desk", tables: .except(["draft"]), merge: merge)
    options.synchronous = .full
    options.capture = .triggers
    options.spaceLimit = 1 << 30
    options.pollInterval = .seconds(1)
    options.environment.containerLimit = .seconds(5)
    options.environment.stateDirectory = nil
    store = try await Store.open(at: path, options: options)
  }

  func add(_ album: Album, _ rating: Rating?) throws -> Version {
    try store.write { database in
      try database.execute(
        "INSERT INTO album VALUES (?, ?, ?)", album.id, album.title, rating)
      try database.execute(
        "UPDATE album SET title = :title", ["title": album.title] as Arguments)
      let statement = try database.prepare("DELETE FROM album WHERE id = ?")
      try statement.bind(5, at: 1)
      try statement.run()
      try database.savepoint { try database.execute("DELETE FROM draft") }
      return try database.version
    }
  }

  func albums() async throws -> [Album] {
    try await store.async.read { database in
      var seconds = 0.0
      try database.forEach("SELECT length FROM track WHERE album = ?", [5]) { row in
        seconds += row.real(at: 0) ?? 0
        _ = row.copy().description
      }
      return try database.query("SELECT id, title FROM album").compactMap(Album.init)
    }
  }

  func rename(_ id: Int64, seenAt version: Version) throws {
    try store.write(basedOn: Version(version.description) ?? version) { database in
      try database.execute("UPDATE album SET title = ? WHERE id = ?", "Blue", id)
    }
  }

  func follow() async throws {
    for await change in store.imports {
      let table: SQLName = "album"
      for key in change.tables[table]?.inserted.keys ?? [] { print(key[0]) }
      print(change.peers.map(\.peer.description), change.peers.map(\.last.rawValue))
      if change.mayHaveChangedEverything || change.isByAnotherProcess { break }
    }
    for await report in store.reports {
      print(report.imported.transactions, report.published.segments, report.failure as Any)
      print(report.waiting.map(\.description), report.delays.map(\.remedy))
      print(report.stopped.map(\.message), report.space?.used as Any)
      print(report.returned?.reissued as Any, report.renewal?.former as Any)
      print(report.uncaptured?.tables as Any)
    }
    for await conflicts in store.newConflicts {
      for conflict in conflicts where conflict.kind == .update {
        print(conflict.winner.time.milliseconds, conflict.values.map(\.column))
        try store.resolve(conflict, .restore)
      }
    }
  }

  func inspect() async throws {
    let report = try await store.synchronize()
    print(report.isEmpty)
    let status = try store.status()
    print(status.identity.container, status.keys.map(\.table), status.space.used)
    print(status.space.container?.reclaimable as Any, status.trouble?.reason as Any)
    for waiting in status.waiting {
      if case .schema(let refusal) = waiting.reason { print(refusal.remedy) }
    }
    print(try store.verify().differences.map(\.description))
    for finding in try store.diagnose() where finding.severity == .damage {
      print(finding.code.rawValue, finding.explanation, finding.remedy)
    }
    for peer in try store.peers() where peer.state == .silent { print(peer.name) }
    let schemas = try store.schemaReport()
    print(schemas.peers.flatMap(\.differences).map(\.text), schemas.steps.map(\.position))
    print(try store.retire("tablet").standing.name, try store.writeBaseline().bytes)
    try store.backup(to: "/tmp/copy.db")
    store.close()
    print(try await Store.rebuild(at: store.path).setAside?.path as Any)
    try store.detach()
  }
}

func note(_ center: NotificationCenter) {
  _ = center.addObserver(forName: .didImportUbiquitousContentChanges, object: nil, queue: nil) {
    print($0.userInfo?[ImportNotificationKey.change] as? ImportChange as Any)
  }
}
