/// Why a log file could not be read or written.
public struct LogError: Error, Hashable, Sendable {
  /// What kind of failure this is, for decisions; the message is for people.
  public enum Code: String, Hashable, Sendable {
    /// The bytes end before what they began is complete: a file still arriving, or cut off.
    case truncated
    /// The bytes are something else than a log file.
    case notALog
    /// Written by a newer major format version.
    case newerFormat
    /// A checksum does not match: bytes were changed after they were written.
    case damaged
    /// The bytes are whole and break the rules of the format.
    case malformed
    /// More than the reader's limits, or the format's, allow.
    case limitExceeded
    /// A writer was given something else than its header promised, or calls out of order.
    case inconsistent
    /// The compression library could not work, for want of memory.
    case write
  }

  /// What an offset counts from.
  public enum Region: String, Hashable, Sendable {
    /// The first byte of the file.
    case file
    /// The first byte of the decompressed payload.
    case payload
    /// The first byte of what was given to decode.
    case input
  }

  public var code: Code
  /// What was found, as a phrase without a full stop.
  public var message: String
  /// Where, in bytes from the start of `region`; `nil` where no place can be named.
  public var offset: UInt64?
  public var region: Region
  /// What can be done about it.
  public var remedy: String

  /// - Parameter remedy: `nil` stands for the usual one of the code.
  public init(
    _ code: Code, _ message: String, at offset: UInt64? = nil, in region: Region = .input,
    remedy: String? = nil
  ) {
    self.code = code
    self.message = message
    self.offset = offset
    self.region = region
    self.remedy = remedy ?? code.remedy
  }

  /// The same error, with its offset counted from the start of what the decoded bytes are a part
  /// of.
  func moved(by distance: UInt64, in region: Region) -> LogError {
    var moved = self
    moved.offset = (offset ?? 0) &+ distance
    moved.region = region
    return moved
  }

  /// The same error under another code, with the usual remedy of that code.
  func with(_ code: Code) -> LogError {
    LogError(code, message, at: offset, in: region)
  }
}

extension LogError.Code {
  /// What usually helps.
  var remedy: String {
    switch self {
    case .truncated: "wait until all of it has arrived, or let its writer publish it again"
    case .notALog: "the file does not belong here; it can be ignored"
    case .newerFormat: "update this program"
    case .damaged, .malformed: "let the file be carried again, or its writer publish it again"
    case .limitExceeded: "raise the limit if the file can be trusted"
    case .inconsistent: "a fault of this program or of its database: check the database"
    case .write: "free memory and try again"
    }
  }
}

extension LogError: CustomStringConvertible {
  /// One line: code, message, place, remedy.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let offset { text += " at byte \(offset) of the \(region.rawValue)" }
    return text + "; " + remedy
  }
}
