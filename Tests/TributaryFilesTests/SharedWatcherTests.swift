import Testing
import TributaryFiles
import TributaryTesting

struct SharedWatcherTests {
  /// Lends a shared watcher whose thread runs.
  private func withWatcher(_ body: (SharedWatcher) throws -> Void) throws {
    let watcher = try SharedWatcher()
    let thread = try WorkerThread(name: "watch") { try? watcher.run() }
    defer {
      watcher.finish()
      thread.join()
    }
    try body(watcher)
  }

  @Test func `two who watch one directory both learn what happens, each of the kinds it asked for`()
    throws
  {
    let scratch = try Scratch()
    try withWatcher { watcher in
      let notices = Recorded<Int>()
      let first = watcher.makeShare { notices.append(1) }
      let second = watcher.makeShare { notices.append(2) }
      let token = try first.watch(scratch.path, .created)
      #expect(try second.watch(scratch.path, .removed) == token)
      scratch.write("x", to: "a")
      try scratch.files.remove(scratch["a"])
      try eventually { first.hasEvents && second.hasEvents }
      #expect(first.take().events == [WatchEvent(token: token, name: "a", kind: .created)])
      #expect(second.take().events == [WatchEvent(token: token, name: "a", kind: .removed)])
      #expect(first.take() == WatchEvents() && !second.hasEvents)
      #expect(Set(notices.all) == [1, 2])
    }
  }

  @Test func `who ends its watches leaves those of others`() throws {
    let scratch = try Scratch()
    try withWatcher { watcher in
      let first = watcher.makeShare {}
      let second = watcher.makeShare {}
      let token = try first.watch(scratch.path, .created)
      _ = try second.watch(scratch.path, .created)
      first.end()
      scratch.write("x", to: "a")
      try eventually { second.hasEvents }
      #expect(!first.hasEvents)
      second.unwatch(token)
      let third = watcher.makeShare {}
      _ = try third.watch(scratch.path, .created)
      scratch.write("x", to: "b")
      try eventually { third.hasEvents }
      #expect(second.take().events.map(\.name) == ["a"])
      #expect(third.take().events.map(\.name) == ["b"])
    }
  }

  @Test func `when the directory goes, all who watch it are told`() throws {
    let scratch = try Scratch()
    try scratch.files.makeDirectories(scratch["d"])
    try withWatcher { watcher in
      let shares = (0..<3).map { _ in watcher.makeShare {} }
      for share in shares { _ = try share.watch(scratch["d"], .created) }
      try scratch.files.remove(scratch["d"])
      for share in shares {
        try eventually { share.hasEvents }
        #expect(share.take().events.contains { !$0.kind.isDisjoint(with: .lost.union(.ended)) })
      }
    }
  }

  @Test func `what happens while watches come and go is not lost`() throws {
    let scratch = try Scratch()
    try withWatcher { watcher in
      let steady = watcher.makeShare {}
      _ = try steady.watch(scratch.path, .created)
      let coming = try WorkerThread(name: "coming") { [path = scratch.path] in
        for _ in 0..<300 {
          let share = watcher.makeShare {}
          _ = try? share.watch(path, .created)
          share.end()
        }
      }
      var names: Set<String> = []
      for number in 0..<300 { scratch.write("", to: "\(number)") }
      coming.join()
      try eventually {
        names.formUnion(steady.take().events.compactMap(\.name))
        return names.count == 300
      }
    }
  }

  @Test func `a wake comes to one alone`() throws {
    try withWatcher { watcher in
      let notices = Recorded<Int>()
      let first = watcher.makeShare { notices.append(1) }
      let second = watcher.makeShare { notices.append(2) }
      first.wake()
      #expect(first.take().woken && !second.hasEvents && notices.all == [1])
    }
  }
}
