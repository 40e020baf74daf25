import TributaryCore
import TributarySQLite

extension Database {
  /// What this read or write sees; in a write, without what it has written itself.
  ///
  /// - Throws: `SQLiteError`, and `StoreError` for damaged bookkeeping.
  public var version: Version {
    get throws { try connection.version() }
  }
}

extension LocalStore {
  /// The version of the store that a connection sees.
  public static func version(_ connection: Connection) throws -> Version {
    try connection.version()
  }
}

extension Connection {
  /// The version of the store that the open transaction sees.
  func version() throws -> Version {
    let peer = try Settings(self).identity().peer
    var knowledge = try KnowledgeTable(self).current()
    knowledge[peer] = try Outbox(self).last()?.sequence ?? .zero
    return Version(peer: peer, knowledge: knowledge)
  }

  /// What a record says of a write based on a version.
  ///
  /// - Returns: `nil` where nothing has happened since: such a write is like any other.
  /// - Throws: `StoreError.version` for one of another store, or later than the store.
  func basis(_ version: Version) throws -> Knowledge? {
    let current = try self.version()
    guard version.peer == current.peer else {
      throw StoreError(
        .version, "the version is one of another store, \(version.peer)", path: path,
        remedy: "read from this store, and base the write on what that returned")
    }
    guard current.knowledge.firstMissing(from: version.knowledge) == nil else {
      throw StoreError(
        .version, "the version is later than the store", path: path,
        remedy: "the store was replaced by an older one; read again")
    }
    return version.knowledge == current.knowledge ? nil : version.knowledge
  }
}
