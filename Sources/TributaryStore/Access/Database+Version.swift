import TributaryCore
import TributarySQLite

extension Database {
  /// The version that this read or write sees; in a write, this excludes its own changes.
  ///
  /// - Throws: `SQLiteError`, and `StoreError` for damaged bookkeeping.
  public var version: Version {
    get throws { try open().connection.version() }
  }
}

extension LocalStore {
  /// Returns the version of the store that a connection sees.
  package static func version(_ connection: Connection) throws -> Version {
    try connection.version()
  }
}

extension Connection {
  /// Returns the version of the store that the open transaction sees.
  func version() throws -> Version {
    let peer = try Settings(self).peer()
    var knowledge = try KnowledgeTable(self).current()
    knowledge[peer] = try Outbox(self).last()?.sequence ?? .zero
    return Version(peer: peer, knowledge: knowledge)
  }

  /// Returns the basis that a record states for a write based on a version.
  ///
  /// - Returns: `nil` if nothing has happened since the version: the write is then an ordinary one.
  /// - Throws: `StoreError` with the code `version` for a version of another store, one later than the store, or one that lacks
  ///   some of the last horizon.
  func basis(_ version: Version) throws -> Knowledge? {
    let current = try self.version()
    let version = try renamed(version, to: current.peer)
    guard version.peer == current.peer else {
      throw StoreError(
        .version, "the version belongs to another store, \(version.peer)", path: path,
        remedy: "read from this store, and base the write on what that returned")
    }
    guard current.knowledge.firstMissing(from: version.knowledge) == nil else {
      throw StoreError(
        .version, "the version is later than the store", path: path,
        remedy: "the store was replaced by an older one; read again")
    }
    if version.knowledge == current.knowledge { return nil }
    // No peer can still merge a write that does not know the horizon.
    if let last = try HorizonRecord(self).state.last,
      !version.knowledge.isSuperset(of: last.horizon)
    {
      throw StoreError(
        .version, "the version is too old: the devices have agreed to forget what came before",
        path: path, remedy: "read again, and base the write on what that returns")
    }
    return version.knowledge
  }

  /// Translates a version that was read before the store took another identity.
  private func renamed(_ version: Version, to peer: PeerIdentity) throws -> Version {
    let path = try FormerIdentities(self).path()
    guard version.peer != peer, let start = path.firstIndex(where: { $0.peer == version.peer })
    else { return version }
    // `last` counts up to the first of the current own transactions; the earlier ones belong to another
    // identity now.
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
