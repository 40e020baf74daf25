import TributaryCore

/// What a store refuses, and why.
public struct StoreError: Error, Sendable {
  public enum Code: String, Sendable {
    /// The file has no bookkeeping of Tributary.
    case notAttached
    /// The file is attached with other settings than those asked for.
    case differentlyAttached
    /// The bookkeeping was written by a newer version.
    case newerVersion
    /// A table cannot be replicated as it is.
    case unusableTable
    /// A row cannot be replicated as it is.
    case unusableRow
    /// The path names no file of this device.
    case path
    /// The store was closed.
    case closed
    /// The application asked for something that the store does itself.
    case misuse
    /// A statement begins or ends a transaction that is not its own.
    case transactionControl
    /// The bookkeeping is damaged.
    case damaged
    /// A table or column that logs have would be gone.
    case schemaChange
    /// A migration failed, or those given do not fit those that have run.
    case migration
    /// A declaration of how tables merge cannot be, or is another than the one that holds.
    case mergeOptions
    /// A version is one of another store, or later than this one.
    case version
    /// A write does not suit the policy of a column.
    case policy
    /// The clock has come to its end.
    case clock
    /// Rows of an adopted database break its own constraints, or contradict the logs.
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
  /// Bookkeeping that cannot be as it is.
  package static func damaged(_ message: String, path: String) -> StoreError {
    StoreError(
      .damaged, message, path: path,
      remedy: "run `tributary rebuild`; if it cannot, move the file away and attach again")
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { "\(path): \(message); \(remedy)" }
}
