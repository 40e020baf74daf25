internal import TributaryContainer
internal import TributaryFiles

// Documents whose logs are in a container, but that this device has never opened. Nothing on this device says
// where their packages were.
extension Documents {
  /// A package that was found, and what it says about its document.
  typealias FoundPackage = (path: String, metadata: Result<DocumentMetadata, DocumentError>)

  /// Returns the packages in a directory and its subdirectories.
  func packages(in directory: String) throws -> [FoundPackage] {
    var found: [FoundPackage] = []
    try walk(directory) { found.append(($0, $1)) }
    return found
  }

  /// Returns the content names of packages.
  static func names(_ packages: [FoundPackage]) -> Set<String> {
    // Metadata that cannot be read has no name; the listing has reported why.
    Set(packages.compactMap { try? $0.metadata.get().contentName })
  }

  /// Returns the documents that have logs in a container, but neither a package nor a store on this device.
  /// Their packages may be on their way.
  ///
  /// - Parameter packages: all packages in the container. A document is left out if it may belong to a
  ///   package whose metadata cannot be read: the error about that package has the remedy.
  /// - Returns: records with the paths at which their packages may be made.
  func unopened(in container: String, among packages: [FoundPackage]) throws -> [DocumentRecord] {
    let known = Self.names(packages).union(try local.all().map(\.record.contentName))
    // The listing has reported why.
    let unreadable = packages.filter { (try? $0.metadata.get()) == nil }
      .map { Self.stem(ofName: $0.path.lastPathComponent) }
    var found: [String: DocumentRecord] = [:]
    for root in try files.listIfPresent(container) where root.isExact && root.kind == .directory {
      // A directory that does not have the name of a content root is not Tributary's.
      guard let checked = try? ContentRoot(root.name), checked.isOfDocuments else { continue }
      let directory = container.appending(component: root.name)
      for entry in try files.listIfPresent(directory)
      where entry.isExact && entry.kind == .directory {
        // The logs of stores that are not documents may be beside those of documents.
        guard let stem = Self.stem(ofContentName: entry.name), !known.contains(entry.name),
          !unreadable.contains(stem)
        else { continue }
        let record = DocumentRecord(
          contentName: entry.name, contentRoot: root.name, container: container,
          package: Self.path(for: entry.name, stem, in: container, among: packages))
        if try hasStanding(record) { found[entry.name] = record }
      }
    }
    return found.values.sorted { $0.contentName < $1.contentName }
  }

  /// Returns a path at which there is no document, with the extension that all others have.
  private static func path(
    for contentName: String, _ stem: String, in container: String, among packages: [FoundPackage]
  ) -> String {
    let endings = Set(
      packages.map { found in
        let name = found.path.lastPathComponent
        return name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[$0...]) } ?? ""
      })
    let ending = endings.count == 1 ? endings.first! : ""
    let documents = container.appending(component: Containers.documentsName)
    let path = documents.appending(component: stem + ending)
    let isTaken = packages.contains {
      $0.path.utf8.elementsEqual(path.utf8) || NameRule.collide($0.path, path)
    }
    return isTaken ? documents.appending(component: contentName + ending) : path
  }

  /// Returns the beginning of a document's content name, which is the name that its package had when it was
  /// made. `nil` for a name that no document can have.
  static func stem(ofContentName name: String) -> String? {
    let end = name.utf8.suffix(17)
    let digits = "0123456789abcdef".utf8
    guard name.utf8.count > 17, end.first == UInt8(ascii: "-"),
      end.dropFirst().allSatisfy({ digits.contains($0) })
    else { return nil }
    return String(name[..<end.startIndex])
  }

  /// Returns the beginning of the content name for a document that is made with a name.
  static func stem(ofName name: String) -> String {
    stem(ofContentName: freshName(for: name))!
  }

  /// Returns the error about a document that has no package and that this device does not know otherwise.
  static func packageIsAwaited(_ record: DocumentRecord) -> DocumentError {
    DocumentError(
      .missing, "these are the logs of a document that has no package here: it may be on its way",
      path: record.container.appending(component: record.contentRoot)
        .appending(component: record.contentName),
      remedy:
        "if it does not come, run `tributary document open \(record.package) --content-name "
        + "\(record.contentName)` to have the document, and `tributary document delete` after that to delete "
        + "it on all devices")
  }
}
