import Synchronization
import TributaryCore
import TributaryFiles
import TributarySync

extension StoreEnvironment {
  /// Returns an environment in which the same work has byte-for-byte the same effect each time:
  /// time advances when it is read, no number is random, and one thread does everything.
  static func repeatable() -> StoreEnvironment {
    let clock = SteppingClock()
    let identities = Mutex<UInt64>(0)
    var environment = StoreEnvironment(
      clock: clock, containerLimit: nil,
      makeIdentity: {
        identities.withLock { last in
          last += 1
          var random = Randomness(seed: last)
          return .random(using: &random)
        }
      })
    environment.randomness = { 1 }
    // Otherwise, a file system that does not report creation times would make a difference.
    environment.birth = { _ in nil }
    environment.stateDirectory = nil
    return environment
  }
}

/// A clock that is a millisecond later at each reading.
private final class SteppingClock: WallClock {
  private let time = Mutex<UInt64>(1_700_000_000_000)

  func milliseconds() -> UInt64 {
    time.withLock { time in
      time += 1
      return time
    }
  }
}
