import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// A content directory to examine: everything is read once, however many examinations need it.
final class ContentSubject {
  let directory: ContentDirectory
  let environment: StoreEnvironment
  let listing: ContentListing
  /// The peer whose store is examined; `nil` for the container alone.
  let own: PeerIdentity?
  /// The manifest of each peer.
  let manifests: [PeerIdentity: Result<PeerManifest, ContainerError>]
  let progress: ((Progress) -> Void)?

  /// All segments, read to their end.
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
    progress: ((Progress) -> Void)? = nil
  ) throws {
    self.directory = directory
    self.own = own
    self.environment = environment
    self.progress = progress
    listing = try ContainerScanner(directory, using: environment.fileSystem).scan()
    var manifests: [PeerIdentity: Result<PeerManifest, ContainerError>] = [:]
    for peer in listing.peers {
      do {
        manifests[peer.peer] = try PeerManifest.read(
          of: peer.peer, in: directory, using: environment.fileSystem
        ).map { .success($0) }
      } catch {
        manifests[peer.peer] = .failure(error)
      }
    }
    self.manifests = manifests
  }

  /// The readable manifests, in order of peer; `ManifestExamination` reports the others.
  var readable: [PeerManifest] {
    manifests.values.compactMap { try? $0.get() }.sorted { $0.peer < $1.peer }
  }

  /// The readable manifests in the form for comparisons.
  var peerManifests: PeerManifests {
    PeerManifests(
      directory: directory,
      all: Dictionary(readable.map { ($0.peer, $0) }, uniquingKeysWith: { $1 }))
  }

  var peerText: PeerText {
    PeerText(
      own: own,
      names: Dictionary(readable.map { ($0.peer, $0.name) }, uniquingKeysWith: { $1 }))
  }

  /// Peers that were declared to be gone, and identities that stores have left.
  var gone: Set<PeerIdentity> {
    readable.reduce(into: Set(PeerManifest.successors(among: readable).keys)) {
      $0.formUnion($1.retired)
    }
  }

  /// Whether a transaction, or another one of that number, was issued again under another identity:
  /// nobody waits for it any more.
  func isWithdrawn(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    readable.contains { manifest in
      manifest.former[peer].map { $0.last < sequence && sequence <= $0.reissued } ?? false
    } || isAdopted(sequence, of: peer)
  }

  /// Whether another peer did that on behalf of a store that is not there.
  func isAdopted(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    adopted.values.contains {
      $0.former == peer && $0.range.last < sequence && sequence <= $0.range.reissued
    }
  }

  /// What was issued again on behalf of others, by the new identities.
  var adopted: [PeerIdentity: ManifestAdoption] {
    readable.reduce(into: [:]) { all, manifest in
      all.merge(manifest.adopted) { $0.range.reissued < $1.range.reissued ? $1 : $0 }
    }
  }

  /// Returns the last transaction of a peer that is in a file here, according to the files' names.
  func present(_ peer: PeerIdentity) -> SequenceNumber {
    listing.peers.first { $0.peer == peer }?.segments.map(\.name.last).max() ?? .zero
  }

  private func readLogs() throws -> Logs {
    let names = peerText.names
    let logs = listing.peers.map { peer in
      PeerLog(
        directory: directory.peer(peer.peer), peer: peer.peer, name: names[peer.peer],
        paths: peer.segments.map(\.path))
    }
    var findings: [LogFinding] = []
    let verification = LogVerification(
      logs, using: environment.fileSystem,
      progress: { [progress] in
        progress?(Progress(stage: "reading logs", done: $0, total: $1))
      },
      report: { findings.append($0) })
    return Logs(result: try verification.run(), findings: findings)
  }

  /// The examinations, in the order of the reports.
  var examinations: [any Examination] {
    [
      PeerDirectoryExamination(content: self), ManifestExamination(content: self),
      SegmentExamination(content: self), ForkExamination(content: self),
      DeliveryExamination(content: self), ReceiptExamination(content: self),
      SilenceExamination(content: self), StampExamination(content: self),
      MisnamedExamination(content: self), IgnoredFileExamination(content: self),
      TemporaryExamination(content: self),
    ]
  }
}
