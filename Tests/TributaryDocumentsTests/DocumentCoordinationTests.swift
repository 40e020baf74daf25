import Foundation
import Synchronization
import Testing
import TributaryCoordination
import TributaryDocuments
import TributaryTesting

/// What presenters and coordinators see of documents that are made, moved and deleted.
struct DocumentCoordinationTests {
  /// A presenter that notes each call, and may refuse.
  private final class Presenter: FilePresenter {
    struct Refusal: Error {}

    let presentedItemURL: URL?
    let notes = Recorded<String>()
    private let refuses: Bool

    init(_ path: String, refuses: Bool = false) {
      presentedItemURL = URL(filePath: path)
      self.refuses = refuses
    }

    func savePresentedItemChanges() async throws { notes.append("save") }

    func accommodatePresentedItemDeletion() async throws {
      notes.append("deletion")
      if refuses { throw Refusal() }
    }

    func presentedItemDidMove(to newURL: URL) async {
      notes.append("moved to \(newURL.lastPathComponent)")
    }

    func presentedSubitemDidAppear(at url: URL) async {
      notes.append("appeared \(url.lastPathComponent)")
    }
  }

  /// Lends documents whose steps are coordinated among the processes of the test alone.
  ///
  /// - Parameter body: runs on a thread of its own, since it waits for presenters, which need the threads of tasks.
  private func withGround(
    _ body: @escaping @Sendable (DocumentFixture, Documents, CoordinationDomain) throws -> Void
  ) async throws {
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        ended.resume(
          with: Result {
            try withDocuments { fixture in
              _ = try fixture.device("a")
              let domain = CoordinationDomain(directory: fixture.directory + "/run/boot")
              defer { domain.close() }
              try body(fixture, Self.documents(fixture, Self.coordinator(domain)), domain)
            }
          })
      }
    }
  }

  /// Presenters may take as long as they do on a busy machine.
  private static func coordinator(_ domain: CoordinationDomain) -> FileCoordinator {
    FileCoordinator(presenterTimeLimit: patience, domain: domain)
  }

  private static func documents(
    _ fixture: DocumentFixture, _ coordinator: FileCoordinator
  ) throws -> Documents {
    let places = DataPlaces(
      containers: fixture.directory + "/shared", data: fixture.directory + "/a")
    return try Documents(containers: Containers(places: places), coordinator: coordinator)
  }

  @Test func `presenters are asked and told when a document is made, moved and deleted`()
    async throws
  {
    try await withGround { fixture, documents, domain in
      let shelf = Presenter(fixture.documents)
      try FileCoordinator.add(shelf, to: domain)
      _ = try documents.create(at: fixture.path("Trip.note"), options: fixture.options())
      try eventually { shelf.notes.all.contains("appeared Trip.note") }
      let presenter = Presenter(fixture.path("Trip.note"))
      try FileCoordinator.add(presenter, to: domain)
      try documents.move(fixture.path("Trip.note"), to: fixture.path("Journey.note"))
      // Out of the container, too: the copy is the document from then on.
      try documents.move(fixture.path("Journey.note"), to: fixture.directory + "/Mine.note")
      try documents.delete(fixture.directory + "/Mine.note")
      let expected = [
        "save", "moved to Journey.note", "save", "moved to Mine.note", "deletion",
      ]
      try eventually { presenter.notes.all == expected }
      _ = try documents.create(at: fixture.path("Other.note"), options: fixture.options())
      _ = try documents.duplicate(fixture.path("Other.note"), to: fixture.path("Copy.note"))
      try eventually { shelf.notes.all.contains("appeared Copy.note") }
    }
  }

  @Test func `a presenter that cannot make way keeps the document`() async throws {
    try await withGround { fixture, documents, domain in
      let document = try documents.create(
        at: fixture.path("Trip.note"), options: fixture.options())
      try FileCoordinator.add(Presenter(document.package, refuses: true), to: domain)
      let before = DirectoryTree.paths(fixture.container)
      let error = try #require(throws: CoordinationError.self) {
        try documents.delete(document.package)
      }
      try #require(error.code == .presenterFailed)
      try #require(DirectoryTree.paths(fixture.container) == before)
      try #require(try documents.list().map(\.state) == [.normal])
    }
  }

  @Test func `whoever reads a document finishes before it is moved`() async throws {
    try await withGround { fixture, documents, domain in
      let path = fixture.path("Trip.note")
      _ = try documents.create(at: path, options: fixture.options())
      let order = Recorded<String>()
      let mover = Mutex<Result<String, any Error>?>(nil)
      try Self.coordinator(domain).coordinate(readingItemAt: URL(filePath: path)) { _ in
        Thread.detachNewThread {
          let result = Result { try documents.move(path, to: fixture.path("Journey.note")) }
          order.append("moved")
          mover.withLock { $0 = result }
        }
        try eventually { try domain.currentTable().claims.contains { $0.phase == .waiting } }
        order.append(fixture.exists(path) ? "read" : "lost")
      }
      try eventually { mover.withLock { $0 != nil } }
      _ = try mover.withLock { try $0!.get() }
      try #require(order.all == ["read", "moved"])
    }
  }

  @Test func `within an access of its own, a step uses the same coordinator or is refused`()
    async throws
  {
    try await withGround { fixture, _, domain in
      let coordinator = Self.coordinator(domain)
      let documents = try Self.documents(fixture, coordinator)
      let path = fixture.path("Trip.note")
      _ = try documents.create(at: path, options: fixture.options())
      let foreign = Self.coordinator(domain)
      let error = try #require(throws: CoordinationError.self) {
        try foreign.coordinate(writingItemAt: URL(filePath: path)) { _ in
          try documents.delete(path)
        }
      }
      try #require(error.code == .deadlock)
      try #require(try documents.list().map(\.state) == [.normal])
      try coordinator.coordinate(writingItemAt: URL(filePath: path)) { _ in
        try documents.delete(path)
      }
      try #require(try documents.list().isEmpty)
    }
  }

  @Test func `where processes cannot meet, documents are made all the same`() throws {
    try withDocuments { fixture in
      _ = try fixture.device("a")
      try Data().write(to: URL(filePath: fixture.directory + "/file"))
      let domain = CoordinationDomain(directory: fixture.directory + "/file/boot")
      defer { domain.close() }
      let documents = try Self.documents(fixture, Self.coordinator(domain))
      _ = try documents.create(at: fixture.path("Trip.note"), options: fixture.options())
      try documents.move(fixture.path("Trip.note"), to: fixture.path("Journey.note"))
      try documents.delete(fixture.path("Journey.note"))
      try #require(try documents.list().isEmpty)
    }
  }
}
