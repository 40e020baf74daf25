/// The state of an open document. Several may hold at once; none of them is `normal`.
public struct DocumentState: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The document is open and in order.
  public static let normal: DocumentState = []
  /// The document is closed: by the application, or because it was deleted.
  public static let closed = DocumentState(rawValue: 1)
  /// There are conflicts that no one has resolved.
  public static let inConflict = DocumentState(rawValue: 2)
  /// The last attempt to publish failed. What was written is safe in the store, and publishing is tried
  /// again.
  public static let savingError = DocumentState(rawValue: 4)
  /// The document cannot be edited at the moment: it is being moved, or the application has asked for this.
  public static let editingDisabled = DocumentState(rawValue: 8)
}

extension DocumentState: CustomStringConvertible {
  public var description: String {
    let names: [(DocumentState, String)] = [
      (.closed, "closed"), (.inConflict, "inConflict"), (.savingError, "savingError"),
      (.editingDisabled, "editingDisabled"),
    ]
    let holding = names.filter { contains($0.0) }.map(\.1)
    return holding.isEmpty ? "normal" : holding.joined(separator: ", ")
  }
}
