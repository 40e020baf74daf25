import Foundation
import Testing
import TributaryCoordination
import TributaryFiles
import TributaryTesting

/// Accesses of threads, tasks, and domains that stand for processes.
struct FileCoordinatorTests {
  @Test func `two processes read an item at once`() async throws {
    try await Ground.with(2) { ground in
      let value = try await ground.coordinator(0).coordinate(readingItemAt: ground.url("a")) { _ in
        try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a")) { _ in 7 }
      }
      #expect(value == 7)
    }
  }

  @Test(arguments: ["a", "a/below", "link"])
  func `a writer excludes others from its item, also below it and by another name`(
    name: String
  ) async throws {
    try await Ground.with(2) { ground in
      try FileManager.default.createSymbolicLink(
        at: ground.url("link"), withDestinationURL: ground.url("a"))
      try ground.make("a/below")
      let events = Recorded<String>()
      let release = AsyncStream<Void>.makeStream()
      let writer = Task {
        try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
          events.append("write")
          for await _ in release.stream {}
          events.append("written")
        }
      }
      try await until { events.all == ["write"] }
      let reader = Task {
        try await ground.coordinator(1).coordinate(readingItemAt: ground.url(name)) { _ in
          events.append("read")
        }
      }
      try await ground.untilWaiting(1)
      release.continuation.finish()
      try await writer.value
      try await reader.value
      #expect(events.all == ["write", "written", "read"])
    }
  }

  @Test func `a package is one item`() async throws {
    try await Ground.with(1) { ground in
      try ground.make("p/DocumentMetadata.plist")
      try ground.make("p/inner/part")
      try ground.coordinator(0).waiting(for: ground.url("p/inner/part"), .writing([])) { claim in
        #expect(claim == [ground.url("p").path])
      }
      let url = try ground.coordinator(0).coordinateAndWait(ground.url("p/inner/part"))
      #expect(url == ground.url("p/inner/part"))
    }
  }

  @Test func `an accessor without await runs on a thread of its own`() async throws {
    try await Ground.with(1) { ground in
      let name = try await ground.coordinator(0).coordinate(readingItemAt: ground.url("a")) { _ in
        String(
          decoding: try LocalFileSystem().read("/proc/thread-self/comm", limit: 99), as: UTF8.self)
      }
      #expect(name == "tributary-acces\n")
    }
  }

  @Test func `the error of an accessor is passed on, and its items are free`() async throws {
    struct Failure: Error {}
    try await Ground.with(1) { ground in
      let coordinator = ground.coordinator(0)
      await #expect(throws: Failure.self) {
        try await coordinator.coordinate(writingItemAt: ground.url("a")) { _ in throw Failure() }
      }
      await #expect(throws: Failure.self) {
        try await coordinator.coordinate(writingItemAt: ground.url("a")) { _ in
          await Task.yield()
          throw Failure()
        }
      }
      #expect(throws: Failure.self) {
        try coordinator.failing(at: ground.url("a")) { throw Failure() }
      }
      let isFree = try ground.hasNoClaims()
      #expect(isFree)
    }
  }

  @Test func `a cancelled task stops waiting`() async throws {
    try await Ground.with(1) { ground in
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
        let task = Task.detached {
          try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in }
        }
        try await ground.untilWaiting(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try ground.claims(.waiting).isEmpty)
      }
    }
  }

  @Test func `a task that is cancelled before it asks does not wait`() async throws {
    try await Ground.with(1) { ground in
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
        let task = Task.detached {
          withUnsafeCurrentTask { $0?.cancel() }
          try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
      }
    }
  }

  @Test func `cancelling a coordinator ends its waits, on threads too`() async throws {
    try await Ground.with(1) { ground in
      let waiting = ground.coordinator(0)
      let outcome = Recorded<Bool>()
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
        _ = try WorkerThread(name: "waiting") {
          do {
            _ = try waiting.coordinateAndWait(ground.url("a"))
          } catch {
            outcome.append(error is CancellationError)
          }
        }
        try await ground.untilWaiting(1)
        waiting.cancel()
        try await until { outcome.all == [true] }
      }
    }
  }

  @Test func `an access within another one with the same coordinator goes through`() async throws {
    try await Ground.with(1) { ground in
      let coordinator = ground.coordinator(0)
      let value = try await coordinator.prepare(
        forReadingItemsAt: [ground.url("b")], writingItemsAt: [ground.url("a")]
      ) {
        try await coordinator.coordinate(writingItemAt: ground.url("a/x")) { _ in
          try coordinator.coordinateAndWait(ground.url("b")).lastPathComponent
        }
      }
      #expect(value == "b")
    }
  }

  @Test func `an access within another one that would wait for it is refused by name`() async throws
  {
    try await Ground.with(1) { ground in
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
          try ground.coordinator(0).coordinateAndWait(ground.url("a/x"))
        }
      }
      #expect(error?.code == .deadlock)
      #expect(error?.holders.map(\.paths) == [[ground.url("a").path]])
      #expect(error?.holders.map(\.process) == [getpid()])
      let isFree = try ground.hasNoClaims()
      #expect(isFree)
    }
  }

  @Test func `whoever waits for an item that is moved gets it where it is`() async throws {
    try await Ground.with(2) { ground in
      try ground.make("a/x")
      let coordinator = ground.coordinator(0)
      let reader = try await coordinator.coordinate(
        writingItemAt: ground.url("a"), options: .forMoving, writingItemAt: ground.url("b")
      ) { old, new in
        let reader = Task.detached {
          try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a/x")) { $0 }
        }
        try await ground.untilWaiting(1)
        try FileManager.default.moveItem(at: old, to: new)
        try await coordinator.item(at: old, didMoveTo: new)
        return reader
      }
      #expect(try await reader.value.path == ground.url("b/x").path)
    }
  }

  @Test func `a URL that names no file is refused`() async throws {
    try await Ground.with(1) { ground in
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(0).coordinate(
          readingItemAt: #require(URL(string: "https://example.org/a"))
        ) { _ in }
      }
      #expect(error?.code == .invalidURL)
    }
  }

  @Test func `what a closed domain held is free`() async throws {
    try await Ground.with(2) { ground in
      let task = Task.detached {
        try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
          for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: patience) }) {}
        }
      }
      try await until { try ground.domains[1].currentTable().claims.count == 1 }
      ground.domains[0].close()
      let url = try await ground.coordinator(1).coordinate(writingItemAt: ground.url("a")) { $0 }
      #expect(url == ground.url("a"))
      task.cancel()
    }
  }

  @Test func `a runtime directory that is removed is made anew`() async throws {
    try await Ground.with(2) { ground in
      for domain in 0...1 {
        try await ground.coordinator(domain).coordinate(writingItemAt: ground.url("a")) { _ in }
      }
      try FileManager.default.moveItem(atPath: ground.runtime, toPath: ground.runtime + "-gone")
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
        let other = Task.detached {
          try await ground.coordinator(1).coordinate(writingItemAt: ground.url("a")) { _ in }
        }
        try await ground.untilWaiting(1)
        other.cancel()
      }
    }
  }

  @Test func `a runtime directory that others may write is refused`() async throws {
    try await Ground.with(1) { ground in
      try FileManager.default.createDirectory(
        atPath: ground.runtime, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o777])
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(0).coordinate(readingItemAt: ground.url("a")) { _ in }
      }
      #expect(error?.code == .unsafeDirectory)
      #expect(error?.path == ground.runtime)
    }
  }

  @Test(arguments: ["", "1", "x\0", "1\0009\0", "2\0"])
  func `a damaged or newer table is reported by name`(contents: String) async throws {
    try await Ground.with(2) { ground in
      try await ground.coordinator(0).coordinate(readingItemAt: ground.url("a")) { _ in }
      try Data(contents.utf8).write(to: URL(filePath: "\(ground.runtime)/boot/table"))
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a")) { _ in }
      }
      #expect(error?.code == (contents == "2\0" ? .newerFormat : .damaged))
      #expect(error?.path == "\(ground.runtime)/boot/table")
    }
  }
}

extension FileCoordinator {
  /// Writes an item on the calling thread, which asynchronous code would not do.
  func coordinateAndWait(_ url: URL) throws -> URL {
    try coordinate(writingItemAt: url, byAccessor: { (url: URL) -> URL in url })
  }

  func failing(at url: URL, _ body: () throws -> Void) throws {
    try coordinate(writingItemAt: url) { _ in try body() }
  }

  /// Looks at the paths of the claim during an access.
  func waiting(for url: URL, _ access: ItemAccess, _ body: ([String]) throws -> Void) throws {
    try coordinate(writingItemAt: url) { _ in
      try body(domain.currentTable().claims.flatMap { $0.items.map(\.path) })
    }
  }
}
