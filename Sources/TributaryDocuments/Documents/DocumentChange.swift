/// Something that looking at documents has changed.
package struct DocumentChange: Hashable, Sendable {
  /// The path of the package.
  package let path: String
  /// What has happened, for people.
  package let message: String

  /// Whoever does not want to know.
  package static func unsaid(_: DocumentChange) {}

  /// Others have deleted the document.
  ///
  /// - Parameter kept: where the store is that had what they lacked; `nil` if they lacked nothing.
  static func deleted(_ path: String, keeping kept: String?) -> DocumentChange {
    let what = "the document was deleted, perhaps on another device, and is removed here"
    guard let kept else { return DocumentChange(path: path, message: what) }
    return DocumentChange(
      path: path,
      message: "\(what); what only this device had written is kept in \(kept), and `tributary "
        + "document create NEW --from` makes a document of it")
  }

  /// A document has a package again.
  static func made(_ path: String) -> DocumentChange {
    DocumentChange(
      path: path, message: "made for a document whose package another document has replaced")
  }

  /// A package was not needed any more.
  static func removed(_ path: String) -> DocumentChange {
    DocumentChange(path: path, message: "removed, since its document has its own package again")
  }
}
