extension Finding.Code {
  // MARK: The container

  /// The container is missing.
  public static let containerAbsent = Finding.Code(rawValue: "container-absent")
  /// The container is present, but the store's own directory in it is missing.
  public static let containerWiped = Finding.Code(rawValue: "container-wiped")
  /// The container cannot be written.
  public static let containerReadOnly = Finding.Code(rawValue: "container-read-only")
  /// The container has little space left, or none.
  public static let containerFull = Finding.Code(rawValue: "container-full")
  /// The system does not allow a file or directory to be used.
  public static let permission = Finding.Code(rawValue: "permission")
  /// Some carriers do not distinguish two names.
  public static let nameCollision = Finding.Code(rawValue: "name-collision")
  /// There is no content of this product.
  public static let noContent = Finding.Code(rawValue: "no-content")

  // MARK: Files in it

  /// A segment has no bytes.
  public static let segmentEmpty = Finding.Code(rawValue: "segment-empty")
  /// A segment ends too early.
  public static let segmentTruncated = Finding.Code(rawValue: "segment-truncated")
  /// The bytes of a segment are not those that were written.
  public static let segmentDamaged = Finding.Code(rawValue: "segment-damaged")
  /// A baseline is not as it was written, or has not arrived completely.
  public static let baselineDamaged = Finding.Code(rawValue: "baseline-damaged")
  /// What the devices have forgotten is in no segment and in no whole baseline.
  public static let baselineMissing = Finding.Code(rawValue: "baseline-missing")
  /// A segment belongs elsewhere, or has another segment's name.
  public static let segmentForeign = Finding.Code(rawValue: "segment-foreign")
  /// A file is written in a newer format.
  public static let newerFormat = Finding.Code(rawValue: "newer-format")
  /// A peer can read only older formats than this program writes.
  public static let olderFormat = Finding.Code(rawValue: "older-format")
  /// A file cannot be read.
  public static let unreadable = Finding.Code(rawValue: "unreadable")
  /// Transactions contradict each other in their order.
  public static let contradiction = Finding.Code(rawValue: "contradiction")
  /// One peer has two transactions under one sequence.
  public static let fork = Finding.Code(rawValue: "fork")
  /// The store has imported, as transactions of a peer, what a copy of that peer's store wrote.
  public static let strayed = Finding.Code(rawValue: "strayed")
  /// A segment has a wrong name.
  public static let misnamed = Finding.Code(rawValue: "segment-misnamed")
  /// There are files that do not belong to this product and do no harm.
  public static let ignored = Finding.Code(rawValue: "ignored-files")
  /// Killed publishers have left files.
  public static let staleTemporary = Finding.Code(rawValue: "stale-temporary")
  /// A `peer.json` cannot be used.
  public static let manifest = Finding.Code(rawValue: "manifest")

  // MARK: Documents

  /// The metadata of a document's package cannot be read.
  public static let documentMetadata = Finding.Code(rawValue: "document-metadata")
  /// The logs of a document are there, but its package is gone.
  public static let packageMissing = Finding.Code(rawValue: "package-missing")
  /// The store of a document is not on this device.
  public static let storeMissing = Finding.Code(rawValue: "store-missing")

  // MARK: What is behind

  /// Transactions that a peer has published are missing here.
  public static let undelivered = Finding.Code(rawValue: "undelivered")
  /// Transactions are missing before others that are here.
  public static let gap = Finding.Code(rawValue: "gap")
  /// A peer has not imported everything that is here.
  public static let behind = Finding.Code(rawValue: "behind")
  /// A peer has given no sign for a long time.
  public static let silent = Finding.Code(rawValue: "silent")
  /// Transactions that have arrived wait for others.
  public static let waiting = Finding.Code(rawValue: "waiting")
  /// Transactions that have arrived wait for a migration.
  public static let schema = Finding.Code(rawValue: "schema")
  /// Transactions that have arrived violate the constraints here.
  public static let refused = Finding.Code(rawValue: "refused")
  /// Transactions that have arrived have not been imported yet.
  public static let notImported = Finding.Code(rawValue: "not-imported")
  /// Own transactions are in no segment yet.
  public static let unpublished = Finding.Code(rawValue: "unpublished")
  /// Own segments are not in the container as they were published.
  public static let ownSegmentLost = Finding.Code(rawValue: "own-segment-lost")
  /// The devices declare different ways of merging.
  public static let disagreement = Finding.Code(rawValue: "merge-disagreement")
  /// The devices have different constraints on the rows of a table.
  public static let rules = Finding.Code(rawValue: "table-rules")
  /// A clock is wrong.
  public static let clock = Finding.Code(rawValue: "clock")

  // MARK: The store

  /// The database is not a store.
  public static let notAttached = Finding.Code(rawValue: "not-attached")
  /// The file system of the store has little space left, or none.
  public static let storeFull = Finding.Code(rawValue: "store-full")
  /// The bookkeeping has a newer version.
  public static let newerBookkeeping = Finding.Code(rawValue: "newer-bookkeeping")
  /// The store is not the only one, or not the latest, with its identity.
  public static let identity = Finding.Code(rawValue: "identity")
  /// SQLite considers the file damaged.
  public static let database = Finding.Code(rawValue: "database")
  /// A row refers to a row that does not exist.
  public static let foreignKey = Finding.Code(rawValue: "foreign-key")
  /// Rows refer, by a reference that is not enforced, to rows that do not exist.
  public static let dangling = Finding.Code(rawValue: "dangling-reference")
  /// A table of the bookkeeping, or a row in it, is invalid.
  public static let bookkeeping = Finding.Code(rawValue: "bookkeeping")
  /// The store's own transactions are incomplete.
  public static let outbox = Finding.Code(rawValue: "outbox")
  /// A table cannot be replicated.
  public static let table = Finding.Code(rawValue: "table")
  /// A trigger does not fire on an import.
  public static let trigger = Finding.Code(rawValue: "trigger")
  /// Other programs have written something that is not recorded, or that nothing captured.
  public static let foreignWrites = Finding.Code(rawValue: "foreign-writes")
  /// How much disk space a store takes.
  public static let diskUse = Finding.Code(rawValue: "disk-use")
  /// A store exceeds its space limit.
  public static let spaceLimit = Finding.Code(rawValue: "space-limit")
  /// A store has suddenly written much more than before.
  public static let growth = Finding.Code(rawValue: "sudden-growth")
  /// The write-ahead log is unusually large.
  public static let writeAheadLog = Finding.Code(rawValue: "write-ahead-log")
  /// An attempt to put a store together, or to write or read a baseline, has left a file.
  public static let staging = Finding.Code(rawValue: "staging")

  /// Something could not be examined.
  public static let unexamined = Finding.Code(rawValue: "unexamined")
}
