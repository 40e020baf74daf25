extension Connection {
  /// Runs `body` in a transaction that takes the write lock at once, and commits it.
  ///
  /// - Throws: what `body` throws, or SQLite; everything is then rolled back.
  public func immediate<Result>(_ body: () throws -> Result) throws -> Result {
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

  /// Runs `body` in the open transaction, or in one of its own where none is open.
  public func atomic<Result>(_ body: () throws -> Result) throws -> Result {
    isInTransaction ? try body() : try immediate(body)
  }

  /// Begins a transaction that has the write lock at once.
  public func beginImmediate() throws {
    try execute("BEGIN IMMEDIATE")
    do {
      try observer?.didBegin(self)
    } catch {
      rollBack()
      throw error
    }
  }

  /// Commits what `beginImmediate` has begun.
  public func commit() throws {
    try observer?.willCommit(self)
    try execute("COMMIT")
    observer?.didCommit(self)
  }

  /// Runs `body` in a read transaction: all it reads is of one moment.
  public func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN")
    defer { rollBack() }
    return try body()
  }

  /// Ends a transaction without its changes, if one is open.
  public func rollBack() {
    guard isInTransaction else { return }
    // It cannot fail in a way that leaves the transaction open; a failed disk has already ended it.
    try? execute("ROLLBACK")
  }
}
