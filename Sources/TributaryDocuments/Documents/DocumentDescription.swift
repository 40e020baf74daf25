/// A document as shown in a list.
public struct DocumentDescription: Hashable, Sendable {
  /// The state of a document.
  public enum State: String, Sendable, CaseIterable {
    /// It can be opened.
    case normal
    /// There are conflicts that no one has resolved.
    case inConflict
    /// None of its logs have arrived, and there is no store on this device.
    case incomplete
    /// Another package is the same document: two devices have renamed it at the same time, or a user has
    /// copied the package.
    case doubled
    /// Its metadata, or its store on this device, cannot be read. `tributary doctor PACKAGE` says which, and
    /// what to do about it.
    case damaged
    /// Its metadata is from a later version of the program.
    case newerFormat
  }

  /// The path of the package.
  public var path: String
  /// The name of the package, without its extension.
  public var name: String
  /// `nil` if the metadata cannot be read.
  public var contentName: String?
  /// The state of the document.
  public var state: State
  /// Whether the store is on this device.
  public var isHere: Bool
  /// The size of the package and the logs.
  public var bytes: UInt64
  /// What its creator has recorded about it.
  public var attributes: [String: String]
}
