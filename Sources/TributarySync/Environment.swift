public import TributaryCore
public import TributaryFiles
import TributarySQLite
package import TributaryStore

/// What the engine gets from outside: files, time and randomness, so that tests can bring their
/// own.
public struct Environment: Sendable {
  public var fileSystem: any FileSystem
  public var clock: any WallClock
  /// Makes a new identity.
  public var makeIdentity: @Sendable () -> PeerIdentity
  /// Gives a number for each transaction, see `HybridClock.tick`.
  public var randomness: @Sendable () -> UInt64 = SQLiteRandomness.next
  /// When a store's file was made, in nanoseconds since 1970; `nil` where nobody knows. One that was
  /// made at another time is a copy, and takes an identity of its own.
  public var birth: @Sendable (String) -> Int64? = FileBirth.nanoseconds
  /// Where it is kept, outside of stores and their directories, what they have published, so that a
  /// backup that is written over a store is found out; `nil` for nowhere.
  public var stateDirectory: String? = StateDirectory.user
  /// How long one operation on the container may take, such as listing a directory or reading a
  /// part of a file, before the container counts as away: what hangs, hangs in a thread that
  /// nothing else needs. `nil` waits for ever, on the thread that asks.
  public var containerLimit: Duration?
  /// How long it is waited, in milliseconds, for a store to issue again what it has written under an identity
  /// that others have used too, before somebody else does it.
  package var branchPatience = Delay.patience
  /// An import commits when it has so many changed rows; more where there is much that the authors
  /// did not know.
  package var importRowLimit = 10_000
  /// How own transactions are divided into segments, and which of these become one.
  package var segments = SegmentPolicy()

  public init(
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

extension Environment {
  /// The longest that those wait who only want to look, such as for the status.
  static let lookLimit = Duration.seconds(5)

  /// The longest that an operation may take while other writers of the store wait for it; less than
  /// they wait for each other.
  static let writeLockLimit = Duration.seconds(2)

  /// The same with a thread of its own for the container, so that no operation takes longer than
  /// the limit.
  ///
  /// - Parameter most: a shorter limit.
  func bounded(most: Duration = .seconds(3600)) -> Environment {
    guard let limit = containerLimit, executor == nil else { return self }
    var environment = self
    environment.fileSystem = BoundedFileSystem(
      fileSystem, executor: BoundedExecutor(limit: min(limit, most)))
    return environment
  }

  /// For files beside the store, on this machine's own disk: syncing a large one may take long.
  var localFiles: any FileSystem { (fileSystem as? BoundedFileSystem)?.base ?? fileSystem }

  /// How a store of this environment finds out that it is a copy.
  package var recognition: CopyRecognition {
    CopyRecognition(birth: birth, witness: witness, makeIdentity: makeIdentity)
  }

  /// What a store of this environment leaves outside of its file.
  package var witness: StoreWitness {
    StoreWitness(stateDirectory: stateDirectory, files: localFiles)
  }

  /// The thread for the container, if there is one.
  var executor: BoundedExecutor? { (fileSystem as? BoundedFileSystem)?.executor }

  /// Runs what reads the container while the store is locked for writing.
  func holdingWriteLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    executor?.shorten(to: Self.writeLockLimit)
    defer { executor?.shorten(to: nil) }
    return try body()
  }
}
