import Glibc
internal import TributaryTesting

/// What a device finds in place of its container.
package enum MountState: Hashable, Sendable, CaseIterable {
  case normal
  /// No directory at all.
  case absent
  /// An empty directory: the mount point of a dead mount.
  case empty
  case readOnly
  case full
  /// A directory without permission to read it.
  case denied
  /// A network mount that its server no longer knows.
  case stale

  /// Whether the real tree is visible, rather than what is under the mount point.
  var isMounted: Bool { self != .absent && self != .empty }

  /// Returns why an operation fails; `nil` if it does not.
  func failure(ofWrite isWrite: Bool) -> Int32? {
    switch self {
    case .normal, .absent, .empty: nil
    case .readOnly: isWrite ? EROFS : nil
    case .full: nil
    case .denied: EACCES
    case .stale: ESTALE
    }
  }

  package var name: String {
    switch self {
    case .normal: "container back"
    case .absent: "container absent"
    case .empty: "empty directory instead of the container"
    case .readOnly: "container read-only"
    case .full: "container full"
    case .denied: "container without permission"
    case .stale: "container stale"
    }
  }
}
