/// All files of a store at one moment, as a killed process or a backup leaves them.
struct StoreImage {
  private var files: [String: [UInt8]] = [:]

  /// The shared memory beside a database is made anew when it is opened.
  private static let suffixes = [
    "", "-wal", "-journal", "-tributary-staging", "-tributary-staging-wal",
    "-tributary-staging-journal",
  ]

  private static let others = ["-shm", "-tributary-staging-shm"]

  init(of path: String) {
    for suffix in Self.suffixes { files[suffix] = RawFiles.read(path + suffix) }
  }

  /// Puts the files back in their place, or in another store's place; nobody may have them open.
  func restore(to path: String) throws {
    for suffix in Self.suffixes + Self.others where RawFiles.exists(path + suffix) {
      try RawFiles.remove(path + suffix)
    }
    for suffix in Self.suffixes {
      if let bytes = files[suffix] { try RawFiles.write(bytes, to: path + suffix) }
    }
  }

  /// The durable part of the write-ahead log.
  struct Mark {
    /// The salts, which change each time the log starts over.
    fileprivate var salts: [UInt8]
    fileprivate var count: Int

    init(of path: String) {
      let log = RawFiles.read(path + "-wal") ?? []
      salts = Array(log.dropFirst(16).prefix(8))
      count = log.count
    }
  }

  /// Loses any part of the write-ahead log that is not durable. What is no longer in the log was
  /// synchronised with the database, before the log started over.
  mutating func cutPower(after mark: Mark?, using random: inout SeededGenerator) {
    guard let log = files["-wal"] else { return }
    let salts = Array(log.dropFirst(16).prefix(8))
    let floor = mark.map { $0.salts == salts ? min($0.count, log.count) : 0 } ?? 0
    files["-wal"] = Array(log.prefix(random.pick([floor, random.number(floor...log.count)])))
  }
}

extension StoreImage: Equatable {}
