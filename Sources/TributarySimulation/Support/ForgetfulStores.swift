import Foundation
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// Two stores, `a` and `b`, that have forgotten the first writes of both. Only the last of their segments is
/// left, and baselines declare the horizon.
///
/// If opened with the usual environment, they forget nothing more.
package struct ForgetfulStores {
  package let directory: String
  package var container: String { directory + "/container" }

  package static let names = ["a", "b"]
  private static let schema = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"

  /// Makes them in an empty directory: each writes three rows, which are then forgotten, and one more.
  package init(in directory: String) throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      atPath: container, withIntermediateDirectories: true)
    for name in Self.names {
      var request = AttachRequest(
        store: path(name), container: container, contentName: "Library")
      request.migrations = [Migration(name: "1", sql: Self.schema)]
      request.peerName = name
      _ = try Engine.attach(request, environment: environment(forgetting: false))
    }
    for id in 1...3 {
      try write("INSERT INTO notes VALUES (\(id), 'old')", on: "a")
      try write("INSERT INTO notes VALUES (\(10 + id), 'old')", on: "b")
      try synchronize()
    }
    for log in logs { try FileManager.default.copyItem(atPath: log, toPath: kept(log)) }
    try forget()
    try write("UPDATE notes SET text = 'new' WHERE id = 1", on: "a")
    try write("INSERT INTO notes VALUES (20, 'new')", on: "b")
    try synchronize()
  }

  /// The directories of the segments.
  private var logs: [String] {
    let all = FileManager.default.enumerator(atPath: container)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix("/log") }.sorted().map { "\(container)/\($0)" }
  }

  private func kept(_ log: String) -> String {
    directory + "/" + log.dropFirst(container.count + 1).replacingOccurrences(of: "/", with: "-")
  }

  package func path(_ name: String) -> String { "\(directory)/\(name).db" }

  /// Writes in one transaction, and publishes it.
  package func write(_ sql: String, on name: String) throws {
    let session = try session(name)
    defer { session.store.close() }
    awaitClockTick()
    try session.store.write { try $0.execute(sql) }
    if let failure = try session.synchronize().failure { throw failure }
  }

  /// Makes both stores, or some, synchronise as often as necessary.
  package func synchronize(
    _ names: [String] = names, forgetting: Bool = false, rounds: Int = 2
  ) throws {
    for _ in 0..<rounds {
      for name in names {
        let session = try session(name, forgetting: forgetting)
        defer { session.store.close() }
        awaitClockTick()
        if let failure = try session.synchronize().failure { throw failure }
      }
    }
  }

  /// Makes both stores, or some, forget everything they have.
  package func forget(_ names: [String] = names) throws {
    // A store that is asked to promise must have said before that it can.
    try synchronize(names, forgetting: true)
    let session = try session(names[0], forgetting: true)
    defer { session.store.close() }
    // This proposes at once; otherwise a store checks for an opportunity once an hour.
    _ = try session.writeBaseline()
    try synchronize(names, forgetting: true, rounds: 6)
  }

  /// Returns the files with a suffix in the container, in ascending order.
  package func files(_ suffix: String, in folder: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: container)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(suffix) && $0.contains("/\(folder)/") }.sorted()
      .map { "\(container)/\($0)" }
  }

  /// The baselines in the container, in ascending order.
  package var baselines: [String] { files(".lz4", in: "baseline") }

  /// The ways in which a baseline may be lost.
  package enum Loss: String, CaseIterable, Sendable {
    /// Its last bytes are missing.
    case cut
    /// Most of its header is missing, too.
    case beheaded
    case gone
  }

  /// Makes baselines get lost.
  package func lose(_ baselines: [String], _ loss: Loss) throws {
    for baseline in baselines {
      let bytes = try Data(contentsOf: URL(filePath: baseline))
      switch loss {
      case .cut: try bytes.dropLast(9).write(to: URL(filePath: baseline))
      case .beheaded: try bytes.prefix(20).write(to: URL(filePath: baseline))
      case .gone: try FileManager.default.removeItem(atPath: baseline)
      }
    }
  }

  /// Brings the removed segments back, as a carrier may.
  package func bringBackSegments() throws {
    for log in logs {
      for file in try FileManager.default.contentsOfDirectory(atPath: kept(log))
      where !FileManager.default.fileExists(atPath: "\(log)/\(file)") {
        try FileManager.default.copyItem(atPath: "\(kept(log))/\(file)", toPath: "\(log)/\(file)")
      }
    }
  }

  private func session(_ name: String, forgetting: Bool = false) throws -> SyncSession {
    try SyncSession(store: path(name), environment: environment(forgetting: forgetting))
  }

  private func environment(forgetting: Bool) -> StoreEnvironment {
    var environment = StoreEnvironment()
    environment.horizons = forgetting ? .eager : .off
    environment.stateDirectory = nil
    return environment
  }
}

/// Calls the body with two stores that have forgotten.
package func withForgetfulStores(_ body: (ForgetfulStores) throws -> Void) throws {
  try withTemporaryDirectory { try body(ForgetfulStores(in: $0)) }
}
