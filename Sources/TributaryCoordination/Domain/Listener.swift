internal import Glibc
internal import Synchronization
internal import TributaryFiles

/// The thread that notices when other processes ring or end, and takes care of waiting claims.
final class Listener: Sendable {
  let bell: String
  private let lives: String
  /// `nil` if the system has too many watchers; then the thread polls often.
  private let watcher: Watcher?
  private let hasEnded = Mutex(false)
  private let domain: Domain

  /// Weak, so that an unused domain is released.
  private struct Domain: Sendable { weak let value: CoordinationDomain? }

  /// If the system does not report that a process has ended, this is noticed after this time.
  private static let interval = 250
  /// The interval if the system reports nothing.
  private static let shortInterval = 20

  init(
    bell: String, lives: String, domain: CoordinationDomain, isWatching: Bool
  ) throws(FileError) {
    self.bell = bell
    self.lives = lives
    self.domain = Domain(value: domain)
    // Without a watcher, the thread polls.
    watcher = isWatching ? try? Watcher() : nil
    _ = try WorkerThread(name: "tributary-coord") { self.run() }
  }

  /// Wakes another process.
  static func ring(_ bell: String) {
    // A process that has ended does not listen.
    guard let file = try? FileDescriptor.open(bell, O_WRONLY | O_NOFOLLOW | O_NONBLOCK) else {
      return
    }
    var byte: UInt8 = 1
    // Written at the start of the file, so that it stays small. If the write fails, the process
    // notices at the next interval.
    _ = pwrite(file.number, &byte, 1, 0)
  }

  func wake() { watcher?.wake() }

  func end() {
    hasEnded.withLock { $0 = true }
    watcher?.wake()
  }

  private func run() {
    let watcher = startWatching()
    // Something may have happened before the watch began.
    var clearing = Session.Clearing.always
    while !hasEnded.withLock({ $0 }), let domain = domain.value {
      // The next round tries again. An access affected by the same fault throws the error itself.
      try? domain.look(clearing: clearing)
      let isWaiting = domain.local.withLock { $0.isWaiting }
      if let watcher {
        clearing = wait(watcher, isWaiting ? Self.interval : nil)
      } else {
        // The next caller that needs a listener starts another one.
        if domain.retire(self) { return }
        clearing = sleep()
      }
    }
  }

  private func startWatching() -> Watcher? {
    guard let watcher else { return nil }
    do {
      _ = try watcher.watch(bell, .modified)
      _ = try watcher.watch(lives, .written)
      return watcher
    } catch {
      return nil
    }
  }

  private func wait(_ watcher: Watcher, _ timeout: Int?) -> Session.Clearing {
    // If waiting fails, the thread polls.
    guard let events = try? watcher.wait(timeoutMilliseconds: timeout) else { return sleep() }
    let hasEnd = events.events.contains {
      !$0.kind.isDisjoint(with: .written) || !$0.kind.isDisjoint(with: .lost)
    }
    return events == WatchEvents() || hasEnd || events.overflowed ? .always : .never
  }

  private func sleep() -> Session.Clearing {
    usleep(UInt32(Self.shortInterval) * 1000)
    return .always
  }
}
