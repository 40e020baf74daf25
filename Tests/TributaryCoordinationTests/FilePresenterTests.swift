import Foundation
import Testing
import TributaryCoordination
import TributaryTesting

/// What presenters are asked and told; 0 is the process of the presenter, 1 another one.
struct FilePresenterTests {
  /// Adds a presenter, uses items, and returns what it has noted.
  private static func notes(
    of name: String = "a", by domain: Int = 1, last: String = "reacquire",
    _ use: (Ground, FileCoordinator, NotedPresenter) async throws -> Void
  ) async throws -> [String] {
    var notes: [String] = []
    try await Ground.with(2) { ground in
      try ground.make("a")
      try ground.make("directory/b")
      let presenter = NotedPresenter(ground.url(name))
      try FileCoordinator.add(presenter, to: ground.domains[0])
      try await use(ground, ground.coordinator(domain), presenter)
      try await until { presenter.notes.all.last == last }
      notes = presenter.notes.all
    }
    return notes
  }

  @Test(arguments: 0...1)
  func `a presenter relinquishes its item to a reader and saves before`(domain: Int) async throws {
    let notes = try await Self.notes(by: domain) { ground, coordinator, presenter in
      try await coordinator.coordinate(readingItemAt: ground.url("a")) { _ in
        presenter.note("read")
      }
    }
    #expect(notes == ["reader", "save", "read", "reacquire"])
  }

  @Test func `a reader may do without the changes`() async throws {
    let notes = try await Self.notes { ground, coordinator, presenter in
      try await coordinator.coordinate(readingItemAt: ground.url("a"), options: .withoutChanges) {
        _ in presenter.note("read")
      }
    }
    #expect(notes == ["reader", "read", "reacquire"])
  }

  @Test(arguments: 0...1)
  func `it relinquishes it to a writer, and is told of the change`(domain: Int) async throws {
    let notes = try await Self.notes(by: domain) { ground, coordinator, presenter in
      try await coordinator.coordinate(writingItemAt: ground.url("a")) { _ in
        presenter.note("write")
      }
    }
    #expect(notes == ["writer", "write", "changed", "reacquire"])
  }

  @Test func `where the system has no watches left, processes look by themselves`() async throws {
    try await Ground.with(2, isWatching: false) { ground in
      try ground.make("a")
      let presenter = NotedPresenter(ground.url("a"))
      try FileCoordinator.add(presenter, to: ground.domains[0])
      try await ground.coordinator(1).coordinate(writingItemAt: ground.url("a")) { _ in }
      try await until { presenter.notes.all == ["writer", "changed", "reacquire"] }
      try ground.domains[0].withdraw(presenter)
      try await ground.coordinator(0).coordinate(writingItemAt: ground.url("a")) { _ in
        let task = Task.detached {
          try await ground.coordinator(1).coordinate(writingItemAt: ground.url("a")) { _ in }
        }
        try await ground.untilWaiting(1)
        return task
      }.value
    }
  }

  @Test func `it saves before a merge`() async throws {
    let notes = try await Self.notes { ground, coordinator, presenter in
      try await coordinator.coordinate(writingItemAt: ground.url("a"), options: .forMerging) { _ in
      }
    }
    #expect(notes == ["writer", "save", "changed", "reacquire"])
  }

  @Test(arguments: [FileCoordinator.WritingOptions.forDeleting, .forReplacing])
  func `it accommodates a deletion or replacement`(
    options: FileCoordinator.WritingOptions
  ) async throws {
    let notes = try await Self.notes { ground, coordinator, presenter in
      try await coordinator.coordinate(writingItemAt: ground.url("a"), options: options) {
        try FileManager.default.removeItem(at: $0)
      }
    }
    #expect(notes == ["writer", "deletion", "changed", "reacquire"])
  }

  @Test func `it follows a move`() async throws {
    let notes = try await Self.notes { ground, coordinator, presenter in
      try await coordinator.coordinate(
        writingItemAt: ground.url("a"), options: .forMoving, writingItemAt: ground.url("c")
      ) { old, new in
        try FileManager.default.moveItem(at: old, to: new)
        try await coordinator.item(at: old, didMoveTo: new)
      }
      try await until { presenter.notes.all.last == "reacquire" }
      try await coordinator.coordinate(writingItemAt: ground.url("c")) { _ in
        presenter.note("write")
      }
      try await until { presenter.notes.all.count >= 9 }
    }
    #expect(
      notes == [
        "writer", "save", "moved to c", "changed", "reacquire", "writer", "write", "changed",
        "reacquire",
      ])
  }

  @Test func `a presenter of a directory is told of items in it`() async throws {
    let notes = try await Self.notes(of: "directory", last: "b gained v") {
      ground, coordinator, _ in
      let (new, old) = (ground.url("directory/new"), ground.url("directory/b"))
      try await coordinator.coordinate(writingItemAt: new) { try Data().write(to: $0) }
      try await coordinator.coordinate(writingItemAt: old) { try Data().write(to: $0) }
      try await coordinator.coordinate(writingItemAt: new, options: .forDeleting) {
        try FileManager.default.removeItem(at: $0)
      }
      try await coordinator.coordinate(
        writingItemAt: old, options: .forMoving, writingItemAt: new
      ) { old, new in
        try FileManager.default.moveItem(at: old, to: new)
        try await coordinator.item(at: old, didMoveTo: new)
      }
      try await coordinator.item(at: old, didGainVersionAt: ground.url("v"))
    }
    #expect(
      notes == [
        "appeared new", "changed b", "deletion of new", "changed new", "moved b to new",
        "appeared new", "b gained v",
      ])
  }

  @Test func `it is told of versions`() async throws {
    let notes = try await Self.notes(last: "lost w") { ground, coordinator, _ in
      try await coordinator.item(at: ground.url("a"), didGainVersionAt: ground.url("v"))
      try await coordinator.item(at: ground.url("a"), didResolveConflictVersionAt: ground.url("v"))
      try await coordinator.item(at: ground.url("a"), didLoseVersionAt: ground.url("w"))
    }
    #expect(notes == ["gained v", "resolved v", "lost w"])
  }

  @Test func `what a presenter does itself is not reported to it`() async throws {
    let notes = try await Self.notes(last: "end") { ground, other, presenter in
      let own = ground.coordinator(0, presenter)
      try await own.coordinate(writingItemAt: ground.url("a"), options: .forDeleting) { _ in }
      try await own.coordinate(readingItemAt: ground.url("a")) { _ in }
      try await own.item(at: ground.url("a"), didMoveTo: ground.url("b"))
      // Followed all the same.
      try await other.coordinate(readingItemAt: ground.url("b"), options: .withoutChanges) { _ in }
      try await until { presenter.notes.all.last == "reacquire" }
      presenter.note("end")
    }
    #expect(notes == ["reader", "reacquire", "end"])
  }

  @Test func `a presenter saves with its own coordinator while it relinquishes the item`()
    async throws
  {
    try await Ground.with(2) { ground in
      try ground.make("a")
      let domain = ground.domains[0]
      let presenter = NotedPresenter(
        ground.url("a"),
        onSave: { presenter in
          let own = FileCoordinator(filePresenter: presenter, domain: domain)
          try await own.coordinate(writingItemAt: presenter.presentedItemURL!) {
            try Data("saved".utf8).write(to: $0)
          }
        })
      try FileCoordinator.add(presenter, to: domain)
      let text = try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a")) {
        try String(contentsOf: $0, encoding: .utf8)
      }
      #expect(text == "saved")
    }
  }

  @Test func `if it uses another coordinator for that, the deadlock is reported`() async throws {
    try await Ground.with(2) { ground in
      try ground.make("a")
      let coordinator = ground.coordinator(0)
      let presenter = NotedPresenter(
        ground.url("a"),
        onSave: { presenter in
          try await coordinator.coordinate(writingItemAt: presenter.presentedItemURL!) { _ in }
        })
      try FileCoordinator.add(presenter, to: ground.domains[0])
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a")) { _ in }
      }
      #expect(error?.code == .presenterFailed)
      #expect(error?.message.contains("for ever") == true)
    }
  }

  @Test func `the error of a presenter is that of the access, which leaves nothing behind`()
    async throws
  {
    struct DiskIsFull: Error {}
    try await Ground.with(2) { ground in
      try ground.make("a")
      let presenter = NotedPresenter(ground.url("a"), onSave: { _ in throw DiskIsFull() })
      try FileCoordinator.add(presenter, to: ground.domains[0])
      let error = await #expect(throws: CoordinationError.self) {
        try await ground.coordinator(1).coordinate(readingItemAt: ground.url("a")) { _ in }
      }
      #expect(error?.code == .presenterFailed)
      #expect(error?.message.contains("DiskIsFull") == true)
      try await until { presenter.notes.all == ["reader", "save", "reacquire"] }
      let isFree = try ground.hasNoClaims()
      #expect(isFree)
    }
  }

  @Test func `a presenter that does not answer delays an access no longer than the limit`()
    async throws
  {
    try await Ground.with(2) { ground in
      try ground.make("a")
      let release = AsyncStream<Void>.makeStream()
      let presenter = NotedPresenter(
        ground.url("a"), onWriter: { _ in for await _ in release.stream {} })
      try FileCoordinator.add(presenter, to: ground.domains[0])
      let coordinator = ground.coordinator(1, limit: .milliseconds(1))
      try await coordinator.coordinate(writingItemAt: ground.url("a")) { _ in
        #expect(presenter.notes.all == ["writer"])
      }
      release.continuation.finish()
      try await until { presenter.notes.all == ["writer", "changed", "reacquire"] }
    }
  }

  @Test func `a removed presenter is neither asked nor told`() async throws {
    let notes = try await Self.notes(last: "end") { ground, coordinator, presenter in
      try ground.domains[0].withdraw(presenter)
      try await coordinator.coordinate(writingItemAt: ground.url("a")) { _ in }
      presenter.note("end")
    }
    #expect(notes == ["end"])
  }

  @Test func `a presenter takes part again after the runtime directory was removed`() async throws {
    let notes = try await Self.notes { ground, coordinator, presenter in
      let before = try ground.domains[1].currentTable().presenters
      // In one step, since it is made anew at once.
      try FileManager.default.moveItem(atPath: ground.runtime, toPath: ground.runtime + "-gone")
      try FileManager.default.removeItem(atPath: ground.runtime + "-gone")
      // The process of the presenter notices by itself.
      try await until {
        let present = try ground.domains[1].currentTable().presenters
        return present.count == 1 && present != before
      }
      try await coordinator.coordinate(readingItemAt: ground.url("a")) { _ in }
    }
    #expect(notes == ["reader", "save", "reacquire"])
  }

  @Test func `a presenter without a URL is refused`() async throws {
    try await Ground.with(1) { ground in
      let error = #expect(throws: CoordinationError.self) {
        try FileCoordinator.add(NotedPresenter(nil), to: ground.domains[0])
      }
      #expect(error?.code == .nothingPresented)
      try ground.make("a")
    }
  }
}
