internal import Glibc
internal import Synchronization

/// Waits for changes of files on this machine, or for a call from another thread.
///
/// It sees nothing that other machines do on a network mount, so callers must also poll.
/// *inotify(7)*
package final class Watcher: Sendable {
  private let inotify: FileDescriptor
  private let bell: FileDescriptor
  private let rope: FileDescriptor
  /// Why nothing is watched: the system's limit of watchers is reached. `nil` if it is not.
  package let obstacle: FileError?

  // Events of an ended watch may still be in the queue; only those of live watches are reported.
  private let state = Mutex(State())

  fileprivate struct State {
    var live: Set<Int32> = []
    /// The number of watches being added. On a dead mount, adding one may take forever, and must
    /// not block anything else.
    var adding = 0
    /// Events fetched before their watch was known to be live.
    var early: [WatchEvent] = []
    var hasLostEarly = false
  }

  private static let earlyLimit = 1000

  private static let bufferByteCount = 64 << 10

  /// Makes a watcher. If the system's limit of watchers is reached, it watches nothing, reports this as its
  /// `obstacle`, and can still be woken.
  ///
  /// - Throws: `FileError` if the limit of open files is reached.
  package convenience init() throws(FileError) {
    try self.init { () throws(FileError) -> Int32 in
      let flags = Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)
      return try systemCall("inotify_init1", on: "inotify") { inotify_init1(flags) }
    }
  }

  /// Makes a watcher.
  ///
  /// - Parameter start: returns the number of the system's watcher.
  package init(starting start: () throws(FileError) -> Int32) throws(FileError) {
    var number: Int32 = -1
    var obstacle: FileError?
    do {
      number = try start()
    } catch {
      guard error.isWatchLimit else { throw error }
      obstacle = error
    }
    self.obstacle = obstacle
    inotify = FileDescriptor(owning: number, path: "inotify")
    // A pair of sockets, because it is made non-inheritable in one step.
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    var ends: (Int32, Int32) = (-1, -1)
    try systemCall("socketpair", on: "watcher") {
      withUnsafeMutableBytes(of: &ends) {
        socketpair(AF_UNIX, Int32(kind), 0, $0.assumingMemoryBound(to: Int32.self).baseAddress!)
      }
    }
    bell = FileDescriptor(owning: ends.0, path: "watcher")
    rope = FileDescriptor(owning: ends.1, path: "watcher")
  }

  /// Starts watching a directory (its entries, but not those of its subdirectories) or a file.
  ///
  /// Watching the same one again returns the same token and adds the kinds. *inotify_add_watch(2)*
  ///
  /// - Throws: `FileError`, with `isMissing` if there is nothing at the path yet.
  package func watch(_ path: String, _ kinds: WatchKind) throws(FileError) -> WatchToken {
    if let obstacle {
      throw FileError(operation: obstacle.operation, path: path, code: obstacle.code)
    }
    let asked = kinds.subtracting(.ended).union(.lost).rawValue
    let mask = asked | UInt32(bitPattern: Int32(IN_MASK_ADD))
    state.withLock { $0.adding += 1 }
    var added: Int32?
    defer { state.withLock { $0.didAdd(added) } }
    let number = try systemCall("inotify_add_watch", on: path) {
      inotify_add_watch(inotify.number, path, mask)
    }
    added = number
    return WatchToken(number: number)
  }

  /// Ends a watch: later waits do not report its events. Harmless for a dead token.
  /// *inotify_rm_watch(2)*
  package func unwatch(_ token: WatchToken) {
    let wasLive = state.withLock { $0.live.remove(token.number) != nil }
    // This fails only if the system has already ended the watch.
    if wasLive { _ = inotify_rm_watch(inotify.number, token.number) }
  }

  /// Waits until an event happens, a thread calls `wake`, or the time is over. *poll(2)*
  ///
  /// Only one thread may wait at a time. Each event is reported once.
  ///
  /// - Parameter timeoutMilliseconds: `nil` waits forever, 0 not at all.
  /// - Returns: an empty result if the time is over.
  package func wait(timeoutMilliseconds: Int?) throws(FileError) -> WatchEvents {
    var result = WatchEvents()
    state.withLock { $0.takeEarly(into: &result) }
    let patience = result == WatchEvents() ? timeoutMilliseconds : 0
    let deadline = patience.map { ContinuousClock.now + .milliseconds($0) }
    var requests = [
      pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
    ]
    try systemCall("poll", on: "watcher") { poll(&requests, 2, Self.remaining(until: deadline)) }
    if requests[1].revents != 0 { result.woken = try fetchWake() }
    if requests[0].revents != 0 { try fetchEvents(into: &result) }
    return result
  }

  /// Whether a wait would return at once. *poll(2)*
  package var hasEvents: Bool {
    var requests = [
      pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
    ]
    return poll(&requests, 2, 0) > 0
  }

  /// Makes the current wait, or else the next one, return at once. Any thread may call this.
  package func wake() {
    // If the socket is full, enough wakes are pending.
    var byte: UInt8 = 1
    _ = send(rope.number, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  private static func remaining(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    // Rounded up: waking early would only mean waiting again.
    let milliseconds =
      min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(milliseconds)
  }

  private func fetchWake() throws(FileError) -> Bool {
    try withBuffer(256) { (buffer) throws(FileError) in
      var woken = false
      while try fetch(from: bell.number, "recv", into: buffer) > 0 { woken = true }
      return woken
    }
  }

  private func fetchEvents(into result: inout WatchEvents) throws(FileError) {
    let (found, overflowed) = try withBuffer(Self.bufferByteCount) { (buffer) throws(FileError) in
      let count = try fetch(from: inotify.number, "read", into: buffer)
      return decodeWatchEvents(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    if overflowed { result.overflowed = true }
    state.withLock { $0.sort(found, into: &result, earlyLimit: Self.earlyLimit) }
  }

  private func fetch(
    from descriptor: Int32, _ operation: String, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    do {
      return try systemCall(operation, on: "watcher") {
        read(descriptor, buffer.baseAddress, buffer.count)
      }
    } catch {
      guard error.code == EAGAIN else { throw error }
      return 0
    }
  }

  private func withBuffer<Result>(
    _ byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { buffer.deallocate() }
    return try body(buffer)
  }
}

extension Watcher.State {
  fileprivate mutating func didAdd(_ number: Int32?) {
    adding -= 1
    if let number { live.insert(number) }
    if adding > 0 { return }
    early.removeAll { !live.contains($0.token.number) }
  }

  fileprivate mutating func takeEarly(into result: inout WatchEvents) {
    if hasLostEarly { result.overflowed = true }
    hasLostEarly = false
    let ready = early.filter { live.contains($0.token.number) }
    if ready.isEmpty { return }
    early.removeAll { live.contains($0.token.number) }
    sort(ready, into: &result, earlyLimit: 0)
  }

  fileprivate mutating func sort(
    _ events: [WatchEvent], into result: inout WatchEvents, earlyLimit: Int
  ) {
    for event in events {
      if live.contains(event.token.number) {
        result.events.append(event)
        if !event.kind.isDisjoint(with: .ended) { live.remove(event.token.number) }
      } else if adding > 0 {
        if early.count < earlyLimit { early.append(event) } else { hasLostEarly = true }
      }
    }
  }
}
