import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog

/// The files in the container of devices that wrote one row long ago and have read everything since.
///
/// There are no stores behind them. The product's own writers make each segment and each `peer.json`, with
/// the contents that a store would write.
struct QuietPeers {
  let peers: [PeerIdentity]
  private let directory: ContentDirectory
  private let schema: ManifestSchema

  /// Publishes one transaction for each device.
  ///
  /// - Parameters:
  ///   - log: transactions of one row, at least one for each device.
  ///   - schema: the schema of the stores.
  init(
    _ peers: [PeerIdentity], in directory: ContentDirectory, from log: PublishedLog,
    schema: ManifestSchema
  ) throws {
    self.peers = peers
    self.directory = directory
    self.schema = schema
    var left = peers[...]
    for name in log.names {
      var reader = try SegmentReader(source: log.segments.open(name))
      while let transaction = try reader.nextTransaction(), let peer = left.popFirst() {
        var first = transaction
        first.sequence = SequenceNumber(1)
        var group = TransactionGroup()
        try group.append(first, from: &reader)
        var header = reader.header
        header.peer = peer
        let segments = SegmentStore(directory, peer: peer, using: LocalFileSystem())
        try segments.makeDirectories()
        try group.publish(to: segments, header: header)
      }
    }
    guard left.isEmpty else { throw BenchmarkError("there are not enough transactions") }
  }

  /// Makes all of them promise a declaration, which the first one proposes.
  func promise(_ declaration: Declaration) throws {
    try publish { number in
      ManifestHorizon(
        made: SequenceNumber(1), promises: [declaration.identifier],
        proposal: number == 0 ? declaration : nil)
    }
  }

  /// Makes all of them obey a declaration, and forget accordingly.
  func settle(by declaration: Declaration) throws {
    let horizon = ManifestHorizon(
      made: SequenceNumber(1), obeyed: declaration.identifier, settled: declaration.identifier)
    try publish(above: declaration) { _ in horizon }
  }

  private func publish(
    above declaration: Declaration? = nil, _ horizon: (Int) -> ManifestHorizon
  ) throws {
    for (number, peer) in peers.enumerated() {
      var manifest = PeerManifest(
        peer: peer, name: "device \(number)", content: directory.name, sequence: SequenceNumber(1),
        receipt: Knowledge(), horizon: horizon(number), schema: schema)
      if let declaration {
        manifest.receipt = declaration.horizon
        manifest.receipt[peer] = .zero
        manifest.times = declaration.times
        manifest.times[peer] = nil
        manifest = manifest.written(above: declaration)
      }
      try manifest.publish(in: directory, using: LocalFileSystem())
    }
  }
}
