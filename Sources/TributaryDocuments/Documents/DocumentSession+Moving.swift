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
