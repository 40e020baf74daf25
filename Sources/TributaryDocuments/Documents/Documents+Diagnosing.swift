internal import TributaryContainer
internal import TributaryFiles
package import TributarySync

// Findings that only packages can show: a store and its logs may be intact while the package that names them
// is not.
extension Documents {
  /// Returns what is wrong with the package of a store; nothing for a store that belongs to no document.
  ///
  /// Changes nothing.
  package func diagnose(store: String) -> [Finding] {
    examining(store) {
      guard let document = try local.all().first(where: { $0.store == store }),
        !document.record.isBeingMade
      else { return [] }
      let record = document.record
      do throws(DocumentError) {
        _ = try DocumentMetadata(ofPackage: record.package, using: files)
        return []
      } catch {
        switch error.code {
        case .damaged, .newerFormat: return [finding(error, record.package)]
        case .inaccessible where !error.isOfMount: return [finding(error, record.package)]
        case .missing, .notADocument:
          return try withoutPackage(in: record.container)
            .filter { $0.contentName == record.contentName }.map { finding($0) }
        // An absent mount is found through its logs.
        default: return []
        }
      }
    }
  }

  /// Returns the path of the package whose store is at a path; `nil` if the store belongs to no document.
  package func package(ofStore store: String) throws -> String? {
    try local.all().first { $0.store == store && !$0.record.isBeingMade }?.record.package
  }

  /// Returns the finding about a document whose store is not on this device.
  package func storeIsAbsent(_ package: String) -> Finding {
    Finding(
      .storeMissing, .note, path: package,
      "\(package): the store of the document is not on this device",
      remedy: "run `tributary document open \(package)`, which makes it from the logs")
  }

  /// Returns what is wrong with the packages in a directory and its subdirectories. For a container, also
  /// returns which documents have logs there but no package.
  ///
  /// Changes nothing.
  package func diagnose(directory: String) -> [Finding] {
    examining(directory) {
      let path = try AbsolutePath.resolved(directory, using: files)
      let inside = path.appending(component: Containers.documentsName)
      let isContainer = try files.status(inside)?.kind == .directory
      // There are no packages among logs.
      guard isContainer || path.split(separator: "/").contains(Substring(Containers.documentsName))
      else { return [] }
      let packages = try packages(in: isContainer ? inside : path)
      var findings: [Finding] = []
      for (package, metadata) in packages {
        if case .failure(let error) = metadata,
          [.damaged, .newerFormat, .inaccessible].contains(error.code)
        {
          findings.append(finding(error, package))
        }
      }
      guard isContainer else { return findings }
      findings += try withoutPackage(in: path).map { finding($0) }
      findings += try unopened(in: path, among: packages).map { record in
        let error = Self.packageIsAwaited(record)
        return Finding(
          .packageMissing, .note, path: error.path, "\(error.path ?? ""): \(error.message)",
          remedy: error.remedy)
      }
      return findings
    }
  }

  /// Returns the documents of this device that have logs in a container but no longer a package.
  ///
  /// A package that was renamed on another device may be on its way.
  func withoutPackage(in container: String) throws -> [DocumentRecord] {
    let lost = try local.all().map(\.record).filter { record in
      guard record.container == container, !record.isBeingMade,
        container != local.privateContainer(of: record.contentName)
      else { return false }
      do throws(DocumentError) {
        _ = try DocumentMetadata(ofPackage: record.package, using: files)
        return false
      } catch {
        return [.missing, .notADocument].contains(error.code)
      }
    }
    if lost.isEmpty { return [] }
    let named = Self.names(
      try packages(in: container.appending(component: Containers.documentsName)))
    return try lost.filter { try !named.contains($0.contentName) && hasStanding($0) }
  }

  /// Whether the logs of a document are in its container, and no one has deleted it.
  func hasStanding(_ record: DocumentRecord) throws -> Bool {
    let tombstones = Tombstones(container: record.container, files: files)
    let logs = logs(record.contentRoot, record.contentName, in: record.container)
    return try !tombstones.contain(root: record.contentRoot, name: record.contentName)
      && hasLogs(logs.appending(component: "peers"))
  }

  /// Returns the error about a document that no longer has a package.
  static func packageIsGone(_ record: DocumentRecord) -> DocumentError {
    DocumentError(
      .missing, "the package is gone, and the logs of the document are still in the container",
      path: record.package,
      remedy:
        "run `tributary document open \(record.package) --content-name \(record.contentName)` to have "
        + "it again, and `tributary document delete` after that to delete it on all devices")
  }

  private func finding(_ record: DocumentRecord) -> Finding {
    let error = Self.packageIsGone(record)
    return Finding(
      .packageMissing, .warning, path: record.package,
      "\(record.package): \(error.details.message)", remedy: error.remedy)
  }

  private func finding(_ error: DocumentError, _ package: String) -> Finding {
    let file = package.appending(component: DocumentMetadata.fileName)
    let explanation = "\(file): \(error.details.message)"
    let remedy = remedied(error, package).remedy
    return switch error.code {
    case .newerFormat: Finding(.newerFormat, .warning, path: file, explanation, remedy: remedy)
    case .inaccessible: Finding(.unreadable, .warning, path: file, explanation, remedy: remedy)
    default: Finding(.documentMetadata, .damage, path: file, explanation, remedy: remedy)
    }
  }

  /// Turns an error that stops an examination into a finding.
  private func examining(_ path: String, _ body: () throws -> [Finding]) -> [Finding] {
    do {
      return try body()
    } catch {
      return [
        Finding(
          .unexamined, .warning, path: path,
          "the packages of documents could not be examined: \(error)",
          remedy: "run `tributary doctor` again once that is fixed")
      ]
    }
  }
}

extension DocumentError {
  /// Whether the file system does not answer, as opposed to something being wrong with one file.
  fileprivate var isOfMount: Bool { (details.underlying as? FileError)?.isUnresponsive ?? false }
}
