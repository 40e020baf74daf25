public import TributaryCore

/// How much disk space a store takes, in bytes.
public struct DiskUse: Equatable, Sendable {
  /// The file of the database.
  public var store: UInt64
  /// The write-ahead log beside it.
  public var writeAheadLog: UInt64
  /// The tables of the bookkeeping in that file, without the outbox; `nil` if this SQLite cannot determine
  /// it.
  public var bookkeeping: UInt64?
  /// The records of own transactions in that file; `nil` if this SQLite cannot determine it.
  public var outbox: UInt64?
  /// The files in the container; `nil` if they could not be examined.
  public var container: Container?
  /// The declared limit; `nil` for none.
  public var limit: UInt64?
  /// Approximately what counts towards the limit: own segments, own baselines, and the records of own
  /// transactions.
  public var used: UInt64 = 0

  package init(store: UInt64, writeAheadLog: UInt64) {
    self.store = store
    self.writeAheadLog = writeAheadLog
  }

  /// The files in the container under the content name, and what part of this store's own files could be
  /// removed.
  public struct Container: Equatable, Sendable {
    /// The segments of this store.
    public var ownLog: UInt64 = 0
    /// The segments of all other stores.
    public var otherLogs: UInt64 = 0
    /// The baselines of this store.
    public var ownBaselines: UInt64 = 0
    /// The baselines of all other stores.
    public var otherBaselines: UInt64 = 0
    /// Own segments and records that every peer that still counts has, except for the newest segment. They
    /// can be removed when baselines contain them.
    public var reclaimable: UInt64 = 0
    /// The newest own segment and its records, if every peer has them. They stay, so that others see which
    /// numbers are in use.
    public var kept: UInt64 = 0
    /// Own segments and records that some peer lacks.
    public var held: UInt64 = 0
    /// The peers that lack the most of them, in ascending order.
    public var holders: [PeerIdentity] = []

    /// The bytes of all baselines.
    public var baselines: UInt64 { ownBaselines + otherBaselines }

    package init() {}
  }

  /// Adds the files in the container.
  mutating func add(_ container: Container) {
    self.container = container
    used += container.ownBaselines
  }

  /// A notice that the limit is exceeded; `nil` if it is not.
  public var notice: SpaceNotice? { limit.flatMap { SpaceNotice(limit: $0, used: used) } }
}
