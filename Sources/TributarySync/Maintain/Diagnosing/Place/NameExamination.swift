import TributaryContainer

/// Whether the names of a content directory are too similar to others beside them.
struct NameExamination: Examination {
  let directory: ContentDirectory
  let environment: StoreEnvironment

  let subject = "the names of directories"

  func examine(_ findings: inout [Finding]) throws {
    do {
      try directory.checkCollision(using: environment.fileSystem)
    } catch {
      guard error.code == .nameCollision else { throw error }
      findings.append(
        Finding(
          .nameCollision, .warning, path: error.path, error.message,
          remedy:
            "rename the directory that is no longer used, or attach its stores under another name"))
    }
  }
}
