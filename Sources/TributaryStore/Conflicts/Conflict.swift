import TributaryCore

/// What a merge could not keep visible; `docs/conflicts.md` says what makes a conflict.
public struct Conflict: Hashable, Sendable, Identifiable {
  /// Why values have lost.
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
    /// The row is held because a CHECK of this device does not allow it.
    case check
    /// The row is held because it has NULL where this device does not allow that.
    case notNull = "not null"
    /// The row is held because a value has not the type that a STRICT table of this device demands.
    case type

    /// Whether single values have lost, rather than a row that the constraints hide.
    package var isAboutCells: Bool {
      switch self {
      case .update, .delete, .insert: true
      case .unique, .foreignKey, .check, .notNull, .type: false
      }
    }

    /// Whether the row is held for its values alone, whatever other rows there are.
    package var isAboutRow: Bool { self == .check || self == .notNull || self == .type }
  }

  /// One of the two transactions.
  public struct Side: Hashable, Sendable {
    /// The store that wrote it.
    public var peer: PeerIdentity
    /// The number of the transaction.
    public var sequence: SequenceNumber
    /// When it was written, by the writer's clock.
    public var time: HybridTime

    /// Makes a side.
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
    /// The name of the column.
    public var column: String
    /// The value that has lost.
    public var value: Value
    /// The transaction whose value the row has instead; `nil` if the row is held.
    public var winner: Side?

    /// Makes a cell that has lost.
    public init(column: String, value: Value, winner: Side? = nil) {
      self.column = column
      self.value = value
      self.winner = winner
    }
  }

  /// The identifier: 16 hexadecimal digits, the same on every device.
  public var id: String
  /// The table of the row.
  public var table: String
  /// The key of the row, in the order of the primary key.
  public var key: [Value]
  /// Why it is one.
  public var kind: Kind
  /// Whether the row is out of its table until the conflict ends.
  public var isHeld: Bool
  /// The values that lost, in the order of the table's columns; for a held row, all of them.
  public var values: [Cell]
  /// Whose values have won.
  public var winner: Side
  /// Whose values have lost.
  public var loser: Side
  /// When the conflict ended here, in milliseconds since 1970; `nil` while it lasts.
  public var ended: UInt64?

  /// Makes a conflict, such as in tests of what shows them.
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
