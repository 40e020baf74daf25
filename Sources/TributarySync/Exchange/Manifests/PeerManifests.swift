import TributaryContainer
import TributaryCore

/// The manifests of a container's peers, read once and passed to everything that needs them.
struct PeerManifests {
  let directory: ContentDirectory
  /// The readable manifests; their receipts and times may be limited to what concerns the store
  /// that asks.
  let all: [PeerIdentity: PeerManifest]
  /// The same, in order of peer.
  let ordered: [PeerManifest]
  /// The same without that of the store that asks.
  private let others: (own: PeerIdentity?, manifests: [PeerManifest])
  /// A number that changes with them, within one session.
  var generation = 0
  /// Why an existing manifest is not among them, although no fault of it is known.
  var failure: ContainerError?
  /// What is wrong with those that later programs have written, in order of peer.
  var newer: [ContainerError] = []
  /// What is wrong with the damaged ones of others, in order of peer.
  var damaged: [ContainerError] = []
  /// What this device may not read of others, in order of peer; what was known of them before counts.
  var denied: [ContainerError] = []

  /// Returns up to which transaction other stores say that they have issued the rest of retired peers again.
  func reissued(byOthersThan own: PeerIdentity) -> [PeerIdentity: SequenceNumber] {
    all.values.reduce(into: [:]) { issued, manifest in
      if manifest.peer != own { issued.merge(manifest.reissued, uniquingKeysWith: max) }
    }
  }

  /// - Parameters:
  ///   - ordered: the same as `all`, in order of peer, if that is known.
  ///   - others: the same without those of one peer.
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

  /// The damaged ones of others, and what is wrong with each.
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
