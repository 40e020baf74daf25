public import TributaryCore
public import TributaryFiles

/// What the engine gets from outside: files, time and randomness, so that tests can bring their
/// own.
public struct Environment: Sendable {
  public var fileSystem: any FileSystem
  public var clock: any WallClock
  /// Makes a new identity.
  public var makeIdentity: @Sendable () -> PeerIdentity

  public init(
    fileSystem: any FileSystem = LocalFileSystem(), clock: any WallClock = SystemClock(),
    makeIdentity: @escaping @Sendable () -> PeerIdentity = {
      var generator = SystemRandomNumberGenerator()
      return .random(using: &generator)
    }
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.makeIdentity = makeIdentity
  }
}
