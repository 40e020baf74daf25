/// A failure of the engine to do what was requested.
public struct SyncError: Error, Sendable {
  public enum Code: String, Sendable {
    /// The container lacks what is needed.
    case logsMissing
    /// The store is used by another process.
    case inUse
    /// The store's file was removed or replaced while it was open.
    case replaced
    /// The logs contain more of this store's own transactions than it remembers, or different ones.
    case forked
    /// The store is a copy of another one, whose logs it would change.
    case copied
    /// The store is already attached, with different settings.
    case differentlyAttached
    /// What the store has written has not been published.
    case unpublished
    /// The schema in the container is invalid.
    case foreignSchema
    /// The devices declare different ways of merging a table.
    case mergeDisagreement
    /// Rows of the database contradict the logs.
    case contradiction
    /// No peer has this name or identity.
    case unknownPeer
    /// Several peers have this name, or identities that begin in this way.
    case ambiguousPeer
    /// The peer is the store itself.
    case ownPeer
    /// No conflict has this identifier.
    case unknownConflict
    /// What a conflict would restore is not possible, or is not in the logs.
    case unrestorable
  }

  public var code: Code
  public var message: String
  /// The file concerned.
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
