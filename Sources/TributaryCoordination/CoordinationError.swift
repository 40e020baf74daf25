public import TributaryCore
package import TributaryFiles

/// Why items cannot be coordinated.
public struct CoordinationError: DetailedError {
  /// A process that holds items or waits for them.
  public struct Holder: Hashable, Sendable {
    /// The number of the process.
    public var process: Int32
    /// The name of the program; empty if it is unknown.
    public var program: String
    /// The purpose identifier of the coordinator.
    public var purpose: String
    /// The items.
    public var paths: [String]
    /// Whether one of them is for writing.
    public var isWriting: Bool
    /// Whether it is waiting for the items; otherwise, it holds them.
    public var isWaiting: Bool
  }

  /// The parts of the error.
  public var details: ErrorDetails
  /// In a deadlock, the processes that wait for each other.
  public var holders: [Holder] = []

  /// Makes the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }

  /// Converts the failure of an operation on a file.
  package init(_ error: FileError) {
    self.init(
      .inaccessible, error.description, path: error.path, remedy: error.remedy, underlying: error)
  }
}

extension CoordinationError {
  /// One line: what was found, and what to do about it.
  public var description: String { details.text }
}

extension CoordinationError.Holder: CustomStringConvertible {
  /// For example: `process 4711 (tributary), which writes /srv/shared/a`.
  public var description: String {
    let name = program.isEmpty ? "process \(process)" : "process \(process) (\(program))"
    let verb =
      isWaiting ? (isWriting ? "waits to write" : "waits to read") : isWriting ? "writes" : "reads"
    return "\(name), which \(verb) \(paths.joined(separator: ", "))"
  }
}

extension CoordinationError {
  static func deadlock(_ claim: Claim, waitingFor holders: [Holder]) -> CoordinationError {
    let paths = claim.items.map(\.path).joined(separator: ", ")
    let verb = claim.items.contains(where: \.access.isWriting) ? "writing" : "reading"
    var error = CoordinationError(
      .deadlock,
      "\(verb) \(paths) would wait for ever: for \(holders.map(\.description).joined(separator: "; for "))",
      path: claim.items.first?.path,
      remedy:
        "ask for all items in one call, or use the coordinator of the outer access for the inner one, too"
    )
    error.holders = holders
    return error
  }

  static func damaged(_ path: String) -> CoordinationError {
    CoordinationError(
      .damaged, "the record \(path) of who uses which files is damaged", path: path,
      remedy: "end the programs that use coordinated files, remove the file, and start them again")
  }

  static func newerFormat(_ path: String) -> CoordinationError {
    CoordinationError(
      .newerFormat, "a newer version of Tributary keeps the record \(path) of who uses which files",
      path: path, remedy: "use the same version in all programs of this user")
  }

  static func invalidURL(_ url: String) -> CoordinationError {
    CoordinationError(
      .invalidURL, "\(url) is not the URL of a file", remedy: "give a URL that begins with file:///"
    )
  }

  static func invalidPattern(_ text: String, _ reason: String) -> CoordinationError {
    CoordinationError(
      .invalidPattern, "the pattern \(text) \(reason)",
      remedy: "write * ? [a-z] for what varies, and \\ before a character that stands for itself")
  }

  static func unsafeDirectory(_ path: String) -> CoordinationError {
    CoordinationError(
      .unsafeDirectory, "\(path) is not a directory of this user that nobody else can write",
      path: path, remedy: "remove it, or set XDG_RUNTIME_DIR to a directory of this user's own")
  }
}
