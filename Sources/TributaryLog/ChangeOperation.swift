/// What happened to a row. The raw value is the code byte of the item.
@usableFromInline @frozen package enum ChangeOperation: UInt8, Hashable, Sendable, CaseIterable {
  /// The image has a value for every column.
  case insert = 4
  /// The image has a value for every key column and every changed column; the others are absent.
  case update = 5
  /// The image has only the key values, in the order of the shape's keys.
  case delete = 6
  /// The insert of a row under a key that had a row before the transaction: the row was deleted and
  /// inserted again. The image is that of an insert.
  case replace = 8

  /// Whether the row exists afterwards, with a value in every column.
  @inlinable package var putsRow: Bool { self == .insert || self == .replace }
}
