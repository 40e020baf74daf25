internal import TributaryContainer
internal import TributaryFiles

extension Documents {
  /// Recreates the package of a document that no longer has one, but whose logs are in a container or on this
  /// device alone.
  ///
  /// Anything else in a directory at the path stays.
  ///
  /// - Parameters:
  ///   - path: the path of the package: in the `Documents` directory of the container, or where this device last had it.
  ///   - contentName: the content name of the document.
  /// - Throws: `DocumentError`: `exists` if the document has a package elsewhere, or another document is at the path;
  ///   `deleted`; `unavailable` if there are no logs of the document.
  package func restore(_ path: String, contentName: String) throws {
    let place = try place(of: path)
    let package = place.package
    _ = try ContentName(contentName)
    let records = try local.all(named: contentName).map(\.record).filter { !$0.isBeingMade }
    guard
      let container = place.container ?? records.first(where: { $0.package == package })?.container
    else {
      throw DocumentError(
        .unavailable, "the path is in no container, so that there are no logs", path: package,
        remedy: "give a path in \(Containers.documentsName) of the document's container")
    }
    do throws(DocumentError) {
      let present = try DocumentMetadata(ofPackage: package, using: files)
      if present.contentName == contentName { return }
      throw DocumentError(
        .exists, "another document is there already: \(present.contentName)", path: package,
        remedy: "choose another name")
    } catch {
      guard [.missing, .notADocument].contains(error.code) else {
        throw remedied(error, package)
      }
    }
    if let other = try packages(of: contentName, in: container).first {
      throw DocumentError(
        .exists, "the document has a package already", path: other, remedy: "open that one")
    }
    let root = try root(of: contentName, in: container, package)
    let record = records.first { $0.container == container && $0.contentRoot == root }
    let metadata = DocumentMetadata(
      contentName: contentName, contentURL: root, attributes: record?.attributes ?? [:])
    let isThere = try files.status(package)?.kind == .directory
    if isThere { try checkSurroundings(of: place) } else { try checkFree(place) }
    try step.run(.makes, package) {
      if !isThere { try claim(package) }
      try metadata.write(intoPackage: package, using: files)
    }
    try note(metadata, at: package)
  }

  /// Returns the content root of the logs of a document that was not deleted. If the document has left the
  /// container and come back, this is the last one.
  private func root(
    of contentName: String, in container: String, _ package: String
  ) throws -> String {
    let tombstones = Tombstones(container: container, files: files)
    var isDeleted = false
    // There are no more roots than directories.
    let count = max(1, try files.list(container).count)
    for number in (1...count).reversed() {
      let root = ContentRoot.textForDocuments(number)
      if try tombstones.contain(root: root, name: contentName) {
        isDeleted = true
      } else if try hasLogs(
        logs(root, contentName, in: container).appending(component: "peers"))
      {
        return root
      }
    }
    if isDeleted { throw Self.deleted(package) }
    throw DocumentError(
      .unavailable, "there are no logs of a document with the content name '\(contentName)'",
      path: container, remedy: "check the content name, or wait for the carrier")
  }
}
