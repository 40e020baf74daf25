package import TributaryFiles

/// What an application may use: the containers, the first of which is its main one, and the key-value store.
public struct Entitlements: Hashable, Sendable {
  /// The file that grants them.
  public let path: String
  /// The main container, and the patterns for further ones; empty if none is granted.
  public let containers: [IdentifierPattern]
  /// The identifier of the key-value store; `nil` if none is granted.
  public let keyValueStore: ContainerIdentifier?
  /// The name that distinguishes the application from others: `application-identifier`, or else the identifier of
  /// its main container; `nil` if there is neither.
  public let application: String?

  /// Reads the entitlements in a property list, XML or binary.
  ///
  /// - Throws: `DocumentError` with `entitlements`, which names the key and the broken rule.
  public init(contentsOf path: String) throws(DocumentError) {
    try self.init(contentsOf: path, using: LocalFileSystem())
  }

  package init(
    contentsOf path: String, using files: some FileSystem
  ) throws(DocumentError) {
    let dictionary = try PropertyListValue.dictionary(at: path, .entitlements, using: files)
    let reader = EntitlementsReader(path: path, dictionary: dictionary)
    self.path = path
    containers = try reader.containers()
    keyValueStore = try reader.keyValueStore()
    let name = try reader.application()
    if let name {
      application = name
    } else if case .identifier(let identifier) = containers.first {
      application = identifier.text
    } else {
      application = nil
    }
  }

  /// The main container; `nil` if no container is granted.
  public var main: ContainerIdentifier? {
    if case .identifier(let identifier) = containers.first { identifier } else { nil }
  }

  /// Whether the application may use a container.
  public func grants(_ identifier: ContainerIdentifier) -> Bool {
    containers.contains { $0.matches(identifier) }
  }

  /// Checks that the application may use the key-value store of an identifier.
  ///
  /// - Throws: `DocumentError` with `notEntitled`.
  public func checkKeyValueStore(_ identifier: String) throws(DocumentError) {
    if let granted = keyValueStore, granted.text.utf8.elementsEqual(identifier.utf8) { return }
    throw DocumentError(
      .notEntitled,
      "the key-value store \(identifier) is not granted"
        + (keyValueStore.map { "; granted is \($0)" } ?? "; none is"),
      path: path,
      remedy: "name it in \(EntitlementsReader.keyValueKey), or use the one that is granted")
  }

  /// Checks that the application may use a container.
  ///
  /// - Throws: `DocumentError` with `notEntitled`.
  public func check(_ identifier: ContainerIdentifier) throws(DocumentError) {
    if grants(identifier) { return }
    let granted = containers.map(\.text).joined(separator: ", ")
    throw DocumentError(
      .notEntitled,
      "the container \(identifier) is not granted"
        + (granted.isEmpty ? "; no container is" : "; granted are \(granted)"),
      path: path, remedy: "add it to \(EntitlementsReader.containerKeys[0]), or use another one")
  }
}
