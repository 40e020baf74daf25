public import TributaryCore
import TributaryFiles
import TributaryLog

/// A failed operation on a container.
public struct ContainerError: DetailedError {
  /// The parts of the error.
  public var details: ErrorDetails

  /// Makes the error from its parts.
  public init(_ details: ErrorDetails) { self.details = details }

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

  /// Whether this device does not let the program read a file, because permission is denied or there are too
  /// many open files. This says nothing about the contents of the file.
  package var isOfThisDevice: Bool { isDenied || isExhaustion }

  /// Whether the system denies the access.
  package var isDenied: Bool { (underlying as? FileError)?.isDenied ?? false }

  /// Whether no other file could be opened either.
  package var isExhaustion: Bool { (underlying as? FileError)?.isExhaustion ?? false }

  /// Whether a directory, a link or a device is in place of the file.
  package var isWrongKind: Bool { (underlying as? FileError)?.isWrongKind ?? false }

  /// Whether all files of the container would fail in the same way now, so that an import must wait.
  package var stopsAll: Bool { code == .unresponsive || isExhaustion }
}

extension ContainerError {
  /// One line: the finding and the remedy.
  public var description: String { details.text }
}

extension ContainerError {
  /// What was found out about the file, without its path at the beginning.
  package var finding: String {
    let start = (path ?? "") + " "
    return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
  }
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

  /// Returns the error for a segment that is written above an unknown horizon.
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
  /// Returns the error for a directory in whose place there is something else.
  static func notADirectory(_ directory: String, _ underlying: FileError) -> ContainerError {
    ContainerError(
      .inaccessible, "\(directory) is not a directory, so nothing can be written there",
      path: directory,
      remedy: misplacedRemedy, underlying: underlying)
  }

  /// What to do about what is in place of a store's own directory.
  package static let misplacedRemedy =
    "move it elsewhere, then run `tributary sync`, which makes the directory"

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
