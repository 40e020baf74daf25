extension ErrorCode {
  // Of stores.

  /// The file has no bookkeeping of Tributary.
  public static let notAttached = ErrorCode(rawValue: "notAttached")

  /// The store is attached with settings that differ from those requested.
  public static let differentlyAttached = ErrorCode(rawValue: "differentlyAttached")

  /// A newer version wrote the bookkeeping.
  public static let newerVersion = ErrorCode(rawValue: "newerVersion")

  /// A table cannot be replicated as it is.
  public static let unusableTable = ErrorCode(rawValue: "unusableTable")

  /// A row cannot be replicated as it is.
  public static let unusableRow = ErrorCode(rawValue: "unusableRow")

  /// The path does not name a file on this device.
  public static let path = ErrorCode(rawValue: "path")

  /// The store or the document is closed.
  public static let closed = ErrorCode(rawValue: "closed")

  /// The application attempted something that the store does itself.
  public static let misuse = ErrorCode(rawValue: "misuse")

  /// A statement begins or ends a transaction that is not its own.
  public static let transactionControl = ErrorCode(rawValue: "transactionControl")

  /// A file, a database or a record of this device is damaged.
  public static let damaged = ErrorCode(rawValue: "damaged")

  /// A table or column named in the logs would be dropped.
  public static let schemaChange = ErrorCode(rawValue: "schemaChange")

  /// A migration failed, or the given migrations do not match those that have run.
  public static let migration = ErrorCode(rawValue: "migration")

  /// A declaration of how tables merge is impossible, or differs from the one in force.
  public static let mergeOptions = ErrorCode(rawValue: "mergeOptions")

  /// A version belongs to another store, is later than this store, or is too old.
  public static let version = ErrorCode(rawValue: "version")

  /// A write violates the policy of a column.
  public static let policy = ErrorCode(rawValue: "policy")

  /// The clock has run out of times.
  public static let clock = ErrorCode(rawValue: "clock")

  /// Rows of an adopted database violate its own constraints, or contradict the logs.
  public static let adoption = ErrorCode(rawValue: "adoption")
}

extension ErrorCode {
  // Of synchronisation.

  /// The container lacks what is needed.
  public static let logsMissing = ErrorCode(rawValue: "logsMissing")

  /// Another program uses the database.
  public static let inUse = ErrorCode(rawValue: "inUse")

  /// The store's file was removed or replaced while it was open.
  public static let replaced = ErrorCode(rawValue: "replaced")

  /// The logs contain more of this store's own transactions than it remembers, or different ones.
  public static let forked = ErrorCode(rawValue: "forked")

  /// The store is a copy of another one, whose logs it would change.
  public static let copied = ErrorCode(rawValue: "copied")

  /// What the store has written has not been published.
  public static let unpublished = ErrorCode(rawValue: "unpublished")

  /// The schema in the container is invalid.
  public static let foreignSchema = ErrorCode(rawValue: "foreignSchema")

  /// The devices declare different ways of merging a table.
  public static let mergeDisagreement = ErrorCode(rawValue: "mergeDisagreement")

  /// Rows of the database contradict the logs.
  public static let contradiction = ErrorCode(rawValue: "contradiction")

  /// No peer has this name or identity.
  public static let unknownPeer = ErrorCode(rawValue: "unknownPeer")

  /// Several peers have this name, or identities with this beginning.
  public static let ambiguousPeer = ErrorCode(rawValue: "ambiguousPeer")

  /// The peer is the store itself.
  public static let ownPeer = ErrorCode(rawValue: "ownPeer")

  /// No conflict has this identifier.
  public static let unknownConflict = ErrorCode(rawValue: "unknownConflict")

  /// What a conflict would restore is not possible, or is not in the logs.
  public static let unrestorable = ErrorCode(rawValue: "unrestorable")
}

extension ErrorCode {
  // Of SQLite.

  /// A write violates a constraint of its table; `SQLiteError.constraint` says which.
  public static let constraint = ErrorCode(rawValue: "constraint")

  /// SQLite cannot compile or run the statement.
  public static let statement = ErrorCode(rawValue: "statement")

  /// The file is not an SQLite database.
  public static let notADatabase = ErrorCode(rawValue: "notADatabase")

  /// A database cannot be attached, for several reasons: `AttachError.refusals`.
  public static let refusals = ErrorCode(rawValue: "refusals")
}
