import Foundation
public import TributaryCoordination
import TributaryDocuments
import TributarySQLite
public import TributarySync

/// The options for managed documents.
public struct ManagedDocumentOptions: Sendable {
  /// The migrations that make the tables of documents; `nil` means those that `modelDirectory` has. Empty if the
  /// documents provide their tables.
  public var schema: Schema?
  /// The directory in which the models are found: all files `*.sql` there and below, in the order of their names.
  /// `nil` means the resources of the application, where there may be none.
  public var modelDirectory: String?
  /// How tables merge, where it differs from the default.
  public var merge: MergeOptions?
  /// How writes are captured; `nil` means the hook or, if the document has a store, the present method.
  public var capture: CaptureMethod?
  /// A name for this device that people recognise; `nil` means the name of the machine.
  public var peerName: String?
  /// What a new document says of itself for those who search for it.
  public var attributes: [String: String] = [:]
  /// What the application may use; `nil` means what `Entitlements.ofApplication` grants.
  public var entitlements: Entitlements?
  /// Where containers and the stores of documents lie; `nil` means what the environment says.
  public var places: DataPlaces?
  /// A shared directory that is a container, though not one with an identifier.
  public var container: Container?
  /// With which packages are made, moved and deleted; `nil` means one of their own. Give that of the access around
  /// the call, if there is one.
  public var coordinator: FileCoordinator?
  /// Called while making or opening a document takes long: as a missing store is rebuilt from the logs, the rows of a
  /// database are adopted, and before each migration; see `StoreOptions.progress`. If it throws, or the task is
  /// cancelled, that stops, and nothing has been made; of a store that is there already, the migrations that have finished
  /// stay.
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
      // Only what was made to be found: beside an executable, there may be files of any kind.
      return try DocumentModels.find(in: resources + "/Models")
    } catch let error where error.code == .missing {
      return []
    }
  }
}
