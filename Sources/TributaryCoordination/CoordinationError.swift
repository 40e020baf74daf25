package import TributaryFiles

/// Why items cannot be coordinated.
public struct CoordinationError: Error, Sendable {
  /// The kind of failure, for decisions; the message is for people.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word for the code in output.
    public var rawValue: String

    /// Makes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The access would wait for something that waits for it.
    public static let deadlock = Code(rawValue: "deadlock")
    /// The URL does not name a file.
    public static let invalidURL = Code(rawValue: "invalidURL")
    /// A presenter could not save its changes, or make room for a deletion.
    public static let presenterFailed = Code(rawValue: "presenterFailed")
    /// A presenter was added that has no URL.
    public static let nothingPresented = Code(rawValue: "nothingPresented")
    /// A pattern for names is none.
    public static let invalidPattern = Code(rawValue: "invalidPattern")
    /// A query has nowhere to search, or is started twice.
    public static let invalidQuery = Code(rawValue: "invalidQuery")
    /// The record of who uses what is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// A newer version of the product keeps the record of who uses what.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The runtime directory belongs to somebody else, or others may write in it.
    public static let unsafeDirectory = Code(rawValue: "unsafeDirectory")
    /// The system refuses or fails an operation.
    public static let inaccessible = Code(rawValue: "inaccessible")
  }

  /// Who holds or waits for items.
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
    /// Whether it waits for the items; otherwise, it has them.
    public var isWaiting: Bool
  }

  /// The kind of failure.
  public var code: Code
  /// What was found, as a phrase without a full stop.
  public var message: String
  /// The file or directory concerned; `nil` if there is none.
  public var path: String?
  /// What a user can do about it.
  public var remedy: String
  /// In a deadlock, those that wait for each other.
  public var holders: [Holder] = []
  /// The error of the layer below.
  public var underlying: (any Error)?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, path: String? = nil, remedy: String,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.remedy = remedy
    self.underlying = underlying
  }

  /// Converts the failure of an operation on a file.
  package init(_ error: FileError) {
    self.init(
      .inaccessible, error.description, path: error.path, remedy: error.remedy, underlying: error)
  }
}

extension CoordinationError: CustomStringConvertible {
  /// One line: what was found, and what to do about it.
  public var description: String { "\(message); \(remedy)" }
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
