extension Connection {
  /// Runs `body` in a transaction that takes the write lock at once, and commits it.
  ///
  /// - Throws: what `body` throws, or a SQLite error; everything is then rolled back.
  package func immediate<Result>(_ body: () throws -> Result) throws -> Result {
    try beginImmediate()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs `body` in the open transaction, or in its own if none is open.
  package func atomic<Result>(_ body: () throws -> Result) throws -> Result {
    isInTransaction ? try body() : try immediate(body)
  }

  /// Begins a transaction that takes the write lock at once.
  package func beginImmediate() throws {
    try execute("BEGIN IMMEDIATE")
    do {
      try observer?.didBegin(self)
    } catch {
      rollBack()
      throw error
    }
  }

  /// Commits the transaction that `beginImmediate` began.
  package func commit() throws {
    try observer?.willCommit(self)
    try execute("COMMIT")
    observer?.didCommit(self)
  }

  /// Runs `body` in a read transaction, so that all reads see the same snapshot.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN")
    defer { rollBack() }
    return try body()
  }

  /// Rolls back the open transaction, if there is one.
  package func rollBack() {
    let hasOnlyRead = isInTransaction && !isWriting
    // This cannot fail in a way that leaves the transaction open; a failing disk has already ended
    // it.
    if isInTransaction { try? execute("ROLLBACK") }
    if !hasOnlyRead { observer?.didRollBack(self) }
  }
}
