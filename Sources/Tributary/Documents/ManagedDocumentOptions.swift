import Foundation
public import TributaryCoordination
import TributaryDocuments
import TributarySQLite
public import TributarySync

/// The options for managed documents.
public struct ManagedDocumentOptions: Sendable {
  /// The migrations that make the tables of documents; `nil` means those in `modelDirectory`. Empty if the
  /// documents provide their tables.
  public var schema: Schema?
  /// The directory that contains the models: all `*.sql` files there and in its subdirectories, in the order
  /// of their names. `nil` means the resources of the application, which may contain none.
  public var modelDirectory: String?
  /// How tables merge, where it differs from the default.
  public var merge: MergeOptions?
  /// How writes are captured; `nil` means the hook or, if the document has a store, its current method.
  public var capture: CaptureMethod?
  /// A name by which people recognise this device; `nil` means the name of the machine.
  public var peerName: String?
  /// What a new document says about itself, so that it can be searched for.
  public var attributes: [String: String] = [:]
  /// What the application may use; `nil` means what `Entitlements.ofApplication` grants.
  public var entitlements: Entitlements?
  /// Where the containers and the stores of documents are; `nil` means what the environment says.
  public var places: DataPlaces?
  /// A shared directory that is a container, though not one with an identifier.
  public var container: Container?
  /// The coordinator with which packages are made, moved and deleted; `nil` means a separate one. If the call
  /// is made within a coordinated access, give the coordinator of that access.
  public var coordinator: FileCoordinator?
  /// Called when making or opening a document takes long: while a missing store is rebuilt from the logs,
  /// while the rows of a database are adopted, and before each migration; see `StoreOptions.progress`. If it
  /// throws, or the task is cancelled, the operation stops and nothing has been made; if the store existed
  /// already, the migrations that have finished stay.
  public var progress: (@Sendable (StoreOptions.Progress) throws -> Void)?
  /// The file system, clock and randomness; replaced in tests.
  public var environment = StoreEnvironment()

  /// Makes options.
  public init(schema: Schema? = nil) { self.schema = schema }

  func documents() throws -> Documents {
    try Documents(
      containers: Containers(
        places: places ?? .ofUser(), entitlements: entitlements ?? .ofApplication()),
      container: container?.path, coordinator: coordinator ?? FileCoordinator(),
      environment: environment)
  }

  func engineOptions(heeding cancellation: Cancellation) throws -> DocumentOptions {
    var options = DocumentOptions(migrations: try migrations())
    options.cancellation = cancellation
    options.merge = merge
    options.capture = capture
    options.peerName = peerName
    options.attributes = attributes
    options.followsSchemaByDefault = options.migrations.isEmpty
    return options
  }

  private func migrations() throws -> [Migration] {
    if let schema { return schema.migrations }
    if let modelDirectory { return try DocumentModels.find(in: modelDirectory) }
    guard let resources = Bundle.main.resourcePath else { return [] }
    do {
      // Only a directory that is meant for models: there may be files of any kind beside an executable.
      return try DocumentModels.find(in: resources + "/Models")
    } catch let error where error.code == .missing {
      return []
    }
  }
}
