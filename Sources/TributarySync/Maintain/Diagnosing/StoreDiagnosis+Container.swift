import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Examines a store by comparing it with its container.
extension StoreDiagnosis {
  /// Returns the store with its container, as a synchronisation would find them.
  private func exchange(of identity: StoreIdentity, with content: ContentDiagnosis) -> Exchange {
    var exchange = Exchange(identity, connection, environment, content.directory)
    exchange.listing = content.listing
    exchange.manifests = content.peerManifests
    return exchange
  }

  // MARK: Its own log

  /// Examines whether the store continues what has been published under its identity. A restored backup does
  /// not, and neither does a copy.
  func identity(
    _ identity: StoreIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    if let last = try environment.recognition.copied(connection) {
      findings.note(
        .identity, peer: identity.peer, path: connection.path,
        "\(OwnEvidence.copy(after: last)): it was restored from a backup, or copied, and publishes nothing under the "
          + "identity of the original",
        remedy: Remedy.newIdentity)
    } else if let (evidence, remedy) = try departure(identity, content) {
      findings.damage(
        .identity, peer: identity.peer, path: content.directory.log(of: identity.peer),
        "\(evidence): it was restored from a backup, or copied and written elsewhere",
        remedy: remedy)
    }
    try compareOutbox(identity.peer, content, &findings)
  }

  /// Returns the evidence that the store does not continue its log; `nil` if there is none.
  private func departure(
    _ identity: StoreIdentity, _ content: ContentDiagnosis
  ) throws -> (evidence: String, remedy: String)? {
    let own = identity.peer
    let exchange = exchange(of: identity, with: content)
    switch try OwnLog(branches: Branches(exchange)).compare() {
    case .departs(_, _, let evidence): return (evidence, Remedy.newIdentity)
    case .undecided(let lacking, let evidence):
      return (
        evidence,
        "wait until transaction \(lacking) of its own log has arrived, and run `tributary sync` then; if the "
          + "log is lost, `tributary sync --reseed` continues without it"
          + (try exchange.isForgotten(lacking) ? Remedy.ofForgottenOwnLog : "")
      )
    case .continues: break
    }
    let last = try last()
    let unknown = try content.logs.get().result.unknown.filter {
      $0.peer == own && $0.last > last && !content.isWithdrawn($0.last, of: own)
    }
    return unknown.max { $0.last < $1.last }.map {
      (
        "\(content.peerText($0.knower)) has written with knowledge of transaction \($0.last) of this store, "
          + "which remembers \(last)", Remedy.newIdentity
      )
    }
  }

  /// Searches for a segment that the store has published and that contradicts the outbox.
  private func compareOutbox(
    _ own: PeerIdentity, _ content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    let last = try last()
    let damaged = Set(
      try content.logs.get().findings.filter { $0.kind != .fork }.map(\.path))
    let remembered = Set(try SegmentTable(connection).all().map(\.name))
    let comparison = OwnLogComparison(
      connection: connection, environment: environment, directory: content.directory, own: own)
    let files = content.listing.peers.first { $0.peer == own }?.segments ?? []
    // A damaged segment proves nothing, and one that extends further has already been reported.
    for file in files
    where remembered.contains(file.name) && !damaged.contains(file.path) && file.name.last <= last {
      guard let sequence = try comparison.firstDifference(file) else { continue }
      findings.add(
        damage(
          .outbox,
          "transaction \(sequence) of this store differs between tributary_outbox and \(file.path), which it "
            + "has published"))
      return
    }
  }

  /// Examines whether the segments that the store has published still exist.
  func ownSegments(
    of own: PeerIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    let segments = SegmentStore(content.directory, peer: own, using: environment.fileSystem)
    let lost = try SegmentTable(connection).all().filter {
      try segments.status(of: $0.name) == nil
    }
    guard let first = lost.first.map({ segments.path(of: $0.name) }) else { return }
    let others = lost.count == 1 ? "" : " and \(lost.count - 1) more"
    findings.warn(
      .ownSegmentLost, peer: own, path: first,
      "\(first)\(others) should be there: this store has published them, and they are gone",
      remedy: "\(Remedy.sync), which publishes again what is missing")
  }

  // MARK: The logs of others

  /// Examines what has arrived and has not been imported: what waits, and what it waits for.
  func arrivals(
    for identity: StoreIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    let exchange = exchange(of: identity, with: content)
    let arrived = try Arrivals(exchange: exchange).look()
    let explanation = try DelayExplanation(exchange)
    for waiting in arrived.waiting {
      let text = explanation.text([waiting], among: arrived.waiting)
      let code: Finding.Code =
        switch waiting.reason {
        case .transaction, .history, .fenced, .baseline: .waiting
        case .schema: .schema
        case .constraint: .refused
        case .fork: .fork
        case .strayed: .strayed
        }
      findings.warn(
        code, peer: waiting.peer, path: content.directory.log(of: waiting.peer), text.explanation,
        remedy: text.remedy)
    }
    guard arrived.ready > 0 else { return }
    findings.note(
      .notImported, path: content.directory.peers,
      "\(PeerText.transactions(arrived.ready)) \(arrived.ready == 1 ? "has" : "have") arrived, and the store has "
        + "not imported \(arrived.ready == 1 ? "it" : "them") yet",
      remedy: Remedy.sync)
  }

  /// Examines whether the devices declare the same way of merging tables.
  func agreement(
    of own: PeerIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    do {
      try MergeAgreement(manifests: content.peerManifests, extensions: connection.extensions)
        .check(schema(), own: own)
    } catch let error as SyncError where error.code == .mergeDisagreement {
      findings.warn(
        .disagreement, peer: content.owner(of: (error.path ?? "") + "/log"), path: error.path,
        "\(error.message): nothing is imported", remedy: error.remedy)
    }
    let twofold = TwofoldNames(manifests: content.peerManifests)
    for found in try twofold.findings(in: schema(), own: own) {
      findings.warn(.table, path: path, found.message, remedy: found.remedy)
    }
    let migrations = MigrationAgreement(manifests: content.peerManifests)
    for disagreement in try migrations.disagreements(own: own) {
      findings.warn(
        .disagreement, path: content.directory.peers, disagreement.message,
        remedy: disagreement.remedy)
    }
  }

  /// The difference between this store's constraints on the rows of a table and those of others.
  private struct RuleDifference: Hashable {
    var table: String
    var onlyHere: Set<String>
    var onlyThere: Set<String>
  }

  /// Examines whether the devices have the same constraints on the rows of a table. If they differ, one
  /// device holds back or refuses what another shows. Devices that differ in the same way are named together.
  func rules(
    of own: PeerIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    var differences: [(difference: RuleDifference, peers: [PeerIdentity])] = []
    let names = try content.peerManifests.nameChanges(besides: schema().names)
    // The constraints of an identity that no store has any more bind no device.
    for manifest in content.peerManifests.others(than: own)
    where !content.gone.contains(manifest.peer) {
      guard try PeerTables.areTold(manifest.schema, otherwiseThan: connection) else { continue }
      // What a migration has renamed on only one of the two is no difference.
      var translated = manifest.schema
      translated.sql = try TranslatedSchema(
        manifest.schema.sql, as: connection, names
      ).statements
      let theirs = try PeerTables(translated, extensions: connection.extensions)
      for table in try schema().tables where table.refusal == nil {
        guard let other = theirs.schema.table(named: table.name), other.refusal == nil else {
          continue
        }
        let here = try TableRules(table, connection).constraints
        let there = try TableRules(other, theirs.connection).constraints
        if here == there { continue }
        let difference = RuleDifference(
          table: table.name, onlyHere: here.subtracting(there), onlyThere: there.subtracting(here))
        if let place = differences.firstIndex(where: { $0.difference == difference }) {
          differences[place].peers.append(manifest.peer)
        } else {
          differences.append((difference, [manifest.peer]))
        }
      }
    }
    for (difference, peers) in differences { warn(of: difference, peers, &findings) }
  }

  /// Examines whether the devices convert what they import to the same values.
  func types(
    of own: PeerIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    let agreement = TypeAgreement(
      manifests: content.peerManifests, extensions: connection.extensions)
    for found in try agreement.findings(in: schema(), own: own) {
      findings.warn(
        .rules, peer: found.peers.count == 1 ? found.peers[0] : nil, path: path,
        found.refusal.message, remedy: found.refusal.remedy)
    }
  }

  private func warn(
    of difference: RuleDifference, _ peers: [PeerIdentity], _ findings: inout Findings
  ) {
    let names = peers.map(\.description).joined(separator: ", ")
    let others = "\(peers.count == 1 ? "peer" : "peers") \(names)"
    func say(_ constraints: Set<String>, _ side: String) -> String? {
      constraints.isEmpty
        ? nil : "only \(side) \(constraints.sorted().joined(separator: ", "))"
    }
    let sides = [
      say(difference.onlyHere, "this store has"),
      say(difference.onlyThere, peers.count == 1 ? "that peer has" : "those peers have"),
    ].compactMap(\.self)
    findings.warn(
      .rules, peer: peers.count == 1 ? peers[0] : nil, path: path,
      "this store and \(others) have different constraints on the rows of table \(difference.table): "
        + sides.joined(separator: ", and ")
        + "; what one device holds back or refuses, another may show",
      remedy: "run the migration that makes them equal on the device that lacks it")
  }
}
