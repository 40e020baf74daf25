internal import TributaryFiles

extension Documents {
  /// Checks that a document at a place would be listed, carried and kept.
  ///
  /// - Throws: `DocumentError`: `invalidName` for a name along the path, or for a place where documents are
  ///   not looked for; `publicContainers` for a place that is too deep.
  func checkSurroundings(of place: DocumentPlace) throws(DocumentError) {
    try NameCheck.checkPackage(place.package.lastPathComponent)
    if let container = place.container {
      try checkPath(of: place.package, in: container)
    } else if let root = try containersRoot(around: place.package) {
      throw DocumentError(
        .invalidName, "it would lie among the containers, and in none of them", path: place.package,
        remedy: "put it into \(Containers.documentsName) of a container in \(root), or elsewhere")
    }
    try checkNoDocument(above: place.package)
  }

  private func containersRoot(around package: String) throws(DocumentError) -> String? {
    let root = try containers.root()
    return AbsolutePath.relative(package, to: root) == nil ? nil : root
  }

  /// Checks the directories between the `Documents` directory of a container and a package.
  private func checkPath(of package: String, in container: String) throws(DocumentError) {
    let documents = container.appending(component: Containers.documentsName)
    guard let inside = AbsolutePath.relative(package, to: documents) else {
      throw DocumentError(
        .invalidName, "it would lie in a container, where only \(documents) is searched",
        path: package, remedy: "put it there")
    }
    for component in inside.split(separator: "/").dropLast() {
      do throws(DocumentError) {
        try NameCheck.check(String(component))
      } catch {
        throw DocumentError(
          error.code, "a directory above it: \(error.message)", path: package,
          remedy: "rename that directory, or put the document elsewhere")
      }
    }
    try containers.checkDepth(of: inside, in: container)
  }

  /// Checks that a path is not inside a package, whose contents belong to its document.
  private func checkNoDocument(above package: String) throws(DocumentError) {
    var ancestor = package.parentDirectory
    while ancestor != ancestor.parentDirectory {
      let metadata = ancestor.appending(component: DocumentMetadata.fileName)
      let isDocument: Bool
      do throws(FileError) {
        isDocument = try files.status(metadata)?.kind == .file
      } catch {
        throw DocumentError(error)
      }
      if isDocument {
        throw DocumentError(
          .invalidName, "it would lie in the document \(ancestor), whose contents are its own",
          path: package, remedy: "choose a directory that is not a document")
      }
      ancestor = ancestor.parentDirectory
    }
  }
}
