/// A failure to read or write a log file.
@usableFromInline package struct LogError: Error, Hashable, Sendable {
  /// The kind of failure, for programs to act on; the message is for people.
  package enum Code: String, Hashable, Sendable {
    /// The bytes end too early: the file is still arriving, or was cut off.
    case truncated
    /// The bytes are not a log file.
    case notALog
    /// A newer major format version wrote the file.
    case newerFormat
    /// A checksum does not match: the bytes were changed after they were written.
    case damaged
    /// The bytes are intact but break the rules of the format.
    case malformed
    /// The file exceeds the limits of the reader or of the format.
    case limitExceeded
    /// A writer's calls were out of order, or contradicted its header.
    case inconsistent
    /// The compression library failed for lack of memory.
    case write
  }

  /// What an offset is relative to.
  package enum Region: String, Hashable, Sendable {
    /// The start of the file.
    case file
    /// The start of the decompressed payload.
    case payload
    /// The start of the bytes given to decode.
    case input
  }

  package var code: Code
  /// What was found, as a phrase without a full stop.
  package var message: String
  /// The position, in bytes from the start of `region`; `nil` if no position can be given.
  package var offset: UInt64?
  package var region: Region
  /// What can be done about it.
  package var remedy: String

  /// Makes an error.
  ///
  /// - Parameter remedy: `nil` means the usual remedy of the code.
  package init(
    _ code: Code, _ message: String, at offset: UInt64? = nil, in region: Region = .input,
    remedy: String? = nil
  ) {
    self.code = code
    self.message = message
    self.offset = offset
    self.region = region
    self.remedy = remedy ?? code.remedy
  }

  /// Returns the same error with its offset counted from the start of `region`, which contains the
  /// decoded bytes.
  func moved(by distance: UInt64, in region: Region) -> LogError {
    var moved = self
    moved.offset = (offset ?? 0) &+ distance
    moved.region = region
    return moved
  }

  /// Returns the same error with another code and the usual remedy for that code.
  func with(_ code: Code) -> LogError {
    LogError(code, message, at: offset, in: region)
  }
}

extension LogError.Code {
  /// The usual remedy.
  var remedy: String {
    switch self {
    case .truncated: "wait until all of it has arrived, or let its writer publish it again"
    case .notALog: "the file does not belong here; it can be ignored"
    case .newerFormat: "update this program"
    case .damaged, .malformed: "let the carrier or the writer of the file deliver it again"
    case .limitExceeded: "raise the limit if the file can be trusted"
    case .inconsistent: "an error of this program or of its database: check the database"
    case .write: "free memory and try again"
    }
  }
}

extension LogError: CustomStringConvertible {
  /// One line: code, message, position, remedy.
  @usableFromInline package var description: String {
    var text = "\(code.rawValue): \(message)"
    if let offset { text += " at byte \(offset) of the \(region.rawValue)" }
    return text + "; " + remedy
  }
}
