internal import TributaryContainer
internal import TributaryCore
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Does something that no device may do, to test the checks.
  func sabotage(_ device: SimulatedDevice, _ report: SyncReport) throws {
    guard let sabotage = options.sabotage else { return }
    let store = try device.store.opened().store
    let own = SimulatedCarrier.peerPath(device.peer)
    switch sabotage {
    case .ignoredSynchronization: break
    case .lostRow:
      guard !report.imported.peers.isEmpty else { return }
      try commit(store) { connection in
        for table in generator.schema.tables {
          try connection.execute("DELETE FROM \(table.name)")
        }
      }
    case .skippedTransaction:
      guard let range = report.imported.peers.first else { return }
      try commit(store) { connection in
        try KnowledgeTable(connection).advance(
          range.peer, to: range.last.next, time: .zero, after: device.recorded)
      }
    case .foreignWrite:
      let other = PeerIdentity(high: 0, low: 1)
      let path = SimulatedCarrier.peerPath(other)
      device.files.disk.makeDirectories(path)
      _ = try device.files.makeTemporary(in: path)
    case .restlessness:
      guard device.isMounted, device.hasDirectory else { return }
      _ = try device.files.makeTemporary(in: own)
    case .changedSegment:
      let paths = device.files.published.keys.filter { $0.hasSuffix(".lz4") }.sorted()
      guard device.isMounted, device.hasDirectory, let path = paths.first else { return }
      let file = try device.files.makeTemporary(in: path.parentDirectory)
      try file.publish(as: path.lastPathComponent)
    case .lostConflict:
      try commit(store) { try $0.execute("DELETE FROM tributary_conflict") }
    case .brokenReference:
      guard let table = generator.schema.tables.first(where: { !$0.foreignKeys.isEmpty }) else {
        return
      }
      let column = table.foreignKeys[0].columns[0]
      try commit(store) {
        try $0.execute("UPDATE OR IGNORE \(table.name) SET \(column) = 987654321")
      }
    case .undeliveredFile: break
    case .boastfulReceipt:
      let directory = ContentDirectory(
        container: SimulatedDisk.container, name: try ContentName("H"))
      let path = directory.manifest(of: device.peer)
      guard var manifest = try manifest(of: device) else { return }
      manifest.receipt[PeerIdentity(high: 0, low: 1)] = SequenceNumber(1)
      device.files.disk.create(path, manifest.bytes, modified: 0)
    case .thrownFailure:
      if let failure = report.failure {
        throw SimulationFailure(.reported, "cannot synchronise: \(failure)")
      }
    }
  }

  /// Commits as the store itself does: another program's commit would be noticed.
  private func commit(_ store: LocalStore, _ body: (Connection) throws -> Void) throws {
    try store.service { connection in try connection.immediate { try body(connection) } }
  }
}
