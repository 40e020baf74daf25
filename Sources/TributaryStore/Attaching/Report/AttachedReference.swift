/// A foreign key of the schema, by which rows of a table refer to others.
public struct AttachedReference: Hashable, Sendable {
  public var columns: [String]
  public var table: String
  /// The columns referred to; empty if the schema leaves them to the primary key of the other
  /// table.
  public var parentColumns: [String]
  /// Whether the other table exists.
  public var isBinding: Bool
}
