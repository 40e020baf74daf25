import TributaryCore

/// A store's refusal, and the reason.
public struct StoreError: Error, Sendable {
  public enum Code: String, Sendable {
    /// The file has no bookkeeping of Tributary.
    case notAttached
    /// The file is attached with other settings than those asked for.
    case differentlyAttached
    /// A newer version wrote the bookkeeping.
    case newerVersion
    /// A table cannot be replicated as it is.
    case unusableTable
    /// A row cannot be replicated as it is.
    case unusableRow
    /// The path does not name a file of this device.
    case path
    /// The store was closed.
    case closed
    /// The application attempted something that the store does itself.
    case misuse
    /// A statement begins or ends a transaction that does not belong to it.
    case transactionControl
    /// The bookkeeping is damaged.
    case damaged
    /// A table or column that the logs name would be dropped.
    case schemaChange
    /// A migration failed, or the given migrations do not match those that have run.
    case migration
    /// A declaration of how tables merge is impossible, or differs from the one in force.
    case mergeOptions
    /// A version belongs to another store, is later than this store, or is too old.
    case version
    /// A write violates the policy of a column.
    case policy
    /// The clock has run out of times.
    case clock
    /// Rows of an adopted database violate its own constraints, or contradict the logs.
    case adoption
  }

  public var code: Code
  public var message: String
  /// The database file.
  public var path: String
  /// What the user can do about it.
  public var remedy: String

  public init(_ code: Code, _ message: String, path: String, remedy: String) {
    self.code = code
    self.message = message
    self.path = path
    self.remedy = remedy
  }
}

extension StoreError {
  /// Returns the error for bookkeeping that is impossible.
  package static func damaged(_ message: String, path: String) -> StoreError {
    StoreError(
      .damaged, message, path: path,
      remedy: "run `tributary rebuild`; if it cannot, move the file away and attach again")
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { "\(path): \(message); \(remedy)" }
}
