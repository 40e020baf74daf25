internal import Synchronization
internal import TributaryFiles

extension Containers {
  /// Returns the identity tokens from now on: the current one first, then each one that differs from the one
  /// before.
  ///
  /// Changes by any process of this device are noticed at once; changes of mounts are checked every few
  /// seconds.
  ///
  /// - Throws: `DocumentError` if the directory for settings cannot be made or watched.
  public func identityTokens() throws(DocumentError) -> IdentityTokenSequence {
    try IdentityTokenSequence(self)
  }
}

/// The identity tokens of a device, each after a change; see `Containers.identityTokens`.
///
/// The sequence ends only with its task, or when it is dropped.
public struct IdentityTokenSequence: AsyncSequence, Sendable {
  private let stream: AsyncStream<IdentityToken?>

  /// How often a directory that announces nothing is checked.
  private static let pollMilliseconds = 3000

  init(_ containers: Containers) throws(DocumentError) {
    let directory = containers.places.data
    let (stream, continuation) = AsyncStream<IdentityToken?>.makeStream()
    self.stream = stream
    let ending = Ending()
    do {
      try LocalFileSystem().makeDirectories(directory)
      let watcher = try Watcher()
      _ = try watcher.watch(directory, [.renamedInto, .created, .removed])
      let first = try containers.identityToken()
      continuation.yield(first)
      _ = try WorkerThread(name: "identity") {
        Self.run(containers, first, watcher, continuation, ending)
      }
      continuation.onTermination = { _ in
        ending.hasEnded.withLock { $0 = true }
        watcher.wake()
      }
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private final class Ending: Sendable {
    let hasEnded = Mutex(false)
  }

  private static func run(
    _ containers: Containers, _ first: IdentityToken?, _ watcher: Watcher,
    _ continuation: AsyncStream<IdentityToken?>.Continuation, _ ending: Ending
  ) {
    var last = first
    while !ending.hasEnded.withLock({ $0 }) {
      // If the watcher fails, polling remains.
      _ = try? watcher.wait(timeoutMilliseconds: pollMilliseconds)
      // Settings that cannot be read now are read again.
      guard let token = try? Optional(containers.identityToken()) else { continue }
      if token != last { continuation.yield(token) }
      last = token
    }
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<IdentityToken?>.AsyncIterator

    /// - Returns: a token; `.some(nil)` means that no container is available.
    public mutating func next() async -> IdentityToken?? { await base.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }
}
