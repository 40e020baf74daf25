import TributaryContainer
import TributaryCore
import TributaryFiles

/// Whether the container is present, and accessible to this store.
struct ReachExamination: Examination {
  let directory: ContentDirectory
  let own: PeerIdentity
  /// When synchronisations began to miss it; `nil` if they have not.
  let missingSince: UInt64?
  let environment: StoreEnvironment

  let subject = "the container"

  private var access: AccessText { AccessText(fileSystem: environment.fileSystem) }

  /// In bytes: less room than this will not last.
  private static let room: UInt64 = 16 << 20

  func examine(_ findings: inout [Finding]) throws {
    guard try isThere(&findings) else { return }
    try measure(&findings)
    for path in [directory.peer(own), directory.log(of: own)] {
      do throws(FileError) {
        try access.probe.checkAccess(path, for: .write)
        try access.probe.checkAccess(path, for: .search)
      } catch {
        if error.isMissing { continue }
        findings.append(refusal(error))
        return
      }
    }
  }

  private func isThere(_ findings: inout [Finding]) throws -> Bool {
    let fileSystem = environment.fileSystem
    do throws(FileError) {
      let container = try fileSystem.status(directory.container)
      guard container?.kind == .directory else {
        findings.append(
          Finding(
            .containerAbsent, .warning, path: directory.container,
            "the container \(directory.container) is \(container == nil ? "not there" : "not a directory")\(since)",
            remedy: "mount it; the store keeps working, and publishes by itself later"))
        return false
      }
      let path = directory.peer(own)
      if try fileSystem.status(path)?.kind == .directory { return true }
      let entries = try fileSystem.list(directory.container)
      let what =
        entries.isEmpty
        ? "is empty" : "does not contain this store's directory \(path): it was wiped or replaced"
      findings.append(
        Finding(
          .containerWiped, .warning, peer: own, path: path,
          "the container \(directory.container) \(what)\(since)",
          remedy: "mount the container that belongs there; if it was wiped or replaced on purpose, "
            + "`tributary sync --reseed` publishes everything again"))
      return false
    } catch {
      findings.append(refusal(error))
      return false
    }
  }

  private var since: String {
    missingSince.map { ", since \(Timestamp.text(milliseconds: $0))" } ?? ""
  }

  private func measure(_ findings: inout [Finding]) throws {
    let volume = try access.probe.volume(of: directory.peer(own))
    if volume.isReadOnly {
      findings.append(
        Finding(
          .containerReadOnly, .warning, path: directory.container,
          "the container \(directory.container) is on a file system that is mounted read-only: nothing is published",
          remedy: "mount it for writing; publishing resumes by itself"))
    } else if volume.availableByteCount < Self.room || volume.availableFileCount == 0 {
      let left =
        volume.availableFileCount == 0
        ? "no room for further files" : "\(volume.availableByteCount) bytes left"
      findings.append(
        Finding(
          .containerFull, .warning, path: directory.container,
          "the file system of the container \(directory.container) has \(left)",
          remedy: "free space there; publishing resumes by itself"))
    }
  }

  private func refusal(_ error: FileError) -> Finding {
    if error.isReadOnly {
      return Finding(
        .containerReadOnly, .warning, path: error.path, "\(error.path) cannot be written: \(error)",
        remedy: error.remedy)
    }
    return Finding(
      error.code.isPermission ? .permission : .unreadable, .warning, path: error.path,
      "\(error.path) cannot be used: \(error)\(access.because(error))", remedy: error.remedy)
  }
}
