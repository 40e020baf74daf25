import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Examines what a store has forgotten.
extension StoreDiagnosis {
  /// Examines whether the store knows everything that it has forgotten, and has removed nothing else.
  func horizon(_ findings: inout Findings) throws {
    let record: HorizonRecord
    do {
      record = try HorizonRecord(connection)
    } catch let error as StoreError where error.code == .damaged {
      // `records` has reported it.
      return
    }
    guard let settled = record.settled else { return }
    let own = try identity().peer
    let removed = try RemovedTransactions(connection).last
    if removed > settled.horizon[own] {
      findings.add(
        damage(
          .bookkeeping,
          "the store says that it has removed its transactions up to \(removed), and has forgotten "
            + "only those up to \(settled.horizon[own])"))
    }
    let known = try KnowledgeTable(connection).current()
    if let missing = known.firstMissing(from: settled.horizon.without(own)) {
      findings.add(
        damage(
          .bookkeeping,
          "tributary_peer knows \(missing.peer) up to \(known[missing.peer]), and the store has "
            + "forgotten what came up to \(settled.horizon[missing.peer])"))
    }
  }

  /// Examines whether the store lacks what the other devices have forgotten. It then waits for a baseline,
  /// although the devices that have one miss no log.
  func forgottenLogs(_ findings: inout Findings) throws {
    let exchange = try Exchange(of: connection, environment)
    let missing = try UndeliveredTransactions.find(exchange, exchange.manifests.all)
    if missing.isEmpty { return }
    let explanation = try DelayExplanation(exchange)
    let sights = try FirstSights(Settings(connection), clock: environment.clock).all()
    for transactions in missing where explanation.isForgotten(transactions) {
      let delay = explanation.delay(
        of: transactions, since: sights, now: environment.clock.milliseconds())
      findings.warn(
        .undelivered, peer: transactions.author,
        path: exchange.directory.log(of: transactions.author), delay.explanation,
        remedy: delay.remedy)
    }
  }

  /// Examines whether the store could be rebuilt from the container if others have dropped what it still has:
  /// only its own baseline has that.
  func settledRows(_ findings: inout Findings) throws {
    let exchange = try Exchange(of: connection, environment)
    // If no device has dropped anything, any baseline can be used.
    guard let settled = try SettledRows(exchange),
      try exchange.manifests.all.values.contains(where: { manifest in
        try manifest.schema.nameChanges(at: exchange.directory.manifest(of: manifest.peer)).hasDrops
      })
    else { return }
    do {
      try settled.checkWhole()
    } catch let error as SyncError where error.code == .logsMissing {
      findings.warn(.baselineMissing, path: error.path, error.message, remedy: error.remedy)
    } catch is History.Missing {
      // If no baseline is whole, that is a finding about the container.
    }
  }
}
