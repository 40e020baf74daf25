internal import TributaryFiles

extension DocumentSession {
  /// Moves the document, as `Documents.move` does. It cannot be edited meanwhile.
  package func move(to path: String) throws {
    try withoutEditing {
      let before = document
      let package = try documents.move(before.package, to: path)
      // The content root, and the container, may be others now.
      didMove(to: try documents.open(package))
    }
    centre.schedule(self, after: .zero)
  }

  /// Gives the package another name in the same directory.
  ///
  /// - Throws: `DocumentError` with `invalidName` for a path, and what `move` throws.
  package func rename(to name: String) throws {
    try NameCheck.checkPackage(name)
    try move(to: document.package.parentDirectory.appending(component: name))
  }

  /// Makes another document with the same contents, as `Documents.duplicate` does.
  package func duplicate(to path: String) throws -> OpenDocument {
    try documents.duplicate(document.package, to: path)
  }

  /// Closes and deletes the document.
  package func delete() throws {
    try withoutEditing { try documents.delete(document.package) }
    end(Documents.deleted(document.package))
  }

  private func withoutEditing(_ body: () throws -> Void) throws {
    disableEditing()
    defer { enableEditing() }
    try body()
  }
}
