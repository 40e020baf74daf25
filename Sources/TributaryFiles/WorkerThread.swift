internal import Glibc
internal import Synchronization
internal import TributaryCore

/// A dedicated thread for work that blocks: the threads of the task pool must never block.
package final class WorkerThread: Sendable {
  /// The name that debuggers and `ps -L` show; its first 15 bytes.
  package let name: String

  private let thread: pthread_t
  private let isJoined = Mutex(false)

  /// Starts the thread. *pthread_create(3)*
  ///
  /// Signals of the process go to other threads. Errors are worded as on the thread that starts it. A thread
  /// that is never joined simply runs to its end.
  ///
  /// - Throws: `FileError` if the system cannot make another thread.
  package init(name: String, _ body: @escaping @Sendable () -> Void) throws(FileError) {
    self.name = Self.shortened(name)
    let work = Unmanaged.passRetained(Work(name: self.name, body))
    var thread = pthread_t()
    do {
      try Self.withSignalsBlocked { () throws(FileError) in
        try threadCall("pthread_create", on: name) {
          pthread_create(&thread, nil, { Work.run($0) }, work.toOpaque())
        }
      }
    } catch {
      work.release()
      throw error
    }
    self.thread = thread
  }

  deinit {
    isJoined.withLock { if !$0 { pthread_detach(thread) } }
  }

  /// Whether this is the calling thread.
  package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Waits until the thread has ended. Any other thread may call this, even repeatedly. *pthread_join(3)*
  package func join() {
    precondition(!isCurrent, "a thread cannot wait for itself")
    isJoined.withLock { isJoined in
      if !isJoined { pthread_join(thread, nil) }
      isJoined = true
    }
  }

  private static func shortened(_ name: String) -> String {
    var short = name
    while short.utf8.count > 15 { short.removeLast() }
    return short
  }

  /// Runs `body` with signals blocked. A new thread inherits the mask, and so blocks them from its first
  /// instruction on.
  private static func withSignalsBlocked(
    _ body: () throws(FileError) -> Void
  ) throws(FileError) {
    var blocked = sigset_t()
    var before = sigset_t()
    sigfillset(&blocked)
    // Faults of the thread itself must reach their handler.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&blocked, fault) }
    pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}

/// Carries a closure into a thread.
private final class Work: Sendable {
  private let name: String
  private let wording = Wording.current
  private let body: @Sendable () -> Void

  init(name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(pointer!).takeRetainedValue()
    work.takeName()
    Wording.$current.withValue(work.wording) { work.body() }
    return nil
  }

  private func takeName() {
    // The name is only for people: without /proc, the thread works without a name.
    let file = try? FileDescriptor.open("/proc/thread-self/comm", O_WRONLY)
    guard let file else { return }
    var bytes = Array(name.utf8)
    bytes.withUnsafeMutableBytes {
      // As above: the name is not essential.
      try? file.write(UnsafeRawBufferPointer($0))
    }
  }
}
