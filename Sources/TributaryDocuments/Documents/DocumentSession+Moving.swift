internal import TributaryFiles
package import TributarySQLite

extension DocumentSession {
  /// Moves the document, as `Documents.move` does. It cannot be edited meanwhile.
  ///
  /// - Parameter cancellation: cancels the move before anything has changed; `nil` if it cannot be
  ///   cancelled.
  package func move(to path: String, heeding cancellation: Cancellation? = nil) throws {
    try withoutEditing {
      let before = document
      let package = try documents.heeding(cancellation).move(before.package, to: path)
      // The content root and the container may be different now.
      didMove(to: try documents.open(package))
    }
    centre.schedule(self, after: .zero)
  }

  /// Gives the package another name in the same directory.
  ///
  /// - Throws: `DocumentError` with `invalidName` for a path, and what `move` throws.
  package func rename(to name: String, heeding cancellation: Cancellation? = nil) throws {
    try NameCheck.checkPackage(name)
    try move(
      to: document.package.parentDirectory.appending(component: name), heeding: cancellation)
  }

  /// Makes another document with the same contents, as `Documents.duplicate` does.
  package func duplicate(
    to path: String, heeding cancellation: Cancellation? = nil
  ) throws -> OpenDocument {
    try documents.heeding(cancellation).duplicate(document.package, to: path)
  }

  /// Closes and deletes the document.
  package func delete(heeding cancellation: Cancellation? = nil) throws {
    try withoutEditing { try documents.heeding(cancellation).delete(document.package) }
    end(Documents.deleted(document.package))
  }

  private func withoutEditing(_ body: () throws -> Void) throws {
    disableEditing()
    defer { enableEditing() }
    try body()
  }
}
