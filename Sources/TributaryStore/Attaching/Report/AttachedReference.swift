/// What rows of a table refer to by a foreign key of the schema.
public struct AttachedReference: Hashable, Sendable {
  public var columns: [String]
  public var table: String
  /// Empty where the schema leaves them to the primary key of the other table.
  public var parentColumns: [String]
  /// The table that is referred to is there.
  public var isBinding: Bool
}
