import TributaryContainer
import TributaryCore

/// The manifests of a container's peers, read once and passed to everything that needs them.
struct PeerManifests {
  let directory: ContentDirectory
  /// The readable manifests; their receipts and times may be limited to what concerns the store
  /// that asks.
  let all: [PeerIdentity: PeerManifest]
  /// The same manifests, in order of peer.
  let ordered: [PeerManifest]
  /// The same manifests without that of the store that asks.
  private let others: (own: PeerIdentity?, manifests: [PeerManifest])
  /// A number that changes whenever the manifests change, within one session.
  var generation = 0
  /// Why an existing manifest is missing here, although no fault of it is known.
  var failure: ContainerError?
  /// The errors of manifests that later programs have written, in order of peer.
  var newer: [ContainerError] = []
  /// The errors of other peers' damaged manifests, in order of peer.
  var damaged: [ContainerError] = []
  /// The errors of other peers' manifests that this device may not read, in order of peer. What was known of
  /// them before counts.
  var denied: [ContainerError] = []
  /// Whether their receipts and times are not limited to what concerns the store that asks.
  var hasWholeReceipts = true
  /// Whether a file was listed and was missing a moment later.
  var hasVanished = false

  /// Returns, for each retired peer, up to which transaction other stores state that they have issued its
  /// remaining transactions again.
  func reissued(byOthersThan own: PeerIdentity) -> [PeerIdentity: SequenceNumber] {
    all.values.reduce(into: [:]) { issued, manifest in
      if manifest.peer != own { issued.merge(manifest.reissued, uniquingKeysWith: max) }
    }
  }

  /// - Parameters:
  ///   - ordered: the same as `all`, in order of peer, if it is known.
  ///   - others: the same without the manifest of one peer.
  init(
    directory: ContentDirectory, all: [PeerIdentity: PeerManifest] = [:],
    ordered: [PeerManifest]? = nil,
    others: (own: PeerIdentity?, manifests: [PeerManifest])? = nil,
    generation: Int = 0, failure: ContainerError? = nil, newer: [ContainerError] = [],
    damaged: [ContainerError] = [], denied: [ContainerError] = []
  ) {
    self.newer = newer
    self.denied = denied
    self.damaged = damaged
    self.directory = directory
    self.all = all
    self.ordered = ordered ?? all.values.sorted { $0.peer < $1.peer }
    self.others = others ?? (nil, self.ordered)
    self.generation = generation
    self.failure = failure
  }

  /// The damaged manifests of other peers, and what is wrong with each.
  var damagedFiles: [(path: String, reason: String)] {
    let gone = damaged.isEmpty ? [] : all.goneIdentities
    return damaged.map { error in
      let path = error.path ?? ""
      let isGone =
        PeerIdentity(hex: path.parentDirectory.lastPathComponent).map(gone.contains) ?? false
      let remedy =
        isGone
        ? Remedy.abandonedFile
        : "wait for the carrier; otherwise run `tributary sync` on its device, which writes it anew, or retire that device "
          + "with `tributary peers retire` if it is gone"
      return (path, "\(error.finding); \(remedy)")
    }
  }

  /// Returns the other manifests, in order of peer.
  func others(than own: PeerIdentity?) -> [PeerManifest] {
    own == others.own ? others.manifests : ordered.filter { $0.peer != own }
  }
}
