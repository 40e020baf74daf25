import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// What the peers of a container declare of how tables merge: what is merged differently would not
/// stay the same.
struct MergeAgreement {
  let directory: ContentDirectory
  let environment: Environment

  /// What the peers say together.
  ///
  /// - Throws: `SyncError.mergeDisagreement` when two of them contradict each other.
  func declared(in listing: ContentListing, except own: PeerIdentity?) throws -> MergeOptions {
    var options = MergeOptions()
    var sources: [String: PeerIdentity] = [:]
    for (peer, schema) in manifests(listing, own) {
      for (table, merge) in try MergeOptions(schema.merge, at: directory.manifest(of: peer)).tables
      {
        let name = table.lowercased()
        if let source = sources[name], !merge.isEquivalent(to: options[table]) {
          throw disagreement(
            table, "peer \(source) merges it \(options[table]), peer \(peer) \(merge)",
            directory.manifest(of: peer))
        }
        sources[name] = peer
        options.tables[table] = merge
      }
    }
    return options
  }

  /// Compares what a store declares with what its peers do, for the tables that both have.
  ///
  /// - Throws: `SyncError.mergeDisagreement` naming the table, both sides and the remedy.
  func check(_ tables: ReplicatedSchema, in listing: ContentListing, own: PeerIdentity) throws {
    for (peer, schema) in manifests(listing, own) {
      let path = directory.manifest(of: peer)
      let theirs = try MergeOptions(schema.merge, at: path)
      let shared = Set(schema.tables.map { $0.lowercased() })
      for table in tables.tables where shared.contains(table.name.lowercased()) {
        var merge = theirs[table.name]
        if table.mergesByRow(whenDeclared: merge.merge) == table.mergesByRow {
          // Said there and left to the table here, or the other way round.
          merge.merge = table.merge.merge
        }
        guard !merge.isEquivalent(to: table.merge) else { continue }
        throw disagreement(
          table.name, "this store merges it \(table.merge), peer \(peer) \(merge)", path)
      }
    }
  }

  private func manifests(
    _ listing: ContentListing, _ own: PeerIdentity?
  ) -> [(PeerIdentity, ManifestSchema)] {
    listing.peers.compactMap { peer in
      guard peer.hasManifest, peer.peer != own else { return nil }
      // One that cannot be read now declares nothing; `status` names it.
      let manifest = try? PeerManifest.read(
        of: peer.peer, in: directory, using: environment.fileSystem)
      return manifest.map { (peer.peer, $0.schema) }
    }
  }

  private func disagreement(_ table: String, _ sides: String, _ path: String) -> SyncError {
    SyncError(
      .mergeDisagreement, "the devices do not agree how table \(table) merges: \(sides)",
      path: path,
      remedy:
        "on the device that is wrong, run `tributary attach` again, which takes over what the others "
        + "declare; if it has written the table, run `tributary detach --remove-logs` before")
  }
}

extension MergeOptions {
  /// Reads what a manifest says.
  ///
  /// - Throws: for words that are not known here.
  init(_ manifest: [String: ManifestMerge], at path: String) throws(SyncError) {
    self.init()
    for (table, said) in manifest {
      var merge = TableMerge()
      if let word = said.merge { merge.merge = try Self.known(word, table, path) }
      if let word = said.keys { merge.keys = try Self.known(word, table, path) }
      for (column, word) in said.columns {
        merge.columns[column] = try Self.known(word, table, path)
      }
      tables[table] = merge
    }
  }

  private static func known<Rule: RawRepresentable<String>>(
    _ word: String, _ table: String, _ path: String
  ) throws(SyncError) -> Rule {
    if let rule = Rule(rawValue: word) { return rule }
    throw SyncError(
      .mergeDisagreement, "that peer merges table \(table) by \(word), which is not known here",
      path: path, remedy: "install the newer Tributary that it has")
  }

  /// As a manifest says it.
  var manifest: [String: ManifestMerge] {
    tables.filter { !$0.value.isEmpty }.mapValues { merge in
      ManifestMerge(
        merge: merge.merge?.rawValue, keys: merge.keys == .natural ? "natural" : nil,
        columns: merge.columns.filter { $0.value != .latest }.mapValues(\.rawValue))
    }
  }
}
