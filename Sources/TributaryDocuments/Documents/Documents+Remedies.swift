internal import TributaryContainer
internal import TributaryFiles

// What helps where a package says no longer which document it is.
extension Documents {
  /// Reads what a package says of its document.
  ///
  /// - Throws: `DocumentError`: `missing`, `notADocument`, `newerFormat`, `damaged`. It names the command that makes the
  ///   package again, where it is known which document it was.
  func metadata(of place: DocumentPlace) throws(DocumentError) -> DocumentMetadata {
    do throws(DocumentError) {
      return try DocumentMetadata(ofPackage: place.package, using: files)
    } catch {
      throw remedied(error, place.package)
    }
  }

  /// Returns an error about the metadata of a package with what else helps, if it is known which document it was.
  func remedied(_ error: DocumentError, _ package: String) -> DocumentError {
    guard [.damaged, .missing, .notADocument].contains(error.code) else { return error }
    // If that cannot be found out now, the remedy that always helps is left.
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

  /// Returns the content name of the document that was at a path: the one that this device had there, or the only one that
  /// has logs, no package, and a name that begins like that of the package.
  ///
  /// - Parameter isGone: whether nothing is at the path any more.
  private func lostDocument(
    at package: String, isGone: Bool
  ) throws -> (contentName: String, isKnown: Bool)? {
    if let known = try local.all().map(\.record).first(where: {
      $0.package == package && !$0.isBeingMade
    }) {
      let isAlone = known.container == local.privateContainer(of: known.contentName)
      // A package of this device alone that is gone may have been moved to anywhere.
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
