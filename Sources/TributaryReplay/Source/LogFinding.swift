internal import TributaryContainer
package import TributaryCore
internal import TributaryFiles
internal import TributaryLog

/// A problem with a log file.
package struct LogFinding {
  /// The kind of problem, on which decisions can be based.
  package enum Kind: Sendable {
    /// The file has no bytes.
    case empty
    /// The file ends too early.
    case truncated
    /// The bytes are not those that were written.
    case damaged
    /// The file is from another peer, belongs to another content name, or contradicts its own name.
    case foreign
    /// The file is written in a newer format.
    case newerFormat
    /// The system does not allow reading the file.
    case unreadable
    /// The transactions contradict others in their order or in what they know.
    case contradiction
    /// Another file contains a different transaction under the same sequence number.
    case fork
    /// A baseline differs from what was written, or has not arrived as a whole.
    case baseline
    /// What devices have forgotten is in no segment and no whole baseline; the path is that of the peers'
    /// directory.
    case forgotten
  }

  package let kind: Kind
  package let path: String
  package let message: String
  /// The error of the system or of the reader.
  package let underlying: (any Error)?
  /// The author of the transactions at fault, if it is known.
  package var peer: PeerIdentity?
  /// The first transaction at fault, if there is one.
  package var sequence: SequenceNumber?

  init(_ kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
    underlying = nil
  }

  /// Makes the finding for a segment whose header contradicts its name or its directory.
  package init(foreign path: String, message: String) {
    self.init(.foreign, path: path, message: message)
  }

  /// Makes the finding for a baseline that cannot be read to its end.
  ///
  /// - Parameter consequence: the consequence of its damage, as a phrase.
  init(baseline file: BaselineFile, _ error: any Error, consequence: String) {
    let finding = LogFinding(path: file.path, error)
    path = file.path
    underlying = error
    peer = file.owner
    guard let error = error as? ContainerError, finding.kind == .damaged || finding.kind == .foreign
    else {
      kind = finding.kind
      message = finding.message
      return
    }
    kind = .baseline
    message = "\(Self.withoutPath(error.message, file.path)): \(consequence)"
  }

  /// Makes the finding for an error.
  ///
  /// - Parameter error: what reading the file threw.
  package init(path: String, _ error: any Error) {
    self.path = path
    underlying = error
    switch error {
    case let error as FileError:
      kind = .unreadable
      message = "\(error.operation): \(error.message); \(error.remedy)"
    case let error as LogError:
      kind = Self.kind(of: error)
      message = error.description
    case let error as ContainerError:
      kind = Self.kind(of: error)
      message = Self.withoutPath(error.description, path)
    default:
      kind = .unreadable
      message = "\(error)"
    }
  }

  /// Returns a text without the path at its beginning, since the path already precedes the message.
  private static func withoutPath(_ text: String, _ path: String) -> String {
    let repeated = path + " "
    return text.hasPrefix(repeated) ? String(text.dropFirst(repeated.count)) : text
  }

  private static func kind(of error: ContainerError) -> Kind {
    switch error.code {
    case .damagedFile: .damaged
    case .foreign: .foreign
    case .newerFormat: .newerFormat
    default: .unreadable
    }
  }

  private static func kind(of error: LogError) -> Kind {
    switch error.code {
    case .truncated: error.offset == nil ? .empty : .truncated
    case .newerFormat: .newerFormat
    case .notALog, .damaged, .malformed, .limitExceeded, .inconsistent: .damaged
    case .write: .unreadable
    }
  }
}
