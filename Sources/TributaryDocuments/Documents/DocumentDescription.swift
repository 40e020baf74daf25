/// A document as a list shows it.
public struct DocumentDescription: Hashable, Sendable {
  /// The state of a document.
  public enum State: String, Sendable, CaseIterable {
    /// It can be opened.
    case normal
    /// There are conflicts that nobody has resolved.
    case inConflict
    /// None of its logs have arrived, and no store is here.
    case incomplete
    /// Another package is the same document: two devices have renamed it at the same time, or somebody has
    /// copied the package.
    case doubled
    /// Its metadata, or its store on this device, cannot be read. `tributary doctor PACKAGE` says which, and what helps.
    case damaged
    /// Its metadata are those of a later version of the program.
    case newerFormat
  }

  /// The path of the package.
  public var path: String
  /// The name of the package, without its extension.
  public var name: String
  /// `nil` if the metadata cannot be read.
  public var contentName: String?
  /// What can be done with it.
  public var state: State
  /// Whether the store is on this device.
  public var isHere: Bool
  /// What the package and the logs take.
  public var bytes: UInt64
  /// What its creator has written down of it.
  public var attributes: [String: String]
}
