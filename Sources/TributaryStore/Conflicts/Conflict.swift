import TributaryCore

/// What a merge could not keep visible; `docs/merging.md` says what makes one.
public struct Conflict: Hashable, Sendable, Identifiable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An update lost against another write of the same columns.
    case update
    /// A write lost against a deletion of the row.
    case delete
    /// An insert lost against another write under the same key.
    case insert
    /// The row is held because another one has its UNIQUE key.
    case unique
    /// The row is held, or shows NULL or a default, because a row that it refers to is not visible.
    case foreignKey = "foreign key"

    /// Whether single values have lost, rather than a row that the constraints hide.
    var isAboutCells: Bool { self != .unique && self != .foreignKey }
  }

  /// One of the two transactions.
  public struct Side: Hashable, Sendable {
    public var peer: PeerIdentity
    public var sequence: SequenceNumber
    public var time: HybridTime

    public init(peer: PeerIdentity, sequence: SequenceNumber, time: HybridTime) {
      self.peer = peer
      self.sequence = sequence
      self.time = time
    }
  }

  /// A column and the value that it lost.
  public struct Cell: Hashable, Sendable {
    public var column: String
    public var value: Value
    /// The transaction whose value the row has instead; `nil` where the row is held.
    public var winner: Side?

    public init(column: String, value: Value, winner: Side? = nil) {
      self.column = column
      self.value = value
      self.winner = winner
    }
  }

  /// 16 hexadecimal digits, the same on every device.
  public var id: String
  public var table: String
  /// In the order of the primary key.
  public var key: [Value]
  public var kind: Kind
  /// The row is out of its table until the conflict ends.
  public var isHeld: Bool
  /// In the order of the table's columns; all of them for a held row.
  public var values: [Cell]
  public var winner: Side
  public var loser: Side
  /// When it ended here, in milliseconds since 1970; `nil` while it lasts.
  public var ended: UInt64?

  public init(
    id: String, table: String, key: [Value], kind: Kind, isHeld: Bool, values: [Cell], winner: Side,
    loser: Side, ended: UInt64? = nil
  ) {
    self.id = id
    self.table = table
    self.key = key
    self.kind = kind
    self.isHeld = isHeld
    self.values = values
    self.winner = winner
    self.loser = loser
    self.ended = ended
  }
}
