import Foundation
import Tributary
import TributaryTesting

/// Devices that share one container, each with a store that synchronises only when told.
struct Devices {
  let directory: String
  let container: Container
  private let clock = OrderedClock()

  static let schema: Schema = [
    Migration(
      name: "001",
      sql: """
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT UNIQUE, rating INTEGER);
        CREATE TABLE track (
          id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id) ON DELETE CASCADE, title TEXT)
        """)
  ]

  init(in directory: String) throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      atPath: directory + "/shared", withIntermediateDirectories: true)
    container = try Container(at: directory + "/shared")
  }

  func path(_ name: String) -> String { "\(directory)/\(name).sqlite" }

  func open(
    _ name: String, schema: Schema = Devices.schema, automatically: Bool = false
  ) async throws -> Store {
    var options = StoreOptions(contentName: "Library", container: container, schema: schema)
    options.synchronizesAutomatically = automatically
    options.environment.clock = clock
    // A machine under load takes as long as it takes.
    options.environment.busyMilliseconds = 10_000_000
    return try await Store.open(at: path(name), options: options)
  }

  /// The files below the container, with what tells a rewritten one.
  func listing() throws -> [String: String] {
    var listing: [String: String] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: container.path) ?? .init()
    {
      var facts = stat()
      lstat("\(container.path)/\(name)", &facts)
      listing[name] =
        "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
    }
    return listing
  }

  /// The segments of a peer, in order.
  func segments(of peer: PeerIdentity) throws -> [String] {
    let log = "\(container.path)/tributary/Library/peers/\(peer)/log"
    return try FileManager.default.contentsOfDirectory(atPath: log).sorted().map { "\(log)/\($0)" }
  }
}

extension Store {
  func execute(_ sql: String) throws { try write { try $0.execute(sql) } }

  /// Rows as text, values separated by bars.
  func rows(_ sql: String) throws -> [String] {
    try read { db in
      try db.query(sql).map { row in
        row.values.map { value in
          switch value {
          case .null: "null"
          case .integer(let integer): "\(integer)"
          case .real(let real): "\(real)"
          case .text(let text): String(decoding: text, as: UTF8.self)
          case .blob(let blob): "\(blob)"
          }
        }.joined(separator: "|")
      }
    }
  }
}

/// Synchronises each, in turn, as often as it takes for all to know everything.
func exchange(_ stores: Store...) throws {
  for _ in 0..<2 { for store in stores { try store.synchronizeNow() } }
}
