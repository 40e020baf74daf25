import Glibc
import TributaryContainer
import TributaryCore
import TributaryFiles

/// Examines the place of a content directory: whether it is present, and whether a store can use it.
struct PlaceDiagnosis {
  let directory: ContentDirectory
  let environment: StoreEnvironment

  /// Examines whether the names of the directory are too similar to others beside them.
  func names(_ findings: inout Findings) throws {
    do {
      try directory.checkCollision(using: environment.fileSystem)
    } catch {
      guard error.code == .nameCollision else { throw error }
      findings.warn(
        .nameCollision, path: error.path, error.message,
        remedy:
          "rename the directory that is no longer used, or attach its stores under another name")
    }
  }

  /// Examines whether the container is present and accessible to a store.
  ///
  /// - Parameter missingSince: when synchronisations began to miss it; `nil` if they do not miss it.
  func reach(
    of own: PeerIdentity, missingSince: UInt64?, _ findings: inout Findings
  ) throws {
    guard try isThere(own, missingSince, &findings) else { return }
    try measure(own, &findings)
    for path in [directory.peer(own), directory.log(of: own), directory.baseline(of: own)] {
      do throws(FileError) {
        // Another finding names what is there instead of a directory.
        if let found = try environment.fileSystem.status(path), found.kind != .directory {
          continue
        }
        try environment.accessProbe.checkAccess(path, for: .write)
        try environment.accessProbe.checkAccess(path, for: .search)
      } catch {
        if error.isMissing { continue }
        findings.add(refusal(error))
        return
      }
    }
  }

  private func isThere(
    _ own: PeerIdentity, _ missingSince: UInt64?, _ findings: inout Findings
  ) throws -> Bool {
    let fileSystem = environment.fileSystem
    let since = missingSince.map { ", since \(Timestamp.text(milliseconds: $0))" } ?? ""
    do throws(FileError) {
      let container = try fileSystem.status(directory.container)
      guard container?.kind == .directory else {
        findings.warn(
          .containerAbsent, path: directory.container,
          "the container \(directory.container) is \(container == nil ? "not there" : "not a directory")\(since)",
          remedy: "mount it; the store keeps working, and publishes by itself later")
        return false
      }
      let path = directory.peer(own)
      if try fileSystem.status(path)?.kind == .directory { return true }
      let what =
        try fileSystem.list(directory.container).isEmpty
        ? "is empty" : "does not contain this store's directory \(path): it was wiped or replaced"
      findings.warn(
        .containerWiped, peer: own, path: path,
        "the container \(directory.container) \(what)\(since)",
        remedy: "mount the container that belongs there; if it was wiped or replaced on purpose, "
          + "`tributary sync --reseed` publishes everything again")
      return false
    } catch {
      findings.add(refusal(error))
      return false
    }
  }

  private func measure(_ own: PeerIdentity, _ findings: inout Findings) throws {
    let volume = try environment.accessProbe.volume(of: directory.peer(own))
    if volume.isReadOnly {
      findings.warn(
        .containerReadOnly, path: directory.container,
        "the container \(directory.container) is on a file system that is mounted read-only: nothing is published",
        remedy: "mount it for writing; publishing resumes by itself")
    } else if volume.isNearlyFull {
      findings.warn(
        .containerFull, path: directory.container,
        "the file system of the container \(directory.container) has \(volume.left)",
        remedy: "free space there; publishing resumes by itself")
    }
  }

  private func refusal(_ error: FileError) -> Finding {
    if error.isReadOnly {
      return Finding(
        .containerReadOnly, .warning, path: error.path, "\(error.path) cannot be written: \(error)",
        remedy: error.remedy)
    }
    return Finding(
      error.isDenied ? .permission : .unreadable, .warning, path: error.path,
      "\(error.path) cannot be used: \(error)\(environment.because(error))", remedy: error.remedy)
  }
}

extension VolumeStatus {
  /// In bytes: less space than this will not last.
  private static let room: UInt64 = 16 << 20

  fileprivate var isNearlyFull: Bool { availableByteCount < Self.room || availableFileCount == 0 }

  /// The remaining space, as a phrase.
  fileprivate var left: String {
    availableFileCount == 0 ? "no room for further files" : "\(availableByteCount) bytes left"
  }
}

extension StoreEnvironment {
  /// The probe for access to the container: the given file system if it can answer, otherwise that of the
  /// machine.
  fileprivate var accessProbe: any AccessProbe { Self.probe(of: fileSystem) }

  private static func probe(of files: any FileSystem) -> any AccessProbe {
    let base = (files as? BoundedFileSystem)?.base ?? files
    return base as? any AccessProbe ?? LocalFileSystem()
  }

  /// Returns what to report about the file system of a store if it is full, or soon will be; `nil` if it is
  /// not, or if this is unknown.
  func fullDisk(of store: String) -> (finding: String, remedy: String)? {
    guard
      // A volume that does not report its free space is not known to be full.
      let volume = try? Self.probe(of: localFiles).volume(of: store), volume.isNearlyFull,
      !volume.isReadOnly
    else { return nil }
    return (
      "the file system of the store \(store) has \(volume.left): writes and imports may fail, and change nothing then",
      "free space there; they work again at once"
    )
  }

  /// Checks that this process may write a store's file, and create others beside it.
  ///
  /// - Throws: `FileError`.
  func checkWritable(store: String) throws(FileError) {
    let probe = Self.probe(of: localFiles)
    for path in [store, store.parentDirectory] { try probe.checkAccess(path, for: .write) }
  }

  /// Returns an error that also states who owns the file and as whom this process runs, if the system denies
  /// access to the file.
  func explaining(_ error: any Error) -> any Error {
    guard var denied = error as? ContainerError, let file = denied.underlying as? FileError,
      file.isDenied, denied.message == file.description
    else { return error }
    // A mount that has just answered may hang by now. Then the error is reported without the reason.
    let reason = try? executor?.run("stat", on: file.path) { because(file) }
    denied.message += reason ?? (executor == nil ? because(file) : "")
    return denied
  }

  /// Explains why the system refuses access to a file.
  ///
  /// - Returns: for example, `: this process runs as user 1000; …` for a denied permission; otherwise
  ///   nothing.
  func because(_ error: FileError) -> String {
    guard error.isDenied else { return "" }
    // The nearest path with known permissions: what is below a closed directory is unknown.
    var path = error.path
    while true {
      if let found = try? accessProbe.permissions(of: path) {
        return path == error.path ? " (\(found))" : " (\(path): \(found))"
      }
      guard path.parentDirectory != path else { return "" }
      path = path.parentDirectory
    }
  }
}
