internal import TributaryContainer
internal import TributaryFiles

// Remedies for packages that no longer say which document they are.
extension Documents {
  /// Reads what a package says about its document.
  ///
  /// - Throws: `DocumentError`: `missing`, `notADocument`, `newerFormat`, `damaged`. The error names the
  ///   command that recreates the package, if it is known which document it was.
  func metadata(of place: DocumentPlace) throws(DocumentError) -> DocumentMetadata {
    do throws(DocumentError) {
      return try DocumentMetadata(ofPackage: place.package, using: files)
    } catch {
      throw remedied(error, place.package)
    }
  }

  /// Returns an error about the metadata of a package with an additional remedy, if it is known which
  /// document it was.
  func remedied(_ error: DocumentError, _ package: String) -> DocumentError {
    guard [.damaged, .missing, .notADocument].contains(error.code) else { return error }
    // If that cannot be determined now, the general remedy remains.
    guard let lost = (try? lostDocument(at: package, isGone: error.code == .missing)) ?? nil else {
      return error
    }
    let command = "run `tributary document open \(package) --content-name \(lost.contentName)`"
    var error = error
    if error.code == .damaged {
      error.details.remedy += "; otherwise remove the file, then \(command)"
    } else {
      error.details.remedy =
        (lost.isKnown ? "" : "wait for the carrier to bring the package; otherwise ")
        + "\(command) to make the package of the document again"
    }
    return error
  }

  /// Returns the content name of the document that was at a path: the document that this device had there, or
  /// the only document that has logs, no package, and a name with the same beginning as the package's.
  ///
  /// - Parameter isGone: whether there is no longer anything at the path.
  private func lostDocument(
    at package: String, isGone: Bool
  ) throws -> (contentName: String, isKnown: Bool)? {
    if let known = try local.all().map(\.record).first(where: {
      $0.package == package && !$0.isBeingMade
    }) {
      let isAlone = known.container == local.privateContainer(of: known.contentName)
      // If a package that was only on this device is gone, it may have been moved anywhere.
      guard !(isAlone && isGone), try hasStanding(known),
        try packages(of: known.contentName, in: known.container).isEmpty
      else { return nil }
      return (known.contentName, true)
    }
    guard let container = try place(of: package).container else { return nil }
    let documents = container.appending(component: Containers.documentsName)
    // The package in question is the one that lacks its metadata.
    let others = try packages(in: documents).filter { $0.path != package }
    let beginning = Self.stem(ofName: package.lastPathComponent)
    let found = try unopened(in: container, among: others).filter {
      Self.stem(ofContentName: $0.contentName) == beginning
    }
    return found.count == 1 ? (found[0].contentName, false) : nil
  }
}
