import Foundation
import Synchronization
import Testing
import TributaryDocuments
import TributaryStore
import TributarySync
import TributaryTesting

struct DocumentSessionTests {
  /// Keeps what an observer is told.
  private final class Record: Sendable {
    let states = Mutex<[DocumentState]>([])
    let imports = Mutex<[SyncReport.Imported]>([])
    let paths = Mutex<[String]>([])

    var observer: DocumentObserver {
      DocumentObserver(
        didChangeState: { state in self.states.withLock { $0.append(state) } },
        didImport: { imported in self.imports.withLock { $0.append(imported) } },
        didMove: { path in self.paths.withLock { $0.append(path) } })
    }
  }

  private func insert(_ id: String, _ text: String, _ session: DocumentSession) throws {
    try session.write { try $0.execute("INSERT INTO note VALUES (?, ?)", id, text) }
  }

  private func notes(_ session: DocumentSession) throws -> [String] {
    try session.read {
      try $0.query("SELECT id FROM note ORDER BY id").compactMap { $0.string("id") }
    }
  }

  @Test func `what is written is published by itself, and imported by itself`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let centre = DocumentCentre()
      let record = Record()
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a, centre: centre)
      let there = try DocumentSession(
        b.open(fixture.path("Trip")), of: b, centre: centre, observer: record.observer)
      #expect(!here.hasUnsavedChanges)
      try insert("1", "a", here)
      #expect(here.hasUnsavedChanges)
      try eventually { try notes(there) == ["1"] }
      try eventually { !here.hasUnsavedChanges }
      try eventually { record.imports.withLock { $0.map(\.transactions) } == [1] }
      #expect(here.close())
      #expect(here.state == .closed)
      #expect(there.close())
      #expect(record.states.withLock { $0 } == [.closed], "\(there.failure.map { "\($0)" } ?? "")")
      #expect(centre.count == 0)
    }
  }

  @Test
  func `two that have the same document open on one device see each other's writes and imports`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip"), options: fixture.options())
      let record = Record()
      let one = try DocumentSession(
        document, of: a, centre: DocumentCentre(pollInterval: .seconds(3600)))
      let other = try DocumentSession(
        a.open(fixture.path("Trip")), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)), observer: record.observer)
      try insert("1", "one", one)
      try insert("2", "other", other)
      #expect(try notes(one) == ["1", "2"])
      let there = try b.open(fixture.path("Trip"))
      try there.write("3", "b")
      try there.synchronize()
      try one.save()
      try other.save()
      #expect(try notes(other) == ["1", "2", "3"])
      // Whoever has imported it.
      #expect(record.imports.withLock { $0.map(\.transactions).reduce(0, +) } == 1)
      #expect(one.close())
      try insert("4", "still open", other)
      #expect(other.close())
      try there.synchronize()
      #expect(try there.notes().count == 4)
    }
  }

  @Test func `closing saves, and a closed document refuses`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a)
      try insert("1", "a", here)
      #expect(here.close())
      #expect(here.close())
      #expect(try b.open(fixture.path("Trip")).notes() == ["1=a"])
      let error = try #require(throws: DocumentError.self) { try notes(here) }
      #expect(error.code == .closed)
      #expect(throws: DocumentError.self) { try insert("2", "a", here) }
    }
  }

  @Test func `without the container a document is editable, and says that it is not saved`() throws
  {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let record = Record()
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)), observer: record.observer)
      let away = fixture.directory + "/away"
      try FileManager.default.moveItem(atPath: fixture.container, toPath: away)
      try insert("1", "a", here)
      #expect(throws: (any Error).self) { try here.save() }
      #expect(here.state == .savingError)
      #expect(here.hasUnsavedChanges)
      #expect(here.failure != nil)
      #expect(try notes(here) == ["1"])
      try FileManager.default.moveItem(atPath: away, toPath: fixture.container)
      try here.save()
      #expect(here.state == .normal)
      #expect(!here.hasUnsavedChanges)
      #expect(here.failure == nil)
      #expect(record.states.withLock { $0 } == [.savingError, .normal])
      here.close()
    }
  }

  @Test func `what was not saved before closing is saved after the next opening`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip"), options: fixture.options())
      try document.write("1", "a")
      let here = try DocumentSession(
        a.open(fixture.path("Trip")), of: a, centre: DocumentCentre(pollInterval: .seconds(3600)))
      #expect(here.hasUnsavedChanges)
      #expect(here.close())
      #expect(try b.open(fixture.path("Trip")).notes() == ["1=a"])
    }
  }

  @Test func `conflicts are in the state until they are resolved`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let document = try a.create(at: fixture.path("Trip"), options: fixture.options())
      try document.write("1", "x")
      try document.synchronize()
      let there = try b.open(fixture.path("Trip"))
      let record = Record()
      let here = try DocumentSession(
        document, of: a, centre: DocumentCentre(pollInterval: .seconds(3600)),
        observer: record.observer)
      // Neither knows of the other, whatever is published by itself meanwhile.
      try there.write("1", "b")
      try here.write { try $0.execute("UPDATE note SET text = 'a'") }
      try there.synchronize()
      try here.save()
      #expect(here.state == .inConflict)
      #expect(try a.list().map(\.state) == [.inConflict])
      let conflict = try #require(try here.session.conflicts().first)
      _ = try here.session.resolve(conflict.id, .keep)
      try here.save()
      #expect(here.state == .normal)
      #expect(record.states.withLock { $0 } == [.inConflict, .normal])
      here.close()
    }
  }

  @Test func `editing can be disabled`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a)
      here.disableEditing()
      here.disableEditing()
      #expect(here.state == .editingDisabled)
      let error = try #require(throws: DocumentError.self) { try insert("1", "a", here) }
      #expect(error.code == .editingDisabled)
      here.enableEditing()
      #expect(here.state == .editingDisabled)
      here.enableEditing()
      #expect(here.state == .normal)
      try insert("1", "a", here)
      here.close()
    }
  }

  @Test func `a document that another device deletes closes and says so`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let record = Record()
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)), observer: record.observer)
      try b.delete(fixture.path("Trip"))
      #expect(throws: DocumentError.self) { try here.save() }
      #expect(here.state == .closed)
      #expect((here.failure as? DocumentError)?.code == .deleted)
      let error = try #require(throws: DocumentError.self) { try notes(here) }
      #expect(error.code == .deleted)
      #expect(record.states.withLock { $0 } == [.closed])
      #expect(try a.list().isEmpty)
    }
  }

  @Test func `an open document follows its package, and goes on when it is moved`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let record = Record()
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)), observer: record.observer)
      try b.move(fixture.path("Trip"), to: fixture.path("Journey"))
      try here.save()
      #expect(here.document.package == fixture.path("Journey"))
      try insert("1", "a", here)
      try here.move(to: fixture.directory + "/Mine")
      try insert("2", "b", here)
      try here.move(to: fixture.path("Back"))
      try insert("3", "c", here)
      try here.save()
      #expect(here.document.package == fixture.path("Back"))
      #expect(
        record.paths.withLock { $0 } == [
          fixture.path("Journey"), fixture.directory + "/Mine", fixture.path("Back"),
        ])
      #expect(try b.open(fixture.path("Back")).notes() == ["1=a", "2=b", "3=c"])
      try here.delete()
      #expect(here.state == .closed)
      #expect(try b.list().isEmpty)
    }
  }

  @Test func `an open document goes along when another process moves it to another container`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let local = fixture.directory + "/Draft"
      let here = try DocumentSession(
        a.create(at: local, options: fixture.options()), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)))
      try insert("1", "a", here)
      try fixture.device("a").move(local, to: fixture.path("Trip"))
      try insert("2", "b", here)
      try here.save()
      #expect(here.document.package == fixture.path("Trip"))
      #expect(here.document.container == fixture.container)
      #expect(here.state == .normal)
      #expect(try b.open(fixture.path("Trip")).notes() == ["1=a", "2=b"])
      try b.delete(fixture.path("Trip"))
      #expect(throws: DocumentError.self) { try here.save() }
      #expect(here.state == .closed)
    }
  }

  @Test
  func `an open document closes when another device has deleted it, though all can be published`()
    throws
  {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let centre = DocumentCentre(awakeLimit: 0, pollInterval: .seconds(3600))
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a, centre: centre)
      let other = try DocumentSession(
        a.create(at: fixture.path("Other"), options: fixture.options()), of: a, centre: centre)
      try insert("1", "unpublished", here)
      try b.delete(fixture.path("Trip"))
      // The watch tells it: no poll comes within the test.
      try eventually { here.state == .closed }
      #expect((here.failure as? DocumentError)?.code == .deleted)
      #expect(throws: DocumentError.self) { try insert("2", "too late", here) }
      let logs = fixture.container + "/tributary/" + here.document.metadata.contentName
      try eventually { !fixture.exists(logs) && !fixture.exists(here.document.store) }
      #expect(other.state == .normal)
      #expect(other.close())
    }
  }

  @Test func `a deleted document has arrivals for as long as it is open`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a,
        centre: DocumentCentre(pollInterval: .seconds(3600)))
      let metadata = fixture.path("Trip/DocumentMetadata.plist")
      let plist = try Data(contentsOf: URL(filePath: metadata))
      try b.delete(fixture.path("Trip"))
      // The carrier has brought the statement and not yet removed the package.
      try? FileManager.default.createDirectory(
        atPath: fixture.path("Trip"), withIntermediateDirectories: false)
      try plist.write(to: URL(filePath: metadata))
      #expect(here.arrivals() == nil)
      #expect(throws: DocumentError.self) { try here.save() }
      #expect(here.state == .closed)
      try eventually { !fixture.exists(fixture.path("Trip")) }
    }
  }

  @Test func `a new name is a name and no path`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let here = try DocumentSession(
        a.create(at: fixture.path("Trip"), options: fixture.options()), of: a)
      for name in ["../Trip", "a/b", "..", ".", "/tmp/x", ""] {
        let error = try #require(throws: DocumentError.self) { try here.rename(to: name) }
        #expect(error.code == .invalidName)
      }
      try here.rename(to: "Journey")
      #expect(here.document.package == fixture.path("Journey"))
      #expect(here.close())
    }
  }

  @Test func `a quiet document whose files are closed is not opened for a look`() throws {
    try withDocuments { fixture in
      let (a, b) = (try fixture.device("a"), try fixture.device("b"))
      let centre = DocumentCentre(awakeLimit: 0, pollInterval: .seconds(3600))
      let document = try a.create(at: fixture.path("Trip"), options: fixture.options())
      let there = try b.open(fixture.path("Trip"))
      let here = try DocumentSession(document, of: a, centre: centre)
      // What has changed a moment ago may change again unseen.
      try eventually { here.arrivals() != nil }
      centre.work(here)
      #expect(openDescriptors(of: document.store) == 0)
      #expect(!centre.work(here))
      // Another process writes into the same store.
      try document.write("2", "elsewhere")
      #expect(centre.work(here))
      #expect(centre.work(here))
      #expect(!centre.work(here))
      try there.write("1", "b")
      try there.synchronize()
      centre.work(here)
      #expect(try notes(here) == ["1", "2"])
      here.close()
    }
  }

  @Test func `many documents are open with few files`() throws {
    try withDocuments { fixture in
      let a = try fixture.device("a")
      let centre = DocumentCentre(awakeLimit: 8)
      let first = try a.create(at: fixture.path("0"), options: fixture.options())
      try first.write("0", "first")
      var sessions = [try DocumentSession(first, of: a, centre: centre)]
      for number in 1..<100 {
        let document = try a.create(at: fixture.path("\(number)"), options: fixture.options())
        sessions.append(try DocumentSession(document, of: a, centre: centre))
      }
      for session in sessions { try insert("x", "y", session) }
      try eventually { sessions.allSatisfy { !$0.hasUnsavedChanges } }
      // A store that is in use has about six, and there are a hundred of them.
      #expect(openDescriptors(of: fixture.directory + "/a/documents") < 100)
      for session in sessions { #expect(session.close()) }
    }
  }
}
