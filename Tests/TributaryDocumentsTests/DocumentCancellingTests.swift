import Foundation
import Synchronization
import Testing
import TributaryCoordination
import TributaryDocuments
import TributaryFiles
import TributarySQLite
import TributaryTesting

/// Waits of documents for others, which end when the work is cancelled.
struct DocumentCancellingTests {
  /// Runs `body` on a thread of its own.
  private final class Work: Sendable {
    private let result = Mutex<Result<Void, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
      Thread.detachNewThread { [self] in
        let ended = Result { try body() }
        result.withLock { $0 = ended }
      }
    }

    /// Waits until `body` has ended, and throws what it has thrown.
    func finish() throws {
      try eventually { result.withLock { $0 != nil } }
      try result.withLock { try $0!.get() }
    }
  }

  private func options(_ fixture: DocumentFixture, _ cancellation: Cancellation) -> DocumentOptions
  {
    var options = fixture.options()
    options.cancellation = cancellation
    return options
  }

  @Test func `a document that waits for an access is not made when that is cancelled`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      let domain = CoordinationDomain(directory: fixture.directory + "/run/boot")
      defer { domain.close() }
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(
        containers: Containers(places: places), coordinator: FileCoordinator(domain: domain))
      // What stays of documents in any case is there.
      _ = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      func tree() -> [String] {
        DirectoryTree.paths(fixture.directory).filter { !$0.hasPrefix("run") }
      }
      let before = tree()
      let path = fixture.path("Trip.note")
      let cancellation = Cancellation()
      try FileCoordinator(domain: domain).coordinate(writingItemAt: URL(filePath: path)) { _ in
        let options = options(fixture, cancellation)
        let work = Work { _ = try a.create(at: path, options: options) }
        try eventually { try domain.currentTable().claims.contains { $0.phase == .waiting } }
        cancellation.cancel()
        #expect(throws: CancellationError.self) { try work.finish() }
        #expect(try !domain.currentTable().claims.contains { $0.phase == .waiting })
      }
      #expect(tree() == before)
      #expect(try a.create(at: path, options: fixture.options()).notes() == [])
    }
  }

  /// Takes a lock that nobody has.
  private static func lock(_ file: String) throws -> FileLock {
    guard let lock = try FileLock.makeAndTake(file, within: .zero) else {
      throw LockIsTaken(file: file)
    }
    return lock
  }

  private struct LockIsTaken: Error { let file: String }

  @Test func `opening that waits for a lock ends when that is cancelled`() throws {
    try withDocuments { fixture in
      let document = try fixture.device("a").create(
        at: fixture.path("Trip.note"), options: fixture.options())
      let b = try fixture.device("b")
      _ = try b.create(at: fixture.path("Other.note"), options: fixture.options())
      let lock = try Self.lock(
        fixture.directory + "/b/documents/\(document.metadata.contentName).lock")
      let before = DirectoryTree.paths(fixture.directory)
      let cancellation = Cancellation()
      let options = options(fixture, cancellation)
      let start = ContinuousClock.now
      let work = Work { _ = try b.open(document.package, options: options) }
      cancellation.cancel()
      #expect(throws: CancellationError.self) { try work.finish() }
      // The lock alone is waited for as long as a minute.
      #expect(ContinuousClock.now - start < .seconds(50))
      #expect(DirectoryTree.paths(fixture.directory) == before)
      lock.removeAndRelease()
      #expect(try b.open(document.package).notes() == [])
    }
  }

  @Test func `a document that was moved into a container stays as it is when opening is cancelled`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      _ = try a.create(at: fixture.path("Other.note"), options: fixture.options())
      let document = try a.create(
        at: fixture.directory + "/Mine.note", options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      let path = fixture.path("Mine.note")
      try FileManager.default.moveItem(atPath: document.package, toPath: path)
      // The logs have been copied when the store is waited for.
      let lock = try Self.lock(document.store + "-tributary-attaching")
      let before = DirectoryTree.paths(fixture.directory)
      let cancellation = Cancellation()
      let options = options(fixture, cancellation)
      let logs = fixture.container + "/tributary/" + document.metadata.contentName
      let work = Work { _ = try a.open(path, options: options) }
      try eventually { fixture.exists(logs) }
      cancellation.cancel()
      #expect(throws: CancellationError.self) { try work.finish() }
      let after = DirectoryTree.paths(fixture.directory)
      #expect(after.filter { !before.contains($0) } == [])
      #expect(before.filter { !after.contains($0) } == [])
      lock.removeAndRelease()
      #expect(try a.open(path).notes() == ["1=a"])
    }
  }

  /// A step that an access of somebody else keeps waiting.
  enum Step: CaseIterable {
    case rename, move, duplicate, delete

    func run(_ documents: Documents, _ path: String, _ fixture: DocumentFixture) throws {
      switch self {
      case .rename: try documents.move(path, to: fixture.path("New.note"))
      case .move: try documents.move(path, to: fixture.directory + "/New.note")
      case .duplicate: _ = try documents.duplicate(path, to: fixture.path("New.note"))
      case .delete: try documents.delete(path)
      }
    }

    /// The path that somebody else uses.
    func obstacle(_ path: String, _ fixture: DocumentFixture) -> String {
      self == .duplicate ? fixture.path("New.note") : path
    }
  }

  @Test(arguments: Step.allCases)
  func `a step that waits for an access leaves the document as it was when it is cancelled`(
    step: Step
  ) throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      let domain = CoordinationDomain(directory: fixture.directory + "/run/boot")
      defer { domain.close() }
      let places = DataPlaces(
        containers: fixture.directory + "/shared", data: fixture.directory + "/a")
      let a = try Documents(
        containers: Containers(places: places), coordinator: FileCoordinator(domain: domain))
      let path = fixture.path("Trip.note")
      let document = try a.create(at: path, options: fixture.options())
      try document.write("1", "a")
      try document.synchronize()
      // What stays of documents that leave a container in any case is there.
      _ = try a.create(at: fixture.directory + "/Local.note", options: fixture.options())
      func tree() -> [String] {
        DirectoryTree.paths(fixture.directory).filter { !$0.hasPrefix("run") }
      }
      let before = tree()
      let cancellation = Cancellation()
      let url = URL(filePath: step.obstacle(path, fixture))
      try FileCoordinator(domain: domain).coordinate(readingItemAt: url) { _ in
        let work = Work { try step.run(a.heeding(cancellation), path, fixture) }
        try eventually { try domain.currentTable().claims.contains { $0.phase == .waiting } }
        cancellation.cancel()
        #expect(throws: CancellationError.self) { try work.finish() }
        #expect(try !domain.currentTable().claims.contains { $0.phase == .waiting })
      }
      let after = tree()
      #expect(after.filter { !before.contains($0) } == [])
      #expect(before.filter { !after.contains($0) } == [])
      #expect(try a.open(path).notes() == ["1=a"])
      // Nothing is left that would keep it from being done.
      try step.run(a, path, fixture)
    }
  }

  @Test(arguments: Step.allCases)
  func `a step that was cancelled before it began does nothing`(step: Step) throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let path = fixture.path("Trip.note")
      let document = try a.create(at: path, options: fixture.options())
      try document.write("1", "a")
      _ = try a.create(at: fixture.directory + "/Local.note", options: fixture.options())
      let before = DirectoryTree.paths(fixture.directory)
      let cancellation = Cancellation()
      cancellation.cancel()
      #expect(throws: CancellationError.self) {
        try step.run(a.heeding(cancellation), path, fixture)
      }
      #expect(DirectoryTree.paths(fixture.directory) == before)
      #expect(try a.open(path).notes() == ["1=a"])
    }
  }

  @Test func `a document that waits for a writer of its store stays when moving it is cancelled`()
    throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let document = try a.create(at: fixture.path("Trip.note"), options: fixture.options())
      try document.write("1", "a")
      _ = try a.create(at: fixture.directory + "/Local.note", options: fixture.options())
      let before = DirectoryTree.paths(fixture.container)
      let cancellation = Cancellation()
      let writer = try Connection(path: document.store, mode: .readWrite)
      try writer.execute("BEGIN IMMEDIATE")
      let work = Work {
        try a.heeding(cancellation).move(document.package, to: fixture.directory + "/New.note")
      }
      // It holds the lock of the document while it waits for that of the store.
      let lock = fixture.directory + "/a/documents/\(document.metadata.contentName).lock"
      try eventually { fixture.exists(lock) }
      cancellation.cancel()
      #expect(throws: CancellationError.self) { try work.finish() }
      try writer.execute("ROLLBACK")
      writer.close()
      #expect(DirectoryTree.paths(fixture.container) == before)
      #expect(!fixture.exists(fixture.directory + "/New.note"))
      #expect(try a.open(document.package).notes() == ["1=a"])
    }
  }
}
