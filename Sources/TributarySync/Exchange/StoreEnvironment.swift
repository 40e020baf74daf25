import TributaryContainer
package import TributaryCore
import TributaryFiles
import TributarySQLite
package import TributaryStore

/// What the engine gets from outside: files, time and randomness. Tests can replace them.
public struct StoreEnvironment: Sendable {
  package var fileSystem: any FileSystem
  package var clock: any WallClock
  /// Makes a new identity.
  package var makeIdentity: @Sendable () -> PeerIdentity
  /// Returns a number for each transaction; see `HybridClock.tick`.
  package var randomness: @Sendable () -> UInt64 = SQLiteRandomness.next
  /// Returns when a store's file was created, in nanoseconds since 1970; `nil` if unknown. A file that was
  /// created at another time is a copy and takes its own identity.
  package var birth: @Sendable (String) -> Int64? = FileBirth.nanoseconds
  /// The directory, outside of stores and their directories, in which stores record what they have published,
  /// so that a backup restored over a store is recognised; `nil` for none.
  public var stateDirectory: String? = StateDirectory.user
  /// The longest time that one operation on the container, such as listing a directory or reading a part of a
  /// file, may take before the container counts as unreachable. A hanging operation hangs in a dedicated
  /// thread. `nil` waits forever, on the calling thread.
  public var containerLimit: Duration?
  /// How long, in milliseconds, this store waits for another store to issue again what that store wrote under
  /// a shared identity. After that, this store does so in its place.
  package var branchPatience = Delay.patience
  /// The number of changed rows after which an import commits; larger if there is much that the authors of
  /// what is imported did not know.
  package var importRowLimit = 10_000
  /// How own transactions are divided into segments, and which segments are compacted.
  package var segments = SegmentPolicy()
  /// How long, in milliseconds, a write waits for other writers, those of this process and of other processes
  /// together.
  package var busyMilliseconds = Connection.defaultBusyMilliseconds
  /// When the store proposes what may be forgotten.
  package var horizons = HorizonPolicy()
  /// With fewer peers, the store keeps no `QuietMark` and no `PeerNotes`, and a session remembers no listings:
  /// looking at everything is as fast.
  package var fewestRememberedPeers = ListingMemory.fewest
  /// With up to this many peers, each synchronisation reads receipts whole: they show what the carrier has not
  /// brought.
  package var mostWholeReceipts = 64
  /// The formats that the program states it can read. It reads `current` whatever this says.
  package var formats: ReadableFormats? = .current

  /// Creates the environment of a store on this machine.
  public init() { self.init(fileSystem: LocalFileSystem()) }

  package init(
    fileSystem: any FileSystem = LocalFileSystem(), clock: any WallClock = SystemClock(),
    containerLimit: Duration? = .seconds(30),
    makeIdentity: @escaping @Sendable () -> PeerIdentity = {
      var generator = SystemRandomNumberGenerator()
      return .random(using: &generator)
    }
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.makeIdentity = makeIdentity
    self.containerLimit = containerLimit
  }
}

extension StoreEnvironment {
  /// The longest wait of a read-only operation, such as the status.
  static let lookLimit = Duration.seconds(5)

  /// The longest time of an operation while other writers of the store wait for it. It is shorter than the
  /// time that writers wait for each other.
  static let writeLockLimit = Duration.seconds(2)

  /// Returns the environment with a dedicated thread for the container, so that no operation takes
  /// longer than the limit.
  ///
  /// - Parameter most: an upper bound for the limit.
  func bounded(most: Duration = .seconds(3600)) -> StoreEnvironment {
    guard let limit = containerLimit, executor == nil else { return self }
    var environment = self
    environment.fileSystem = BoundedFileSystem(
      fileSystem, executor: BoundedExecutor(limit: min(limit, most)))
    return environment
  }

  /// The file system for files beside the store. They are on this machine's own disk, where syncing a large
  /// file may take a long time.
  var localFiles: any FileSystem { (fileSystem as? BoundedFileSystem)?.base ?? fileSystem }

  /// Opens a store in this environment; see `LocalStore.init`.
  package func openStore(
    at path: String, synchronous: SynchronousMode = .normal, onlyLooks: Bool = false
  ) throws -> LocalStore {
    let clock = clock
    return try LocalStore(
      path: path, milliseconds: { clock.milliseconds() }, randomness: randomness,
      recognition: recognition, synchronous: synchronous, busyMilliseconds: busyMilliseconds,
      onlyLooks: onlyLooks)
  }

  /// How a store of this environment recognises that it is a copy.
  package var recognition: CopyRecognition {
    CopyRecognition(birth: birth, witness: witness, makeIdentity: makeIdentity)
  }

  /// The record that a store in this environment keeps outside its file.
  package var witness: StoreWitness {
    StoreWitness(stateDirectory: stateDirectory, files: localFiles)
  }

  /// The executor for the container, if there is one.
  var executor: BoundedExecutor? { (fileSystem as? BoundedFileSystem)?.executor }

  /// Runs `body`, which reads the container while the store is locked for writing.
  func holdingWriteLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    executor?.shorten(to: Self.writeLockLimit)
    defer { executor?.shorten(to: nil) }
    return try body()
  }
}
