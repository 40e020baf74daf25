/// A remark of `attach` about a database that does not prevent it from being attached.
package struct AttachNote: Hashable, Sendable {
  package enum Kind: String, Sendable {
    /// A declaration of the caller or of another device.
    case declared
    /// A choice that follows from the schema and the rows, because it was not declared.
    case chosen
    /// A choice that the user may want to make differently.
    case suggestion
    /// Something that may behave differently than expected.
    case warning
  }

  package var kind: Kind
  /// The table concerned, if there is one.
  package var table: String?
  /// One sentence without a full stop, including all names.
  package var text: String
  /// The options that would decide differently.
  package var options: [AttachOption]

  package init(_ kind: Kind, table: String? = nil, _ text: String, options: [AttachOption] = []) {
    self.kind = kind
    self.table = table
    self.text = text
    self.options = options
  }
}
