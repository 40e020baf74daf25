/// A refusal of a key-value store, and the reason. Nothing has changed then.
public struct KeyValueError: Error, Sendable {
  public enum Code: String, Sendable {
    /// The key is empty.
    case emptyKey
    /// The key is longer than the profile allows.
    case keyTooLong
    /// All keys together are longer than the profile allows.
    case keysTooLong
    /// The store has as many keys as the profile allows.
    case tooManyKeys
    /// The value is larger than the profile allows for one key.
    case valueTooLarge
    /// All values together would be larger than the profile allows.
    case storeFull
    /// The value is none that a property list can have.
    case unsupportedValue
    /// What the store has under the key is no property list: another program wrote it.
    case unreadableValue
    /// The store, or the container, was made with another profile.
    case differentProfile
    /// The database, or what the container has under the identifier, is not a key-value store.
    case notKeyValueStore
    /// The store was closed.
    case closed
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

extension KeyValueError: CustomStringConvertible {
  public var description: String { "\(path): \(message); \(remedy)" }
}
