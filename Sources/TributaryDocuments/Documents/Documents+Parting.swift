internal import TributaryContainer
internal import TributaryFiles

/// Two devices may put different documents at the same path. Carriers then keep one of the two files, and
/// keep the other as a conflict copy or not at all. Neither document must be lost.
extension Documents {
  /// Gives each document whose metadata is a conflict copy in a package its own package.
  ///
  /// All devices choose the same name for it, and write the same bytes.
  ///
  /// - Parameter did: called with each package that is made.
  /// - Returns: whether there were any.
  @discardableResult
  func part(
    _ package: String, in container: String,
    did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws -> Bool {
    var hasParted = false
    for entry in try files.listIfPresent(package)
    where entry.isExact && Self.isCopy(entry.name) {
      let path = package.appending(component: entry.name)
      // A copy that has not arrived completely is examined again later.
      guard let other = try? DocumentMetadata(reading: path, using: files) else { continue }
      let isSame = isPackage(package, named: other.contentName)
      if !isSame, try !Tombstones(container: container, files: files).contain(other) {
        did(.made(try makePackage(for: other, beside: package)))
      }
      try files.remove(path)
      hasParted = true
    }
    return hasParted
  }

  /// Gives documents that this device has a package again, if another document has replaced theirs, or if
  /// `part` or this function had made theirs: two devices that each made one, under different names, may each
  /// have removed the other's.
  func restoreReplaced(
    in container: String, did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws {
    for document in try local.all()
    where document.record.container == container && !document.record.isBeingMade {
      let record = document.record
      let metadata = DocumentMetadata(
        contentName: record.contentName, contentURL: record.contentRoot,
        attributes: record.attributes ?? [:])
      let isGone: Bool
      do throws(DocumentError) {
        let present = try DocumentMetadata(ofPackage: record.package, using: files)
        if present.contentName == record.contentName { continue }
        isGone = false
      } catch {
        // Any other missing package was deleted or renamed by other means, or is on its way.
        guard [.missing, .notADocument].contains(error.code),
          isNamedAsStandIn(record.package, for: metadata)
        else { continue }
        isGone = true
      }
      let elsewhere = try packages(of: record.contentName, in: container)
      if let package = elsewhere.first {
        try note(metadata, at: package)
        continue
      }
      guard try !Tombstones(container: container, files: files).contain(metadata),
        try files.status(logs(record.contentRoot, record.contentName, in: container)) != nil
      else { continue }
      let package =
        isGone
        ? try makePackage(for: metadata, at: record.package)
        : try makePackage(for: metadata, beside: record.package)
      did(.made(package))
      try note(metadata, at: package)
    }
  }

  /// Makes a package for a document that had the same path as another one.
  private func makePackage(
    for metadata: DocumentMetadata, beside package: String
  ) throws -> String {
    let name = package.lastPathComponent
    let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    let (stem, ending) = dot.map { (name[..<$0], name[$0...]) } ?? (name[...], "")
    let mark = Self.mark(of: metadata)
    var beginning = ""
    // Keeps within the length limit of names, however many bytes the letters need.
    for character in stem
    where beginning.utf8.count + character.utf8.count + mark.utf8.count + ending.utf8.count < 99 {
      beginning.append(character)
    }
    return try makePackage(
      for: metadata,
      at: package.parentDirectory.appending(component: "\(beginning) \(mark)\(ending)"))
  }

  private func makePackage(for metadata: DocumentMetadata, at path: String) throws -> String {
    if isPackage(path, named: metadata.contentName) { return path }
    try step.run(.makes, path) {
      try files.makeDirectory(path)
      try metadata.write(intoPackage: path, using: files)
    }
    return path
  }

  private static func mark(of metadata: DocumentMetadata) -> String {
    String(metadata.contentName.suffix(8))
  }

  /// Whether a package was made by `makePackage` and nothing was added to it since.
  func isStandIn(_ package: String, for metadata: DocumentMetadata) throws -> Bool {
    guard isNamedAsStandIn(package, for: metadata) else { return false }
    return try files.listIfPresent(package).allSatisfy { $0.name == DocumentMetadata.fileName }
  }

  /// Whether a package has the kind of name that `makePackage` gives.
  private func isNamedAsStandIn(_ package: String, for metadata: DocumentMetadata) -> Bool {
    let name = package.lastPathComponent
    let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    let stem = dot.map { name[..<$0] } ?? name[...]
    return stem.hasSuffix(" " + Self.mark(of: metadata))
  }

  /// Removes packages that were made for documents whose own packages have appeared since.
  func removeStandIns(
    in directory: String, did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws {
    var packages: [String: [(path: String, metadata: DocumentMetadata)]] = [:]
    try walk(directory) { path, metadata in
      if case .success(let metadata) = metadata {
        packages[metadata.contentName, default: []].append((path, metadata))
      }
    }
    for (_, found) in packages where found.count > 1 {
      let standIns = try found.filter { try isStandIn($0.path, for: $0.metadata) }
        .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
      // One package is kept.
      for (path, _) in standIns.dropFirst(standIns.count == found.count ? 1 : 0) {
        try removePackage(path)
        did(.removed(path))
      }
    }
  }

  /// Whether a name is that of a conflict copy of the metadata.
  static func isCopy(_ name: String) -> Bool {
    guard name != DocumentMetadata.fileName, name.hasPrefix("DocumentMetadata"),
      case .conflictCopy = CarrierName.reason(for: name)
    else { return false }
    return true
  }

  /// Records where a package is now.
  func note(_ metadata: DocumentMetadata, at package: String) throws {
    for document in try local.all(named: metadata.contentName)
    where document.record.contentRoot == metadata.contentURL {
      var record = document.record
      record.copies = copies(of: record, besides: package)
      record.package = package
      record.attributes = metadata.attributes.isEmpty ? nil : metadata.attributes
      if record != document.record { try local.write(record, in: document.directory) }
    }
  }
}
