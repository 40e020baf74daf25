/// Something that looking at documents has changed.
public struct DocumentChange: Hashable, Sendable {
  /// What has become of a package.
  public enum Kind: String, Sendable, CaseIterable {
    /// Others have deleted the document, and what this device had of it is removed or, where they lacked something, kept
    /// aside.
    case deleted
    /// The package was made, for a document whose own another document has replaced.
    case made
    /// The package was removed, since its document has its own package again.
    case removed
  }

  /// What has become of the package.
  public let kind: Kind
  /// The path of the package.
  public let path: String
  /// Where the store of a deleted document is kept that had what the others lacked; `nil` if they lacked nothing.
  public let keptStore: String?
  /// What has happened, for people.
  public let message: String

  /// An observer that ignores what happens.
  package static func unsaid(_: DocumentChange) {}

  /// Others have deleted the document.
  ///
  /// - Parameter kept: where the store is that had what they lacked; `nil` if they lacked nothing.
  static func deleted(_ path: String, keeping kept: String?) -> DocumentChange {
    let what = "the document was deleted, perhaps on another device, and is removed here"
    let rest = kept.map {
      "; what only this device had written is kept in \($0), and `tributary document create NEW --from` makes a "
        + "document of it"
    }
    return DocumentChange(
      kind: .deleted, path: path, keptStore: kept, message: what + (rest ?? ""))
  }

  /// A document has a package again.
  static func made(_ path: String) -> DocumentChange {
    DocumentChange(
      kind: .made, path: path, keptStore: nil,
      message: "made for a document whose package another document has replaced")
  }

  /// A package was not needed any more.
  static func removed(_ path: String) -> DocumentChange {
    DocumentChange(
      kind: .removed, path: path, keptStore: nil,
      message: "removed, since its document has its own package again")
  }
}
