extension Store {
  /// The changes of the database from now on: own writes, imports, and what other stores, processes and programs
  /// write into the file.
  ///
  ///     for await change in store.changes where change.origin != .write {
  ///       if change.mayConcern("album") { reload() }
  ///     }
  public var changes: ChangeSequence { ChangeSequence(listening: observation.listen()) }

  /// Returns what `body` reads: now, and again whenever tables change that it depends on.
  ///
  ///     for try await titles in store.values({ db in try db.query("SELECT title FROM album") }) {
  ///       show(titles)
  ///     }
  ///
  /// `body` runs when the next value is requested, at most once for all changes until then: a slow reader gets the
  /// newest value and misses those in between. It runs on a thread of the library. An iteration begins with the present
  /// value, and ends when the store is closed or the task is cancelled.
  ///
  /// - Parameters:
  ///   - tables: the tables that it depends on; `nil` means those that its statements read, as SQLite says, each time
  ///     anew.
  ///   - body: reads a snapshot of the database, as in `read`.
  /// - Returns: a sequence that throws what `body` throws, and `StoreError` with the code `misuse` for a name in `tables` that is not
  ///   that of a table; it ends then.
  public func values<Value: Sendable>(
    tracking tables: [String]? = nil, _ body: @escaping @Sendable (Database) throws -> Value
  ) -> ValueSequence<Value> {
    ValueSequence(
      local: local, observation: observation, turns: turns, tables: tables, body: body)
  }
}

extension Store {
  /// Whether anybody waits for changes or values.
  package var isObserved: Bool { observation.isObserved }
}
