/// A foreign key of the schema, by which rows of a table refer to others.
package struct AttachedReference: Hashable, Sendable {
  package var columns: [String]
  package var table: String
  /// The columns referred to; empty if the schema refers to the other table's primary key without naming it.
  package var parentColumns: [String]
  /// Whether the other table exists.
  package var isBinding: Bool
}
