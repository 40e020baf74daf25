internal import TributaryContainer
package import TributaryCoordination
internal import TributaryCore
internal import TributaryFiles
package import TributarySQLite
internal import TributaryStore
package import TributarySync

/// The documents of this device. Each is a package, a directory whose contents are shared, and a store of its
/// own, which stays on the device.
///
/// A package in the `Documents` directory of a container is shared with everyone who has the container. One
/// anywhere else belongs to this device alone until it is moved into a container.
package struct Documents: Sendable {
  /// The containers in which documents may lie.
  package let containers: Containers
  /// A shared directory that is a container without an identifier, without links; `nil` for none.
  package let container: String?

  let environment: StoreEnvironment
  private(set) var local: LocalDocuments
  private(set) var step: DocumentStep

  /// For the container, which may hang.
  var files: any FileSystem { environment.fileSystem }

  /// Makes them without touching a file.
  ///
  /// - Parameters:
  ///   - container: a shared directory in which documents lie too.
  ///   - coordinator: with which packages are made, moved and deleted.
  ///   - environment: the file system, clock and randomness of the stores.
  package init(
    containers: Containers, container: String? = nil,
    coordinator: FileCoordinator = FileCoordinator(),
    environment: StoreEnvironment = StoreEnvironment()
  ) throws(DocumentError) {
    var environment = environment
    // One thread for all documents.
    if let limit = environment.containerLimit, !(environment.fileSystem is BoundedFileSystem) {
      environment.fileSystem =
        environment.fileSystem is LocalFileSystem
        ? containers.files
        : BoundedFileSystem(environment.fileSystem, executor: BoundedExecutor(limit: limit))
    }
    self.environment = environment
    self.containers = containers
    self.container = try container.map { path throws(DocumentError) in
      try AbsolutePath.resolved(path, using: containers.files)
    }
    step = DocumentStep(coordinator: coordinator)
    local = LocalDocuments(data: containers.places.data, files: LocalFileSystem())
  }

  /// The same documents, for work that somebody may cancel: its waits for other processes and for presenters end then.
  package func heeding(_ cancellation: Cancellation?) -> Documents {
    var documents = self
    documents.local.cancellation = cancellation
    documents.step.cancellation = cancellation
    return documents
  }

  /// The documents at the places that the environment names.
  package static func ofUser() throws(DocumentError) -> Documents {
    try Documents(containers: Containers(places: .ofUser()))
  }

  /// Whether a package is at a path.
  package static func isDocument(_ path: String) -> Bool {
    let status = try? LocalFileSystem().status(
      path.appending(component: DocumentMetadata.fileName))
    // What cannot be examined is no document: opening it says why.
    return status.flatMap { $0 }?.kind == .file
  }

  /// Returns the directory of the logs of a document.
  func logs(_ contentRoot: String, _ contentName: String, in container: String) -> String {
    container.appending(component: contentRoot).appending(component: contentName)
  }

  /// Returns a content name that nobody has, beginning like the name of a package.
  static func freshName(for package: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let unique = generator.next().lowerHex
    let name = package.lastPathComponent
    let stem = name.prefix { $0 != "." }
    var beginning = ""
    // Room for the rest, whatever the letters need.
    for character in stem where beginning.utf8.count + character.utf8.count <= 60 {
      beginning.append(character)
    }
    let text = "\(beginning)-\(unique)"
    // What a package may be called, a content name may not always be.
    return (try? ContentName(text)) == nil ? "document-\(unique)" : text
  }
}
