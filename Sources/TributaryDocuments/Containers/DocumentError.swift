package import TributaryFiles

/// A failure to find a container, or to do something with a document.
public struct DocumentError: Error, Sendable {
  /// The kind of failure, for decisions; the message is for people.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The word for the code in output.
    public var rawValue: String

    /// Makes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A text is no identifier of a container.
    public static let invalidIdentifier = Code(rawValue: "invalidIdentifier")
    /// The entitlements break a rule, or cannot be read.
    public static let entitlements = Code(rawValue: "entitlements")
    /// The entitlements do not grant a container.
    public static let notEntitled = Code(rawValue: "notEntitled")
    /// The description of public containers breaks a rule, or cannot be read.
    public static let publicContainers = Code(rawValue: "publicContainers")
    /// A container is disabled on this device, or not there.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The environment names no directory where something could be kept.
    public static let noPlace = Code(rawValue: "noPlace")
    /// A name breaks a rule for names.
    public static let invalidName = Code(rawValue: "invalidName")
    /// A name differs from an existing one only in a way that some carriers do not preserve.
    public static let nameCollision = Code(rawValue: "nameCollision")
    /// Something is at the path already.
    public static let exists = Code(rawValue: "exists")
    /// Nothing is at the path.
    public static let missing = Code(rawValue: "missing")
    /// What is at the path is no document.
    public static let notADocument = Code(rawValue: "notADocument")
    /// A file of a document, or a record of this device, is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// A later version of the program has written a document.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The document was deleted, perhaps on another device.
    public static let deleted = Code(rawValue: "deleted")
    /// The document is closed.
    public static let closed = Code(rawValue: "closed")
    /// The document cannot be edited at present.
    public static let editingDisabled = Code(rawValue: "editingDisabled")
    /// Something would be lost.
    public static let wouldLose = Code(rawValue: "wouldLose")
    /// The system refuses or fails an operation.
    public static let inaccessible = Code(rawValue: "inaccessible")
  }

  /// The kind of failure.
  public var code: Code
  /// What was found, as a phrase without a full stop.
  public var message: String
  /// The file or directory concerned; `nil` for a name that never became a path.
  public var path: String?
  /// What a user can do about it.
  public var remedy: String
  /// The error of the layer below.
  public var underlying: (any Error)?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, path: String? = nil, remedy: String,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.remedy = remedy
    self.underlying = underlying
  }

  /// Converts the failure of an operation on a file.
  package init(_ error: FileError) {
    let message =
      error.isUnresponsive
      ? "it does not answer (\(error.operation)): the mount hangs"
      : "\(error.operation): \(error.message)"
    self.init(
      error.isMissing ? .missing : .inaccessible, message, path: error.path, remedy: error.remedy,
      underlying: error)
  }
}

extension DocumentError: CustomStringConvertible {
  /// One line: the file, the finding and the remedy.
  public var description: String { (path.map { "\($0): " } ?? "") + "\(message); \(remedy)" }
}
