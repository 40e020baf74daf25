import TributaryCore

/// What a merge could not keep visible; `docs/conflicts.md` says what counts as a conflict.
public struct Conflict: Hashable, Sendable, Identifiable {
  /// Why values lost.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An update lost against another write of the same columns.
    case update
    /// A write lost against a deletion of the row.
    case delete
    /// An insert lost against another write under the same key.
    case insert
    /// The row is held because another row has its UNIQUE key.
    case unique
    /// The row is held, or shows NULL or a default, because a row to which it refers is not visible.
    case foreignKey = "foreign key"
    /// The row is held because a CHECK constraint of this device does not allow it.
    case check
    /// The row is held because it has NULL where this device does not allow NULL.
    case notNull = "not null"
    /// The row is held because a value does not have the type that a STRICT table of this device demands.
    case type

    /// Whether single values lost, rather than a row that the constraints hide.
    package var isAboutCells: Bool {
      switch self {
      case .update, .delete, .insert: true
      case .unique, .foreignKey, .check, .notNull, .type: false
      }
    }

    /// Whether the row is held because of its own values alone, whatever other rows exist.
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

    /// Before the horizon, and before everything else: a transaction that has been forgotten, or is not known
    /// yet.
    package static let earliest = Side(
      peer: PeerIdentity(high: 0, low: 0), sequence: .zero, time: .zero)

    /// Returns the name that all devices use for this side once they have forgotten what lies below a
    /// horizon.
    func settled(beneath horizon: Knowledge) -> Side {
      sequence <= horizon[peer] ? .earliest : self
    }
  }

  /// A column, and the value in it that lost.
  public struct Cell: Hashable, Sendable {
    /// The name of the column.
    public var column: String
    /// The value that lost.
    public var value: Value
    /// The transaction whose value the row has instead; `nil` if the row is held.
    public var winner: Side?

    /// Makes a cell whose value lost.
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
  /// Why it is a conflict.
  public var kind: Kind
  /// Whether the row is out of its table until the conflict ends.
  public var isHeld: Bool
  /// The values that lost, in the order of the table's columns; for a held row, all of them.
  public var values: [Cell]
  /// The transaction whose values won.
  public var winner: Side
  /// The transaction whose values lost.
  public var loser: Side
  /// When the conflict ended here, in milliseconds since 1970; `nil` while it lasts.
  public var ended: UInt64?

  /// Makes a conflict, for example in tests of code that shows conflicts.
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
