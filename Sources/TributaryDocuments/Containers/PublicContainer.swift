package import TributaryFiles

/// How an application wants the documents of a container to appear beside those of other applications.
///
/// It is an entry of the dictionary `NSUbiquitousContainers` in the application's `Info.plist`; the key is the
/// identifier of the container.
public struct PublicContainer: Hashable, Sendable {
  /// The number of levels of directories that users may make in `Documents`.
  public enum FolderLevels: String, Sendable, CaseIterable, Codable {
    /// No directories: files alone.
    case none = "None"
    /// Directories without subdirectories.
    case one = "One"
    /// Directories of any depth.
    case any = "Any"

    var count: Int {
      switch self {
      case .none: 0
      case .one: 1
      case .any: .max
      }
    }
  }

  /// The identifier of the container.
  public var identifier: ContainerIdentifier
  /// `NSUbiquitousContainerIsDocumentScopePublic`: whether users see the documents.
  public var isDocumentScopePublic: Bool
  /// `NSUbiquitousContainerSupportedFolderLevels`.
  public var supportedFolderLevels: FolderLevels
  /// `NSUbiquitousContainerName`: the name that users see; the last component of the identifier unless given.
  public var name: String

  /// The key in `Info.plist`.
  public static let key = "NSUbiquitousContainers"

  /// Reads all entries of an `Info.plist`; none if it has no such key.
  ///
  /// - Throws: `DocumentError` with `publicContainers`, which names the key and the broken rule.
  public static func all(inInfo path: String) throws(DocumentError) -> [PublicContainer] {
    try all(inInfo: path, using: LocalFileSystem())
  }

  package static func all(
    inInfo path: String, using files: some FileSystem
  ) throws(DocumentError) -> [PublicContainer] {
    let info = try PropertyListValue.dictionary(at: path, .publicContainers, using: files)
    guard let value = info[key] else { return [] }
    func refusal(_ message: String, _ remedy: String) -> DocumentError {
      DocumentError(.publicContainers, message, path: path, remedy: remedy)
    }
    guard case .dictionary(let entries) = value else {
      throw refusal(
        "\(key) is \(value.kind), not a dictionary", "write one entry for each container")
    }
    var all: [PublicContainer] = []
    for (text, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let identifier: ContainerIdentifier
      do {
        identifier = try ContainerIdentifier(text)
      } catch {
        throw refusal("\(key): \(error.message)", error.remedy)
      }
      guard case .dictionary(let fields) = entry else {
        throw refusal(
          "\(key): the entry for \(text) is \(entry.kind), not a dictionary",
          "put its keys into a dictionary")
      }
      var container = PublicContainer(
        identifier: identifier, isDocumentScopePublic: false, supportedFolderLevels: .any,
        name: String(text.split(separator: ".").last ?? ""))
      if let value = fields["NSUbiquitousContainerIsDocumentScopePublic"] {
        guard case .bool(let isPublic) = value else {
          throw refusal(
            "NSUbiquitousContainerIsDocumentScopePublic of \(text) is \(value.kind), not a boolean",
            "write true or false")
        }
        container.isDocumentScopePublic = isPublic
      }
      if let value = fields["NSUbiquitousContainerSupportedFolderLevels"] {
        guard case .string(let word) = value, let levels = FolderLevels(rawValue: word) else {
          throw refusal(
            "NSUbiquitousContainerSupportedFolderLevels of \(text) has an unknown value",
            "write None, One or Any")
        }
        container.supportedFolderLevels = levels
      }
      if let value = fields["NSUbiquitousContainerName"] {
        guard case .string(let name) = value else {
          throw refusal(
            "NSUbiquitousContainerName of \(text) is \(value.kind), not a string", "write a name")
        }
        container.name = name
      }
      do {
        try NameCheck.check(container.name)
      } catch {
        throw refusal("NSUbiquitousContainerName of \(text): \(error.message)", error.remedy)
      }
      all.append(container)
    }
    return all
  }

  /// Checks that users may put something at a path in `Documents`.
  ///
  /// - Parameter path: relative to `Documents`.
  /// - Throws: `DocumentError` with `publicContainers` if the path is too deep.
  public func checkDepth(of path: String) throws(DocumentError) {
    try Self.checkDepth(of: path, supportedFolderLevels, identifier)
  }

  static func checkDepth(
    of path: String, _ levels: FolderLevels, _ identifier: ContainerIdentifier
  ) throws(DocumentError) {
    let depth = path.split(separator: "/").count - 1
    if depth <= levels.count { return }
    throw DocumentError(
      .publicContainers,
      "it lies \(depth) directories deep, and the folder levels of \(identifier) are "
        + levels.rawValue,
      path: path, remedy: "put it into a directory further up")
  }
}
