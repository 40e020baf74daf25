package import TributaryCore
internal import TributaryFiles
internal import TributaryLog

/// Something wrong with a log file.
package struct LogFinding {
  /// What kind of damage it is, for decisions.
  package enum Kind: Sendable {
    /// It has no bytes.
    case empty
    /// It ends before what it holds is complete.
    case truncated
    /// Its bytes are not those that were written.
    case damaged
    /// It is by another peer, of another content name, or says otherwise than its name.
    case foreign
    /// It is written in a newer format.
    case newerFormat
    /// The system does not let it be read.
    case unreadable
    /// Its transactions contradict others: their order, or what they know.
    case contradiction
    /// Another file has another transaction under the same sequence.
    case fork
  }

  package let kind: Kind
  package let path: String
  package let message: String
  /// What the system or the reader has said.
  package let underlying: (any Error)?
  /// Whose transactions are at fault, where that is known.
  package var peer: PeerIdentity?
  /// The first transaction at fault, where it is one.
  package var sequence: SequenceNumber?

  init(_ kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
    underlying = nil
  }

  /// A segment whose header contradicts its name or its directory.
  package init(foreign path: String, message: String) {
    self.init(.foreign, path: path, message: message)
  }

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
      // The path stands before the message already.
      let repeated = path + " "
      message =
        error.description.hasPrefix(repeated)
        ? String(error.description.dropFirst(repeated.count)) : error.description
    default:
      kind = .unreadable
      message = "\(error)"
    }
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
