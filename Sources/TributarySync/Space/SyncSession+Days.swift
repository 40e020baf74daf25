import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Whether this is the session's first synchronisation today.
  var isDayDue: Bool {
    let now = environment.clock.milliseconds()
    let due = dayDue.load(ordering: .relaxed)
    // A clock that was ahead does not postpone it.
    return now >= due || due - now > SynchronisedDays.milliseconds
  }

  /// Whether no session of the store has synchronised today.
  func isDayNew(_ connection: Connection) throws -> Bool {
    guard isDayDue else { return false }
    let today = SynchronisedDays.day(environment.clock.milliseconds())
    return try SynchronisedDays(Settings(connection).text(.days)).last != today
  }

  /// Counts the day on which the store has synchronised, once. Also records which peers have been heard of by
  /// then, and how much the store has written.
  ///
  /// - Complexity: only a look at the clock, except once a day in each session. Reads all `peer.json` files
  ///   once a day.
  func noteDay(_ exchange: Exchange) {
    guard isDayDue else { return }
    let now = environment.clock.milliseconds()
    let today = SynchronisedDays.day(now)
    // If the container was not read completely, or if this cannot be recorded now, it is tried again.
    var next = now + Self.dayRetry
    if (try? note(today, exchange)) == true { next = (today + 1) * SynchronisedDays.milliseconds }
    dayDue.store(next, ordering: .relaxed)
  }

  /// Returns how much the store has written in the last days.
  package func writtenDays() throws -> WrittenDays {
    let today = SynchronisedDays.day(environment.clock.milliseconds())
    return try store.service { try WrittenDays.present($0, on: today, includesUnpublished: true) }
  }

  /// In milliseconds.
  private static let dayRetry: UInt64 = 3_600_000

  /// Records the day, if that has not been done.
  ///
  /// - Returns: whether it is recorded.
  private func note(_ today: UInt64, _ exchange: Exchange) throws -> Bool {
    let connection = exchange.connection
    let settings = Settings(connection)
    if SynchronisedDays(try settings.text(.days)).last == today { return true }
    let census = try PeerCensus(exchange, isListed: true)
    let facts = try census.facts()
    try connection.immediate {
      var days = SynchronisedDays(try settings.text(.days))
      // Another process may have been first.
      if days.last == today { return }
      days.note(today)
      var book = PeerBook(try settings.text(.heard))
      book.note(facts, on: days.count)
      try settings.set(.days, days.text.map { .string($0) })
      try settings.set(.heard, book.text.map { .string($0) })
      var names = PeerNames(try settings.text(.peerNames))
      for manifest in census.exchange.manifests.all.values where manifest.peer != exchange.own {
        names.note(manifest.name, of: manifest.peer)
      }
      try settings.set(.peerNames, names.text.map { .string($0) })
      let written = try WrittenDays.present(connection, on: today)
      try settings.set(.written, written.text.map { .string($0) })
    }
    return true
  }
}
