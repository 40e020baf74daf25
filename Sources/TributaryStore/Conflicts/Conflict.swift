import TributaryCore

/// What a merge could not keep visible; `docs/conflicts.md` says what makes a conflict.
public struct Conflict: Hashable, Sendable, Identifiable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An update lost against another write of the same columns.
    case update
    /// A write lost against a deletion of the row.
    case delete
    /// An insert lost against another write under the same key.
    case insert
    /// The row is held because another row has its UNIQUE key.
    case unique
    /// The row is held, or shows NULL or a default, because a row that it refers to is not visible.
    case foreignKey = "foreign key"

    /// Whether single values have lost, rather than a row that the constraints hide.
    package var isAboutCells: Bool { self != .unique && self != .foreignKey }
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

    /// Before the horizon, and before everything: what has been forgotten, or is not known yet.
    package static let earliest = Side(
      peer: PeerIdentity(high: 0, low: 0), sequence: .zero, time: .zero)

    /// Returns how all devices name it that have forgotten what lies beneath a horizon.
    func settled(beneath horizon: Knowledge) -> Side {
      sequence <= horizon[peer] ? .earliest : self
    }
  }

  /// A column, and its value that lost.
  public struct Cell: Hashable, Sendable {
    public var column: String
    public var value: Value
    /// The transaction whose value the row has instead; `nil` if the row is held.
    public var winner: Side?

    public init(column: String, value: Value, winner: Side? = nil) {
      self.column = column
      self.value = value
      self.winner = winner
    }
  }

  /// The identifier: 16 hexadecimal digits, the same on every device.
  public var id: String
  public var table: String
  /// The key of the row, in the order of the primary key.
  public var key: [Value]
  public var kind: Kind
  /// Whether the row is out of its table until the conflict ends.
  public var isHeld: Bool
  /// The values that lost, in the order of the table's columns; for a held row, all of them.
  public var values: [Cell]
  public var winner: Side
  public var loser: Side
  /// When the conflict ended here, in milliseconds since 1970; `nil` while it lasts.
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
