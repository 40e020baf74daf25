/// Why the engine could not do what it was asked.
public struct SyncError: Error, Sendable {
  public enum Code: String, Sendable {
    /// The container does not hold what is needed.
    case logsMissing
    /// The store is used by another process.
    case inUse
    /// The store's file was removed or replaced while it was open.
    case replaced
    /// The logs hold more of this store's own transactions than it remembers, or others.
    case forked
    /// The store is a copy of another one, whose logs it would touch.
    case copied
    /// The store is attached already, otherwise than asked for.
    case differentlyAttached
    /// What the store has written has not been published.
    case unpublished
    /// The schema that the container carries is none.
    case foreignSchema
    /// The devices declare different ways of merging a table.
    case mergeDisagreement
    /// Rows of the database contradict the logs.
    case contradiction
    /// There is no conflict of that name.
    case unknownConflict
    /// What a conflict would restore cannot be there, or is not in the logs.
    case unrestorable
  }

  public var code: Code
  public var message: String
  /// The file at fault.
  public var path: String
  public var remedy: String

  public init(_ code: Code, _ message: String, path: String, remedy: String) {
    self.code = code
    self.message = message
    self.path = path
    self.remedy = remedy
  }
}

extension SyncError: CustomStringConvertible {
  public var description: String { "\(path): \(message); \(remedy)" }
}
