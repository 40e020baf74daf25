internal import Synchronization
package import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

/// The segments that this process has found intact, so that none is read a second time to verify it.
package final class VerifiedSegments: Sendable {
  private struct Key: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
    /// If the status differs, the file has since been replaced or cut short.
    var status: FileStatus?
  }

  private let known = Mutex(LimitedMemory<Key, Void>(limit: 2_000))

  package init() {}

  /// Verifies a segment, unless that has already been done.
  ///
  /// - Throws: `ContainerError`, as `SegmentStore.verify` does.
  package func verify(_ name: SegmentName, in segments: SegmentStore) throws(ContainerError) {
    let key = Key(peer: segments.peer, name: name, status: try segments.status(of: name))
    if known.withLock({ $0[key] != nil }) { return }
    try segments.verify(name)
    known.withLock { $0.note((), for: key) }
  }
}
