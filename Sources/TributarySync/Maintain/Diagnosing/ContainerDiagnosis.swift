import TributaryContainer
import TributaryFiles

/// Examines all content names of a container, without any store.
struct ContainerDiagnosis {
  let path: String
  let environment: StoreEnvironment
  let progress: ((Progress) -> Void)?

  /// Content directories are searched for to this depth below a container.
  private static let depthLimit = 6

  /// Examines the container.
  ///
  /// - Throws: if the directory does not exist or cannot be listed.
  func run() throws -> [Finding] {
    guard let resolved = try environment.fileSystem.resolve(path),
      try environment.fileSystem.status(resolved)?.kind == .directory
    else {
      throw ContainerError(
        .absent, "there is no directory \(path)", path: path,
        remedy: "check the path, and that its file system is mounted")
    }
    var findings = Findings()
    let paths =
      try isContent(resolved) ? [resolved] : contentPaths(in: resolved, 0, &findings)
    if paths.isEmpty {
      findings.note(
        .noContent, path: path, "there are no logs in \(path)",
        remedy: "check the path; `tributary attach` makes a content directory")
    }
    for content in paths { examine(content, in: resolved, &findings) }
    return findings.all
  }

  private func isContent(_ path: String) throws(FileError) -> Bool {
    try environment.fileSystem.status(path.appending(component: "peers"))?.kind == .directory
  }

  private func contentPaths(
    in path: String, _ depth: Int, _ findings: inout Findings
  ) throws -> [String] {
    var paths: [String] = []
    // Links are not followed: they may lead anywhere, even back here.
    let entries = try environment.fileSystem.list(path).filter {
      $0.isExact && ($0.kind == .directory || $0.kind == .unknown)
    }
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      let inner = path.appending(component: entry.name)
      do throws(FileError) {
        if try isContent(inner) {
          paths.append(inner)
          continue
        }
      } catch {
        warn(error, &findings)
        continue
      }
      guard depth < Self.depthLimit else { continue }
      do {
        paths += try contentPaths(in: inner, depth + 1, &findings)
      } catch let error as FileError {
        if !error.isMissing { warn(error, &findings) }
      }
    }
    return paths
  }

  private func warn(_ error: FileError, _ findings: inout Findings) {
    findings.warn(
      error.isDenied ? .permission : .unreadable, path: error.path,
      "\(error.path) cannot be examined: \(error)" + environment.because(error),
      remedy: error.remedy)
  }

  private func examine(_ path: String, in container: String, _ findings: inout Findings) {
    do {
      let directory = try contentDirectory(path, in: container)
      let place = PlaceDiagnosis(directory: directory, environment: environment)
      findings.examine("the names of directories", place.names)
      try ContentDiagnosis(directory, own: nil, environment: environment, progress: progress)
        .run(&findings)
    } catch let error as ContainerError {
      findings.warn(.unreadable, path: path, error.message, remedy: error.remedy)
    } catch {
      findings.warn(
        .unexamined, path: path, "\(path) could not be examined: \(error)", remedy: Remedy.repair)
    }
  }

  /// Splits a path: the container is the given directory or, if that is too deep, the directory above it that
  /// must be the container.
  private func contentDirectory(_ path: String, in given: String) throws -> ContentDirectory {
    let root = path.parentDirectory
    let isBelow = root.utf8.count > given.utf8.count
    let container = isBelow ? given : root.parentDirectory
    let text = root.utf8.dropFirst(container.utf8.count).drop { $0 == UInt8(ascii: "/") }
    return ContentDirectory(
      container: container, root: try ContentRoot(String(Substring(text))),
      name: try ContentName(path.lastPathComponent))
  }
}
