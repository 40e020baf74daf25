internal import TributaryContainer
package import TributaryCoordination
internal import TributaryCore
internal import TributaryFiles
package import TributarySQLite
internal import TributaryStore
package import TributarySync

/// The documents of this device. Each consists of a package, which is a directory whose contents are shared,
/// and a store, which stays on the device.
///
/// A package in the `Documents` directory of a container is shared with everyone who has the container. A
/// package anywhere else belongs to this device alone until it is moved into a container.
package struct Documents: Sendable {
  /// The containers that may contain documents.
  package let containers: Containers
  /// A shared directory that is a container without an identifier, without links; `nil` for none.
  package let container: String?

  let environment: StoreEnvironment
  private(set) var local: LocalDocuments
  private(set) var step: DocumentStep

  /// The file system for the container, which may hang.
  var files: any FileSystem { environment.fileSystem }

  /// Makes the value without touching a file.
  ///
  /// - Parameters:
  ///   - container: a shared directory that also contains documents.
  ///   - coordinator: the coordinator with which packages are made, moved and deleted.
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

  /// Returns the same documents, for work that may be cancelled. Cancelling ends its waits for other
  /// processes and for presenters.
  package func heeding(_ cancellation: Cancellation?) -> Documents {
    var documents = self
    documents.local.cancellation = cancellation
    documents.step.cancellation = cancellation
    return documents
  }

  /// Returns the documents at the places that the environment names.
  package static func ofUser() throws(DocumentError) -> Documents {
    try Documents(containers: Containers(places: .ofUser()))
  }

  /// Whether a package is at a path.
  package static func isDocument(_ path: String) -> Bool {
    let status = try? LocalFileSystem().status(
      path.appending(component: DocumentMetadata.fileName))
    // A path that cannot be examined is not a document; opening it reports why.
    return status.flatMap { $0 }?.kind == .file
  }

  /// Returns the directory of the logs of a document.
  func logs(_ contentRoot: String, _ contentName: String, in container: String) -> String {
    container.appending(component: contentRoot).appending(component: contentName)
  }

  /// Returns an unused content name that begins like the name of a package.
  static func freshName(for package: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let unique = generator.next().lowerHex
    let name = package.lastPathComponent
    let stem = name.prefix { $0 != "." }
    var beginning = ""
    // Leaves room for the rest, however many bytes the letters need.
    for character in stem where beginning.utf8.count + character.utf8.count <= 60 {
      beginning.append(character)
    }
    let text = "\(beginning)-\(unique)"
    // Not every name of a package is a valid content name.
    return (try? ContentName(text)) == nil ? "document-\(unique)" : text
  }
}
