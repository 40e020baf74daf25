extension Store {
  /// The changes of the database from now on: own writes, imports, and what other stores, processes and programs
  /// write into the file.
  ///
  ///     for await change in store.changes where change.origin != .write {
  ///       if change.mayConcern("album") { reload() }
  ///     }
  public var changes: ChangeSequence { ChangeSequence(listening: observation.listen()) }

  /// Returns what `body` reads: now, and again whenever tables that it depends on change.
  ///
  ///     for try await titles in store.values({ db in try db.query("SELECT title FROM album") }) {
  ///       show(titles)
  ///     }
  ///
  /// `body` runs when the next value is requested, at most once for all changes until then: a slow reader
  /// gets the newest value and misses those in between. It runs on a thread of the library. An iteration
  /// begins with the current value, and ends when the store is closed or the task is cancelled.
  ///
  /// - Parameters:
  ///   - tables: the tables that `body` depends on; `nil` means those that its statements read, as SQLite
  ///     reports for each run.
  ///   - body: reads a snapshot of the database, as in `read`.
  /// - Returns: a sequence that throws what `body` throws, and `StoreError` with the code `misuse` if a name
  ///   in `tables` is not the name of a table. After an error, the sequence ends.
  public func values<Value: Sendable>(
    tracking tables: [String]? = nil, _ body: @escaping @Sendable (Database) throws -> Value
  ) -> ValueSequence<Value> {
    ValueSequence(
      local: local, observation: observation, turns: turns, tables: tables, body: body)
  }
}

extension Store {
  /// Whether anyone waits for changes or values.
  package var isObserved: Bool { observation.isObserved }
}
