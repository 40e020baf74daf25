/// Something that `attach` says of a database and that stands in nobody's way.
public struct AttachNote: Hashable, Sendable {
  public enum Kind: String, Sendable {
    /// Somebody has declared it: the caller, or another device.
    case declared
    /// Nobody has declared it: it follows from the schema and the rows.
    case chosen
    /// Somebody may want to decide it otherwise.
    case suggestion
    /// It may go otherwise than expected.
    case warning
  }

  public var kind: Kind
  /// The table that it is about, where it is one.
  public var table: String?
  /// One sentence without a full stop, names and all.
  public var text: String
  /// What would decide it otherwise.
  public var options: [AttachOption]

  public init(_ kind: Kind, table: String? = nil, _ text: String, options: [AttachOption] = []) {
    self.kind = kind
    self.table = table
    self.text = text
    self.options = options
  }
}
