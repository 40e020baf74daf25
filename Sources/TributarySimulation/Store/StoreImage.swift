internal import TributaryTesting

/// All files of a store at one moment, as a killed process or a backup leaves them.
struct StoreImage {
  private var files: [String: [UInt8]] = [:]
  /// The number of bytes of the write-ahead log that a checkpoint synchronised before writing them to the
  /// database.
  private var checkpointed = 0

  /// The shared memory beside a database is recreated when the database is opened.
  private static let suffixes = [
    "", "-wal", "-journal", "-tributary-staging", "-tributary-staging-wal",
    "-tributary-staging-journal",
  ]

  private static let others = ["-shm", "-tributary-staging-shm"]

  init(of path: String) {
    for suffix in Self.suffixes { files[suffix] = RawFiles.read(path + suffix) }
    checkpointed = Self.checkpointed(of: files["-wal"] ?? [], RawFiles.read(path + "-shm") ?? [])
  }

  /// Returns how much of a log a checkpoint has synchronised, as recorded in the shared memory (`WalIndexHdr`
  /// and `WalCkptInfo` in <https://sqlite.org/walformat.html>).
  private static func checkpointed(of log: [UInt8], _ shared: [UInt8]) -> Int {
    guard shared.count >= 136, log.count >= 32, shared[32..<40] == log[16..<24] else { return 0 }
    let page = shared.withUnsafeBytes { $0.load(fromByteOffset: 14, as: UInt16.self) }
    let frames = shared.withUnsafeBytes { $0.load(fromByteOffset: 128, as: UInt32.self) }
    return 32 + Int(frames) * ((page == 1 ? 65536 : Int(page)) + 24)
  }

  /// Restores the files to their place, or to another store's place. No process may have them open.
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

  /// Loses any part of the write-ahead log that is not durable. Anything that is no longer in the log was
  /// synchronised with the database before the log started over.
  mutating func cutPower(after mark: Mark?, using random: inout SeededGenerator) {
    guard let log = files["-wal"] else { return }
    let salts = Array(log.dropFirst(16).prefix(8))
    let marked = mark.map { $0.salts == salts ? $0.count : 0 } ?? 0
    let floor = min(max(marked, checkpointed), log.count)
    files["-wal"] = Array(log.prefix(random.pick([floor, random.number(floor...log.count)])))
  }
}

extension StoreImage: Equatable {}
