import TributaryFiles
import TributaryLog

/// A failed operation on a container.
public struct ContainerError: Error, Sendable {
  /// The kind of failure, for decisions; the message is for people.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word for the code in output.
    public var rawValue: String

    /// Makes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The container, or a required part of it, is missing: perhaps it is not mounted.
    public static let absent = Code(rawValue: "absent")
    /// The container is present, but what was published into it is gone.
    public static let wiped = Code(rawValue: "wiped")
    /// A file belongs to another peer, another content name or another use.
    public static let foreign = Code(rawValue: "foreign")
    /// A name breaks a rule for names.
    public static let invalidName = Code(rawValue: "invalidName")
    /// A name differs from an existing one only in a way that some carriers do not preserve.
    public static let nameCollision = Code(rawValue: "nameCollision")
    /// The database would lie where a carrier transports it as a file.
    public static let storeInsideContainer = Code(rawValue: "storeInsideContainer")
    /// A path that must lie in the container does not.
    public static let outsideContainer = Code(rawValue: "outsideContainer")
    /// A file is cut off, empty or changed.
    public static let damagedFile = Code(rawValue: "damagedFile")
    /// A newer major format version, unknown to this program, wrote the file.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// A file is missing; the directory around it may exist.
    public static let missingFile = Code(rawValue: "missingFile")
    /// The device or the quota is full.
    public static let full = Code(rawValue: "full")
    /// The file system is mounted read-only.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The container does not answer: perhaps it is a network mount without its server.
    public static let unresponsive = Code(rawValue: "unresponsive")
    /// The system refuses or fails an operation in another way.
    public static let inaccessible = Code(rawValue: "inaccessible")
  }

  /// The kind of failure.
  public var code: Code
  /// What was found, as a phrase without a full stop. It names the file if there is one.
  public var message: String
  /// The file or directory concerned; `nil` for a name that never became a path.
  public var path: String?
  /// What a user can do about it.
  public var remedy: String
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
    let code: Code =
      if error.isMissing { .missingFile } else if error.isFull { .full } else if error.isReadOnly {
        .readOnly
      } else if error.isUnresponsive { .unresponsive } else { .inaccessible }
    let message =
      error.isUnresponsive
      ? "\(error.path) does not answer (\(error.operation)): the mount hangs" : error.description
    self.init(code, message, path: error.path, remedy: error.remedy, underlying: error)
  }

  /// Whether a later attempt may succeed without intervention.
  public var isTransient: Bool { (underlying as? FileError)?.isTransient ?? false }
}

extension ContainerError: CustomStringConvertible {
  /// One line: the finding and the remedy.
  public var description: String { "\(message); \(remedy)" }
}

extension ContainerError {
  /// Returns the error for a file that is cut off, empty or changed, which is normal while a carrier is
  /// still at work.
  package static func damaged(
    _ path: String, _ finding: String, underlying: (any Error)? = nil
  ) -> ContainerError {
    ContainerError(
      .damagedFile, "\(path) is damaged or has not arrived whole: \(finding)", path: path,
      remedy: "nothing needs to be done: it is imported by itself once the carrier has delivered "
        + "it whole; if that does not happen, `tributary doctor` says what to do",
      underlying: underlying)
  }

  /// Returns the error for a segment that is written above a horizon which is not known.
  package static func unknown(_ declaration: UInt64, _ path: String) -> ContainerError {
    ContainerError(
      .missingFile,
      "what the author of \(path) knew cannot be found out: no baseline here declares the horizon "
        + "\(declaration.lowerHex), above which it is written",
      path: path,
      remedy: "wait until the carrier has delivered the baseline, or run `tributary sync` on a "
        + "device that is further, which writes one again")
  }

  /// Makes the error for a file whose contents are not what they should be.
  init(_ error: LogError, reading path: String) {
    self =
      error.code == .newerFormat
      ? .newer(path, says: "a newer format: \(error.message)", underlying: error)
      : .damaged(path, error.message, underlying: error)
  }

  /// Returns the error for a file that claims to belong elsewhere.
  static func foreign(_ path: String, _ finding: String) -> ContainerError {
    ContainerError(
      .foreign, "\(path) \(finding)", path: path,
      remedy: "it was copied or moved here: put it, or its directory, back under its own name")
  }

  /// Returns the error for a file that a later program wrote.
  static func newer(_ path: String, _ version: String) -> ContainerError {
    newer(path, says: "the newer format \(version)")
  }

  private static func newer(
    _ path: String, says format: String, underlying: (any Error)? = nil
  ) -> ContainerError {
    ContainerError(
      .newerFormat, "\(path) is written in \(format)", path: path,
      remedy: "update Tributary on this device; the file is imported by itself afterwards",
      underlying: underlying)
  }
}

extension ContainerError {
  /// Returns the error for a missing directory that this store has made.
  static func absent(_ directory: String, _ underlying: FileError) -> ContainerError {
    ContainerError(
      .absent, "\(directory) is not there: the container is unmounted, replaced or wiped",
      path: directory,
      remedy: "bring the container back; or, if it is really gone, publish everything again with "
        + "sync --reseed",
      underlying: underlying)
  }
}
