import Foundation
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync

/// A copy of a store's file, as a backup program or a curious user makes it.
struct StoreBackup {
  private let path: String
  private let data: Data

  init(of session: SyncSession) throws {
    path = session.store.path
    let copy = path + "-backup"
    try? FileManager.default.removeItem(atPath: copy)
    try Connection(path: path, mode: .readOnly).execute("VACUUM INTO '\(copy)'")
    data = try Data(contentsOf: URL(filePath: copy))
    try FileManager.default.removeItem(atPath: copy)
  }

  /// Puts it in the place of the store, or elsewhere, and opens it.
  ///
  /// - Parameters:
  ///   - isSeen: whether the store can find out that it is a copy, by when its file was made.
  ///   - isWitnessed: whether it can find out that the file was written over.
  func restore(
    to other: String? = nil, isSeen: Bool = false, isWitnessed: Bool = false,
    environment: StoreEnvironment = StoreEnvironment()
  ) throws -> SyncSession {
    let path = other ?? self.path
    if !isWitnessed, access(path, F_OK) == 0 {
      let connection = try Connection(path: path, mode: .readWrite)
      StoreEnvironment().witness.dismiss(
        connection.filePath, of: try Settings(connection).identity().peer)
    }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    try data.write(to: URL(filePath: path))
    if !isSeen {
      try Connection(path: path, mode: .readWrite).execute(
        "DELETE FROM tributary_store WHERE key = 'birth'")
    }
    return try SyncSession(store: path, environment: environment)
  }
}

extension SyncDevices {
  /// Takes a peer's segments with transactions from `first` on out of the container, and what its
  /// own file and those of others say of them.
  ///
  /// - Returns: what brings the segments back.
  func hideLog(
    of peer: PeerIdentity, from first: UInt64, toldBy others: PeerIdentity...
  ) throws -> () throws -> Void {
    let root = "\(container)/tributary/C/peers/\(peer)"
    var hidden: [(path: String, data: Data)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: root + "/log") {
      guard let last = UInt64(name.split(separator: "-")[1], radix: 16), last >= first else {
        continue
      }
      let path = "\(root)/log/\(name)"
      hidden.append((path, try Data(contentsOf: URL(filePath: path))))
      try FileManager.default.removeItem(atPath: path)
    }
    for teller in Set([peer] + others) {
      try FileManager.default.removeItem(
        atPath: "\(container)/tributary/C/peers/\(teller)/peer.json")
    }
    return {
      for file in hidden { try file.data.write(to: URL(filePath: file.path)) }
    }
  }

  /// Removes a peer's segments with transactions from `first` on.
  func remove(of peer: PeerIdentity, from first: UInt64) throws {
    let log = "\(container)/tributary/C/peers/\(peer)/log"
    for name in try FileManager.default.contentsOfDirectory(atPath: log) {
      if let last = UInt64(name.split(separator: "-")[1], radix: 16), last >= first {
        try FileManager.default.removeItem(atPath: "\(log)/\(name)")
      }
    }
  }
}
