import Glibc
internal import TributaryTesting

/// What may go wrong in an operation on a file.
package enum FileFault: Hashable, Sendable {
  /// The operation fails with this `errno`, once.
  case failure(Int32)
  /// The operation fails with this `errno`, and so do all that follow in the same synchronisation.
  case failures(Int32)
  /// Reads return a few bytes at a time.
  case shortReads
  /// Part of the data is written, and then the device is full.
  case shortWrite
  /// The process is killed.
  case kill
  /// The power of the device is cut.
  case powerCut
  /// The carrier works at this very moment.
  case carrying
  /// The application commits at this very moment, or at the next moment at which the store
  /// publishes.
  case writing
  /// The container is gone from this moment on, until it is mounted again.
  case mountLost(MountState)

  /// The possible values of `errno`.
  package static let codes = [
    ENOSPC, EIO, EROFS, EACCES, ESTALE, EINTR, EDQUOT, ENOTCONN, EBUSY, ENOENT,
  ]

  /// The name in the table of injected faults.
  package var name: String {
    switch self {
    case .failure(let code): "\(Self.name(of: code)), once"
    case .failures(let code): "\(Self.name(of: code)), from then on"
    case .shortReads: "short reads"
    case .shortWrite: "short write, then ENOSPC"
    case .kill: "killed within a synchronisation"
    case .powerCut: "power cut within a synchronisation"
    case .carrying: "carrier at work within a synchronisation"
    case .writing: "application writes within a synchronisation"
    case .mountLost(let state): "\(state.name), within a synchronisation"
    }
  }

  static func name(of code: Int32) -> String {
    switch code {
    case ENOSPC: "ENOSPC"
    case EIO: "EIO"
    case EROFS: "EROFS"
    case EACCES: "EACCES"
    case ESTALE: "ESTALE"
    case EINTR: "EINTR"
    case EDQUOT: "EDQUOT"
    case ENOTCONN: "ENOTCONN"
    case EBUSY: "EBUSY"
    case ENOENT: "ENOENT"
    default: "errno \(code)"
    }
  }
}
