import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// Examines a content directory. Everything is read once, however many checks need it.
final class ContentDiagnosis {
  let directory: ContentDirectory
  let environment: StoreEnvironment
  let listing: ContentListing
  /// The peer whose store is examined; `nil` for the container alone.
  let own: PeerIdentity?
  /// The manifest of each peer that has one.
  let manifests: [PeerIdentity: Result<PeerManifest, ContainerError>]
  /// The readable manifests, in order of peer.
  let readable: [PeerManifest]
  private let progress: ((Progress) -> Void)?

  /// All segments, read to the end.
  private(set) lazy var logs = Result { try readLogs() }

  /// What reading all segments has shown.
  struct Logs {
    var result: LogVerification.Result
    var findings: [LogFinding]
  }

  /// Reads the directory.
  ///
  /// - Throws: `ContainerError` if the directory cannot be listed.
  init(
    _ directory: ContentDirectory, own: PeerIdentity?, environment: StoreEnvironment,
    progress: ((Progress) -> Void)?
  ) throws {
    self.directory = directory
    self.own = own
    self.environment = environment
    self.progress = progress
    listing = try ContainerScanner(directory, using: environment.fileSystem).scan()
    var manifests: [PeerIdentity: Result<PeerManifest, ContainerError>] = [:]
    let horizons = KnownHorizons()
    for peer in listing.peers.map(\.peer) {
      do throws(ContainerError) {
        manifests[peer] = try PeerManifest.read(
          of: peer, in: directory, using: environment.fileSystem, horizons: horizons
        ).map { .success($0) }
      } catch {
        manifests[peer] = .failure(error)
      }
    }
    self.manifests = manifests
    readable = manifests.values.compactMap { try? $0.get() }.sorted { $0.peer < $1.peer }
  }

  private func readLogs() throws -> Logs {
    var findings: [LogFinding] = []
    let verification = LogVerification(
      listing.logs(in: directory), using: environment.fileSystem,
      progress: { [progress] in
        progress?(Progress(stage: "reading logs", done: $0, total: $1))
      },
      report: { findings.append($0) })
    return Logs(result: try verification.run(), findings: findings)
  }

  /// Examines everything, in the order of the report.
  func run(_ findings: inout Findings) {
    findings.examine("the directories of the peers", peerDirectories)
    findings.examine("the files peer.json", manifestFiles)
    findings.examine("the baselines", baselines)
    findings.examine("who agrees on horizons", horizons)
    findings.examine("the segments", segments)
    findings.examine("segments that overlap", forks)
    findings.examine("what the carrier has brought", deliveries)
    findings.examine("the receipts of the peers", receipts)
    findings.examine("when peers were last heard of", silence)
    findings.examine("the stamps of the peers", stamps)
    findings.examine("files under other names", misnamedFiles)
    findings.examine("other files", ignoredFiles)
    findings.examine("temporary files", temporaryFiles)
  }

  // MARK: What the manifests say

  /// The readable manifests in a form suitable for comparisons.
  private(set) lazy var peerManifests = PeerManifests(
    directory: directory,
    all: Dictionary(readable.map { ($0.peer, $0) }, uniquingKeysWith: { $1 }))

  private(set) lazy var peerText = PeerText(
    own: own, names: Dictionary(readable.map { ($0.peer, $0.name) }, uniquingKeysWith: { $1 }))

  /// Peers that were declared to be gone, and identities that stores have left.
  private(set) lazy var gone: Set<PeerIdentity> = {
    let left = Set(PeerManifest.successors(among: peerManifests.all).keys)
    return readable.reduce(into: left) { gone, manifest in
      if !left.contains(manifest.peer) { gone.formUnion(manifest.retired) }
    }
  }()

  /// What was issued again on behalf of others, by the new identities.
  private(set) lazy var adopted: [PeerIdentity: ManifestAdoption] = readable.reduce(into: [:]) {
    $0.merge($1.adopted) { $0.range.reissued < $1.range.reissued ? $1 : $0 }
  }

  /// Whether another peer has issued a transaction again on behalf of a store that is not there.
  func isAdopted(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    adopted.values.contains {
      $0.former == peer && $0.range.last < sequence && sequence <= $0.range.reissued
    }
  }

  /// Whether a transaction, or another one of that number, was issued again under another identity. If so, no
  /// store waits for it any more.
  func isWithdrawn(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    readable.contains { manifest in
      manifest.former[peer].map { $0.last < sequence && sequence <= $0.reissued } ?? false
        || manifest.reissued[peer].map { sequence <= $0 } ?? false
    } || isAdopted(sequence, of: peer)
  }

  /// Returns the last transaction of a peer that is in a file here, according to the files' names.
  func present(_ peer: PeerIdentity) -> SequenceNumber {
    listing.peers.first { $0.peer == peer }?.segments.map(\.name.last).max() ?? .zero
  }
}
