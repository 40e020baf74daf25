import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Handles what is declared: drops promises that will never be declared, obeys, follows, and writes
/// baselines.
extension HorizonStep {
  /// Drops promises that others can never give (rule 7).
  mutating func dropVoid() throws -> Bool {
    guard !record.state.promises.isEmpty else { return false }
    var new = record
    let fenced = waiting.filter { if case .fenced = $0.reason { true } else { false } }
    guard !fenced.isEmpty else { return false }
    let heads = try LoggedHeads(exchange)
    let receipts = exchange.memory.receipts.read(
      exchange.listing, in: exchange.directory, exchange.environment, horizons: exchange.horizons)
    for waiting in fenced {
      guard let transaction = heads.transaction(waiting.sequence, of: waiting.peer) else {
        continue
      }
      let isDropped = new.state.dropVoid(transaction) { peer in
        receipts.all[peer].map { $0.receipt[waiting.peer] >= waiting.sequence } ?? false
      }
      outcome.hasDropped = outcome.hasDropped || isDropped
    }
    guard outcome.hasDropped else { return false }
    try save(new, notes)
    return true
  }

  /// Obeys what is declared (rule 8).
  mutating func obeyDeclared() throws -> Bool {
    var new = record
    guard new.state.obeyDeclared(facts) else { return false }
    try saveObeying(new)
    return true
  }

  mutating func saveObeying(
    _ new: HorizonRecord, check: () throws -> Void = {}
  ) throws {
    var newNotes = notes
    newNotes.obeyed = now
    newNotes.lost = nil
    newNotes.seen = [:]
    try save(new, newNotes, check: check)
  }

  /// Forgets, as soon as there is a baseline by which it can (rule 9).
  mutating func settle() throws {
    guard let obeyed = record.state.obeyed, record.settled != obeyed,
      try hasWhole(declaring: obeyed, isComplete: true), try hasWhatOthersDropped(of: obeyed),
      // Transactions that are still to be examined may need what came before.
      try !OwnExamination.isDue(connection)
    else { return }
    var new = record
    new.settled = obeyed
    let connection = connection
    try save(new, notes) {
      // Another process may have written meanwhile.
      guard try !OwnExamination.isDue(connection) else { throw Overtaken() }
      try HorizonRecord.settle(obeyed, in: connection)
    }
  }

  /// Returns the declaration that the store obeys, if it is this store's turn to write a baseline of it (rule
  /// 17).
  func baselineToWrite() throws -> Declaration? {
    guard let obeyed = record.state.obeyed else { return nil }
    let present = Set(
      try baselines.filter {
        try $0.covers(obeyed) && exchange.tablesMissing(from: $0.header).isEmpty
          && exchange.memory.baselines.isWhole($0, in: exchange)
      }.map(\.peer))
    guard !present.contains(own), try exchange.tablesLeftOut(of: obeyed.horizon).isEmpty else {
      return nil
    }
    // Others may count on a baseline that was damaged, and only its owner can replace it.
    let isDamaged = exchange.memory.baselines.hasDamaged(
      in: exchange.directory.baseline(of: own))
    if try isDamaged || writers(of: obeyed).contains(own) || keepsWhatOthersDropped() {
      return obeyed
    }
    let needed = exchange.listing.peers.count > 1 ? 2 : 1
    guard present.count < needed,
      HorizonNotes.hasPassed(policy.courtesy, since: notes.obeyed, now)
    else { return nil }
    return obeyed
  }

  /// Whether the store still has tables or columns that migrations elsewhere have dropped: the baselines of
  /// others lack them.
  private func keepsWhatOthersDropped() throws -> Bool {
    let names = try NameChanges(connection)
    guard names.hasDrops else { return false }
    return try ReplicatedSchema(connection, selection: TableSelection(connection)).tables.contains {
      names.areDropped(anyOf: $0)
    }
  }

  /// Whether the store can forget without losing those tables and columns, by a baseline of its own.
  private func hasWhatOthersDropped(of declaration: Declaration) throws -> Bool {
    try !keepsWhatOthersDropped()
      || baselines.contains {
        try $0.peer == own && $0.covers(declaration)
          && exchange.memory.baselines.isWhole($0, in: exchange)
      } || !exchange.tablesLeftOut(of: declaration.horizon).isEmpty
  }

  /// Returns the two members that are to write the baseline of a declaration. They are chosen by its
  /// identifier, among those that replicate all tables.
  private func writers(of declaration: Declaration) throws -> [PeerIdentity] {
    let members = declaration.members
    let first = Int(declaration.identifier % UInt64(members.count))
    let manifests = exchange.manifests.all
    var writers: [PeerIdentity] = []
    var shared: SharedTables?
    for step in members.indices where writers.count < 2 {
      let member = members[(first + step) % members.count]
      if member != own, let there = manifests[member]?.schema.tables,
        there != manifests[own]?.schema.tables
      {
        let tables = try shared ?? SharedTables(exchange, countsGone: false)
        shared = tables
        guard tables.missing(from: .only(there), of: declaration.horizon).isEmpty else { continue }
      }
      writers.append(member)
    }
    return writers
  }

  // MARK: Following

  /// Obeys the last declaration of which a baseline is here, if the store fits it (rules 10 and 11).
  mutating func follow() throws {
    guard let latest = try laterDeclared() else { return }
    do {
      try follow(latest)
    } catch is LoggedHeads.Missing {
      // It is impossible to tell any more whether the store fits, but the baseline is here.
      if try isOld(latest) { outcome.unfit = latest }
    }
  }

  /// Makes a store that cannot be compared with the logs come back by the last declaration, as soon as it is
  /// clear that no carrier will bring the logs.
  mutating func followUncompared() throws {
    guard let latest = try laterDeclared() else { return }
    if try isOld(latest) { outcome.unfit = latest } else { outcome.awaitsBaseline = true }
  }

  /// Returns the last declaration of which there is a whole baseline, if it comes after the one that is
  /// obeyed and the store has not promised it.
  func laterDeclared() throws -> Declaration? {
    try latestDeclared().flatMap { record.state.promises.contains($0) ? nil : $0 }
  }

  private mutating func follow(_ latest: Declaration) throws {
    let heads = try LoggedHeads(exchange)
    var beyond: [Antecedents] = []
    // If these conditions do not hold, the store does not fit, whatever it has.
    if record.state.promises.isEmpty,
      record.state.obeyed.map({ latest.horizon.isSuperset(of: $0.horizon) }) ?? true
    {
      guard try agrees(latest, heads) else {
        outcome.unfit = latest
        return
      }
      beyond = try offending(latest, heads)
    }
    let missing = try heads.missing(from: latest.horizon)
    let present = self
    func answer() throws -> DeclarationAnswer {
      present.record.state.answer(
        to: latest, having: try present.having(heads),
        beyond: beyond + (try heads.deciding(beyond: latest.horizon)),
        missing: missing.transactions)
    }
    switch try answer() {
    case .nothing: break
    case .importHorizon:
      // It is impossible to tell whether the carrier is still at work, but the baseline is here.
      if !missing.areHere || lacksHistory(beneath: latest.horizon),
        try canBegin(by: latest) || isOld(latest)
      {
        outcome.unfit = latest
      }
    case .comeBack: outcome.unfit = latest
    case .follow:
      var new = record
      new.state.follow(latest)
      try saveObeying(new) { guard try answer() == .follow else { throw Overtaken() } }
    }
  }

  /// Whether the store can begin with a baseline of a declaration, as a new device does: it has nothing that
  /// logs which are still to arrive would show, and the baseline fits its tables. It then keeps its identity
  /// and issues nothing.
  private func canBegin(by declaration: Declaration) throws -> Bool {
    guard try exchange.hasNothing(), !ForgottenLogs(exchange).needsMigration else { return false }
    let selection = try TableSelection(connection)
    return try baselines.contains {
      try $0.header.declaration == declaration
        && exchange.tablesMissing(from: $0.header, for: selection, countsGone: true).isEmpty
        && exchange.memory.baselines.isWhole($0, in: exchange)
    }
  }

  /// Whether an import waits for what it would have to be compared with.
  private func lacksHistory(beneath horizon: Knowledge) -> Bool {
    waiting.contains {
      if case .history(let peer, let sequence) = $0.reason {
        sequence <= horizon[peer]
      } else {
        false
      }
    }
  }

  /// Returns the last declaration of which there is a whole baseline, if it comes after the one that is
  /// obeyed.
  private func latestDeclared() throws -> Declaration? {
    let later = baselines.filter { baseline in
      guard let declaration = baseline.header.declaration else { return false }
      return record.state.obeyed.map { $0 < declaration } ?? true
    }
    return try later.sorted { $0.header.declaration! > $1.header.declaration! }.first {
      try exchange.memory.baselines.isWhole($0, in: exchange)
    }?.header.declaration
  }
}
