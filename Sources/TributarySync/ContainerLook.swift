import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// What a synchronisation depends on, as far as it shows without reading a file: where it is the
/// same as before one that found nothing to do, there is nothing to do now.
struct ContainerLook: Equatable {
  private var listing: ContentListing
  /// Of the store's own directories, its segments, and the manifests of all peers. That of the
  /// segments tells when some went, came back and went again since.
  private var statuses: [FileStatus?]
  private var last: SequenceNumber?
  private var numbers: FileNumbers
  private var knowledge: Knowledge

  /// Takes one, of the container in a single hand-over.
  ///
  /// - Throws: where the container cannot be looked at in full.
  init(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection,
    _ environment: Environment
  ) throws {
    last = try Outbox(connection).last()?.sequence
    numbers = try FileNumbers(connection)
    knowledge = try KnowledgeTable(connection).current()
    let segments = SegmentStore(
      directory, peer: identity.peer, using: environment.localFiles)
    let own =
      [directory.peer(identity.peer), directory.log(of: identity.peer)]
      + (try SegmentTable(connection).all().map { segments.path(of: $0.name) })
    (listing, statuses) = try environment.look(directory, own)
  }
}
