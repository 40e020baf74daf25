import Glibc
import Testing
import TributaryFiles
import TributaryTesting

struct WatcherTests {
  @Test func `beyond the system's limit of watchers it can be woken, and watches nothing`() throws {
    let scratch = try Scratch()
    let limit = FileError(operation: "inotify_init1", path: "inotify", code: EMFILE)
    let watcher = try Watcher { () throws(FileError) -> Int32 in throw limit }
    #expect(watcher.obstacle == limit)
    #expect(throws: FileError(operation: "inotify_init1", path: scratch.path, code: EMFILE)) {
      try watcher.watch(scratch.path, .renamedInto)
    }
    watcher.wake()
    #expect(try watcher.wait(timeoutMilliseconds: nil).woken)
    #expect(try watcher.wait(timeoutMilliseconds: 0) == WatchEvents())
  }

  @Test func `a file renamed into the directory is told by name`() throws {
    let scratch = try Scratch()
    let watcher = try Watcher()
    let token = try watcher.watch(scratch.path, .renamedInto)
    let file = try scratch.files.makeTemporary(in: scratch.path)
    try file.publish(as: "grün 1.lz4")
    let told = try watcher.wait(timeoutMilliseconds: nil)
    #expect(told.events == [WatchEvent(token: token, name: "grün 1.lz4", kind: .renamedInto)])
    #expect(!told.overflowed && !told.woken)
    #expect(try watcher.wait(timeoutMilliseconds: 0) == WatchEvents())
  }

  @Test func `each kind is told`() throws {
    let scratch = try Scratch()
    let watcher = try Watcher()
    let token = try watcher.watch(
      scratch.path, [.created, .modified, .written, .removed, .renamedAway, .renamedInto])
    scratch.write("x", to: "a")
    try scratch.files.rename(scratch["a"], to: scratch["b"])
    try scratch.files.remove(scratch["b"])
    try scratch.files.makeDirectories(scratch["d"])
    let told = try watcher.wait(timeoutMilliseconds: nil).events
    #expect(
      told == [
        WatchEvent(token: token, name: "a", kind: .created),
        WatchEvent(token: token, name: "a", kind: .modified),
        WatchEvent(token: token, name: "a", kind: .written),
        WatchEvent(token: token, name: "a", kind: .renamedAway),
        WatchEvent(token: token, name: "b", kind: .renamedInto),
        WatchEvent(token: token, name: "b", kind: .removed),
        WatchEvent(token: token, name: "d", kind: .created),
      ])
  }

  @Test func `several directories are told apart, and one twice is one`() throws {
    let scratch = try Scratch()
    try scratch.files.makeDirectories(scratch["a"])
    try scratch.files.makeDirectories(scratch["b"])
    let watcher = try Watcher()
    let first = try watcher.watch(scratch["a"], .written)
    let second = try watcher.watch(scratch["b"], .written)
    #expect(first != second)
    #expect(try watcher.watch(scratch["a"], .removed) == first)
    scratch.write("x", to: "b/1")
    scratch.write("x", to: "a/2")
    try scratch.files.remove(scratch["a/2"])
    #expect(
      try watcher.wait(timeoutMilliseconds: nil).events == [
        WatchEvent(token: second, name: "1", kind: .written),
        WatchEvent(token: first, name: "2", kind: .written),
        WatchEvent(token: first, name: "2", kind: .removed),
      ])
  }

  @Test func `a directory that is not there yet is missing`() throws {
    let scratch = try Scratch()
    let watcher = try Watcher()
    #expect { _ = try watcher.watch(scratch["later"], .created) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
  }

  @Test func `a removed directory ends its watch, once`() throws {
    let scratch = try Scratch()
    try scratch.files.makeDirectories(scratch["d"])
    let watcher = try Watcher()
    let token = try watcher.watch(scratch["d"], .created)
    try scratch.files.remove(scratch["d"])
    var told: [WatchEvent] = []
    while !told.contains(where: { !$0.kind.isDisjoint(with: .ended) }) {
      told += try watcher.wait(timeoutMilliseconds: nil).events
    }
    #expect(told.allSatisfy { $0.token == token && $0.name == nil })
    #expect(told.contains { !$0.kind.isDisjoint(with: .lost) })
    #expect(told.filter { !$0.kind.isDisjoint(with: .ended) }.count == 1)
    watcher.unwatch(token)
    try scratch.files.makeDirectories(scratch["d"])
    let again = try watcher.watch(scratch["d"], .created)
    #expect(again != token)
    scratch.write("x", to: "d/a")
    #expect(
      try watcher.wait(timeoutMilliseconds: nil).events == [
        WatchEvent(token: again, name: "a", kind: .created)
      ])
  }

  @Test func `after unwatching, not even what waits in the queue is told`() throws {
    let scratch = try Scratch()
    let watcher = try Watcher()
    let token = try watcher.watch(scratch.path, .created)
    scratch.write("x", to: "a")
    watcher.unwatch(token)
    watcher.unwatch(token)
    scratch.write("x", to: "b")
    // Events come in order, so this one comes after whatever is told of the others.
    try scratch.files.makeDirectories(scratch["d"])
    let later = try watcher.watch(scratch["d"], .created)
    scratch.write("x", to: "d/c")
    var told: [WatchEvent] = []
    while told.last?.name != "c" { told += try watcher.wait(timeoutMilliseconds: nil).events }
    #expect(told == [WatchEvent(token: later, name: "c", kind: .created)])
    #expect(try watcher.wait(timeoutMilliseconds: 0) == WatchEvents())
  }

  @Test func `thousands of events arrive complete and in order`() throws {
    let scratch = try Scratch()
    let watcher = try Watcher()
    _ = try watcher.watch(scratch.path, .created)
    let names = (0..<5000).map { "file with a long enough name to fill buffers \($0)" }
    for name in names { scratch.write("", to: name) }
    var told: [String] = []
    while told.count < names.count {
      let events = try watcher.wait(timeoutMilliseconds: nil)
      try #require(!events.events.isEmpty && !events.overflowed)
      told += events.events.compactMap(\.name)
    }
    #expect(told == names)
  }

  @Test func `a full queue is reported`() throws {
    let scratch = try Scratch()
    let limit = try scratch.files.read("/proc/sys/fs/inotify/max_queued_events", limit: 100)
    let most = Int(String(decoding: limit, as: UTF8.self).split(separator: "\n")[0])!
    guard most <= 100_000 else { return }
    let watcher = try Watcher()
    _ = try watcher.watch(scratch.path, [.created, .removed])
    // The same event again and again would be merged: two kinds alternate.
    for _ in 0...most / 2 + 1 {
      close(open(scratch["a"], O_CREAT | O_WRONLY, 0o600))
      unlink(scratch["a"])
    }
    var overflowed = false
    while !overflowed {
      // Everything lies in the queue by now.
      let told = try watcher.wait(timeoutMilliseconds: 0)
      try #require(told != WatchEvents(), "the queue ended without a report")
      overflowed = told.overflowed
    }
    scratch.write("", to: "b")
    let told = try watcher.wait(timeoutMilliseconds: nil)
    #expect(told.events.map(\.name) == ["b"])
  }

  @Test func `a wake before the wait is not lost, and is heard once`() throws {
    let watcher = try Watcher()
    watcher.wake()
    watcher.wake()
    #expect(try watcher.wait(timeoutMilliseconds: nil).woken)
    #expect(try watcher.wait(timeoutMilliseconds: 0) == WatchEvents())
    // Far more than the socket holds.
    for _ in 0..<200_000 { watcher.wake() }
    #expect(try watcher.wait(timeoutMilliseconds: nil).woken)
    #expect(try watcher.wait(timeoutMilliseconds: 0) == WatchEvents())
  }

  @Test func `wakes from many threads end a wait without a limit`() throws {
    let watcher = try Watcher()
    for _ in 0..<50 {
      let threads = try (0..<4).map { number in
        try WorkerThread(name: "wake \(number)") { watcher.wake() }
      }
      #expect(try watcher.wait(timeoutMilliseconds: nil).woken)
      for thread in threads { thread.join() }
      while try watcher.wait(timeoutMilliseconds: 0).woken {}
    }
  }

  @Test func `a wait ends when its time is over, not before`() throws {
    let watcher = try Watcher()
    let start = ContinuousClock.now
    #expect(try watcher.wait(timeoutMilliseconds: 60) == WatchEvents())
    #expect(ContinuousClock.now - start >= .milliseconds(60))
    #expect(try watcher.wait(timeoutMilliseconds: -5) == WatchEvents())
  }

  @Test(arguments: 0..<40)
  func `a truncated event is not read beyond its end`(count: Int) {
    // One event: watch 7, created, a name padded to 16 bytes; then half of another.
    var bytes: [UInt8] = [7, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0]
    bytes += Array("name".utf8) + [UInt8](repeating: 0, count: 12)
    bytes += [7, 0, 0, 0, 0, 1, 0, 0]
    let exact = Array(bytes[..<count])
    let decoded = exact.withUnsafeBytes { decodeWatchEvents($0) }
    #expect(decoded.events.map(\.name) == (count < 32 ? [] : ["name"]))
    #expect(decoded.events.map(\.token.number) == (count < 32 ? [] : [7]))
    #expect(!decoded.overflowed)
  }
}
