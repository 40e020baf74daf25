import TributaryCore
import TributarySQLite

extension Database {
  /// What this read or write sees; in a write, without what it has written itself.
  ///
  /// - Throws: `SQLiteError`, and `StoreError` for damaged bookkeeping.
  public var version: Version {
    get throws { try open().connection.version() }
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
    let peer = try Settings(self).peer()
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
    let version = try renamed(version, to: current.peer)
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

  /// A version that was read before the store took another identity, as one of today.
  private func renamed(_ version: Version, to peer: PeerIdentity) throws -> Version {
    let path = try FormerIdentities(self).path()
    guard version.peer != peer, let start = path.firstIndex(where: { $0.peer == version.peer })
    else { return version }
    // `last` counts to the first of the present own transactions: what was before is another's now.
    var knowledge = version.knowledge
    var count = knowledge[version.peer].rawValue
    for (index, former) in path.enumerated().dropFirst(start) {
      let next = index + 1 < path.count ? path[index + 1].last : .zero
      let kept = min(count, former.last.rawValue - next.rawValue)
      knowledge[former.peer] = SequenceNumber(kept)
      count -= kept
    }
    knowledge[peer] = SequenceNumber(count)
    return Version(peer: peer, knowledge: knowledge)
  }
}
