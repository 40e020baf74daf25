/// Something that examining documents has changed.
public struct DocumentChange: Hashable, Sendable {
  /// What has become of a package.
  public enum Kind: String, Sendable, CaseIterable {
    /// Another device has deleted the document. What this device had of it is removed or, if the deleting
    /// devices lacked some of it, kept aside.
    case deleted
    /// The package was made for a document whose own package another document has replaced.
    case made
    /// The package was removed, since its document has its own package again.
    case removed
  }

  /// What has become of the package.
  public let kind: Kind
  /// The path of the package.
  public let path: String
  /// Where the store of a deleted document is kept, if it had something that the other devices lacked; `nil`
  /// if they lacked nothing.
  public let keptStore: String?
  /// What has happened, as readable text.
  public let message: String

  /// An observer that ignores what happens.
  package static func unsaid(_: DocumentChange) {}

  /// Returns the change that another device, or another program on this one, has deleted the document.
  ///
  /// - Parameter kept: where the store is kept, if it had something that the others lacked; `nil` if they
  ///   lacked nothing.
  static func deleted(_ path: String, keeping kept: String?) -> DocumentChange {
    let what = "the document was deleted, perhaps on another device, and is removed here"
    let rest = kept.map {
      "; what only this device had written is kept in \($0), and `tributary document create NEW --from` makes a "
        + "document of it"
    }
    return DocumentChange(
      kind: .deleted, path: path, keptStore: kept, message: what + (rest ?? ""))
  }

  /// Returns the change that a document has a package again.
  static func made(_ path: String) -> DocumentChange {
    DocumentChange(
      kind: .made, path: path, keptStore: nil,
      message: "made for a document whose package another document has replaced")
  }

  /// Returns the change that a package was no longer needed.
  static func removed(_ path: String) -> DocumentChange {
    DocumentChange(
      kind: .removed, path: path, keptStore: nil,
      message: "removed, since its document has its own package again")
  }
}
