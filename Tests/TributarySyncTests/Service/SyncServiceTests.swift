import Foundation
import Glibc
import Synchronization
import Testing
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Many stores in one process.
struct SyncServiceTests {
  private static let script = "CREATE TABLE t (id TEXT PRIMARY KEY)"

  /// Records what a service says, and fails to handle what it is told to.
  private final class Listener: SyncServiceObserver {
    let opened = Recorded<String>()
    let failures = Recorded<(store: String, text: String)>()
    let handled = Recorded<(store: String, transactions: Int)>()
    let refusals = Recorded<String>()
    private let refusing = Mutex(0)
    private let hanging = Mutex((wanted: false, is: false))

    /// Whether what is handled next, or is being handled, goes on for ever.
    func hang(_ hangs: Bool) { hanging.withLock { $0.wanted = hangs } }
    var isHanging: Bool { hanging.withLock(\.is) }

    func refuse(_ count: Int) { refusing.withLock { $0 = count } }

    func didOpen(_ store: ServedStore) { opened.append(store.path) }
    func didReport(_ report: SyncReport, of store: ServedStore) {
      if let failure = report.failure { failures.append((store.path, "\(failure)")) }
    }
    func didFail(_ error: any Error, of store: ServedStore) -> Bool {
      failures.append((store.path, "\(error)"))
      return true
    }
    func handle(_ report: SyncReport, of store: ServedStore) throws {
      let isRefused = refusing.withLock { count in
        count -= 1
        return count >= 0
      }
      if isRefused { throw HarnessFailure("refused") }
      try eventually {
        hanging.withLock { hanging in
          hanging.is = hanging.wanted
          return !hanging.wanted
        }
      }
      handled.append((store.path, report.imported.transactions))
    }
    func didFailToHandle(_ error: any Error, of store: ServedStore) { refusals.append(store.path) }
  }

  private func withService(
    _ environment: StoreEnvironment = StoreEnvironment(),
    _ body: (SyncDevices, SyncService, Listener) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let listener = Listener()
      let service = try SyncService(observer: listener, environment: environment)
      defer {
        (environment.fileSystem as? HangingPlace)?.hang(false)
        service.stop()
        service.join()
      }
      try body(devices, service, listener)
    }
  }

  private func served(_ path: String, onImport: String? = nil) -> ServedStore {
    var store = ServedStore(path: path)
    store.onImport = onImport
    return store
  }

  private func write(_ id: String, to path: String) throws {
    let store = try LocalStore(path: path, milliseconds: { SystemClock().milliseconds() })
    defer { store.close() }
    try Contention.outwait { try store.write { try $0.execute("INSERT INTO t VALUES ('\(id)')") } }
  }

  private func count(_ path: String) throws -> Int64 {
    let store = try LocalStore(path: path, milliseconds: { 1 })
    defer { store.close() }
    return try store.read { try $0.query("SELECT count(*) AS n FROM t")[0].integer("n") } ?? 0
  }

  @Test func `what is written into any store arrives in all, with few threads and files`() throws {
    try withService { devices, service, _ in
      let names = (0..<12).map { "s\($0)" }
      for name in names { try devices.attach(name, Self.script) }
      for name in names { try service.add(served(devices.path(name))) }
      for (number, name) in names.enumerated() { try write("\(number)", to: devices.path(name)) }
      try eventually { try names.allSatisfy { try count(devices.path($0)) == 12 } }
      #expect(service.stores.count == 12)
      let published = service.metrics.reduce(0) { $0 + $1.metrics.store.publishedTransactions }
      #expect(published >= 12)
    }
  }

  @Test func `a store that cannot be opened stops no other, and is taken up when it can be`() throws
  {
    try withService { devices, service, listener in
      for name in ["a", "b"] { try devices.attach(name, Self.script) }
      for name in ["missing", "a", "b"] { try service.add(served(devices.path(name))) }
      try write("1", to: devices.path("a"))
      try eventually { try count(devices.path("b")) == 1 }
      try eventually { listener.failures.all.contains { $0.store == devices.path("missing") } }
      try devices.attach("missing")
      try eventually { listener.opened.all.contains(devices.path("missing")) }
      try eventually { try count(devices.path("missing")) == 1 }
      let metrics = service.metrics.first { $0.store.path == devices.path("missing") }
      #expect((metrics?.metrics.store.errors ?? 0) > 0)
    }
  }

  @Test func `a container that hangs stops no store of another one`() throws {
    let hanging = HangingPlace("/shared/")
    try withService(StoreEnvironment(fileSystem: hanging)) { devices, service, listener in
      let fine = try SyncDevices(in: devices.directory + "/fine", container: "elsewhere")
      for name in ["a", "b"] { try fine.attach(name, Self.script) }
      let stuck = (0..<8).map { "stuck\($0)" }
      for name in stuck { try devices.attach(name, Self.script) }
      hanging.hang(true)
      for name in stuck {
        var store = served(devices.path(name))
        store.containerLimit = 50
        try service.add(store)
      }
      for name in ["a", "b"] { try service.add(served(fine.path(name))) }
      try write("1", to: fine.path("a"))
      try eventually { try count(fine.path("b")) == 1 }
      try eventually { listener.failures.all.contains { $0.store.contains("stuck") } }
      hanging.hang(false)
      try write("1", to: devices.path("stuck0"))
      try eventually { try count(devices.path("stuck7")) == 1 }
    }
  }

  @Test func `a store that is taken off is published, and is no longer looked at`() throws {
    try withService { devices, service, _ in
      for name in ["a", "b"] { try devices.attach(name, Self.script) }
      let stores = ["a", "b"].map { served(devices.path($0)) }
      var result = try service.replace(with: stores)
      #expect(result.added == stores && result.removed.isEmpty)
      try write("1", to: devices.path("a"))
      result = try service.replace(with: [stores[1]])
      #expect(result.added.isEmpty && result.removed == [stores[0]])
      #expect(service.stores == [stores[1]])
      try eventually { try count(devices.path("b")) == 1 }
      var changed = stores[1]
      changed.interval = 60_000
      result = try service.replace(with: [changed])
      #expect(result.added == [changed] && result.removed == [stores[1]])
    }
  }

  @Test func `nobody waits for a store that ends but what takes its place`() throws {
    try withService { devices, service, listener in
      for name in ["a", "b", "c"] { try devices.attach(name, Self.script) }
      let hanging = served(devices.path("b"), onImport: "x")
      _ = try service.replace(with: [served(devices.path("a")), hanging])
      try eventually { listener.opened.all.count == 2 }
      listener.hang(true)
      defer { listener.hang(false) }
      try write("1", to: devices.path("a"))
      try eventually { listener.isHanging }
      let stores = ["a", "b", "c"].map { served(devices.path($0)) }
      for _ in 0..<2 { _ = try service.replace(with: stores) }
      #expect(service.stores == stores)
      try eventually { listener.opened.all.contains(devices.path("c")) }
      #expect(listener.opened.all.count { $0 == devices.path("b") } == 1)
      listener.hang(false)
      try eventually { listener.opened.all.count { $0 == devices.path("b") } == 2 }
      #expect(service.stores == stores)
    }
  }

  @Test func `a store that is taken off before it could be opened is published`() throws {
    try withService { devices, service, listener in
      try devices.attach("b", Self.script)
      try service.add(served(devices.path("a")))
      try eventually { !listener.failures.all.isEmpty }
      try devices.attach("a", Self.script)
      try write("1", to: devices.path("a"))
      _ = try service.replace(with: [served(devices.path("b"))])
      try eventually { try count(devices.path("b")) == 1 }
    }
  }

  @Test func `an import is handed over again until it is handled`() throws {
    try withService { devices, service, listener in
      for name in ["a", "b"] { try devices.attach(name, Self.script) }
      listener.refuse(1)
      try service.add(served(devices.path("a")))
      try service.add(served(devices.path("b"), onImport: "x"))
      try eventually { listener.opened.all.count == 2 }
      try write("1", to: devices.path("a"))
      try eventually { listener.handled.all.count == 1 }
      #expect(listener.refusals.all == [devices.path("b")])
      #expect(listener.handled.all[0].transactions == 1)
      try eventually {
        let metrics = service.metrics.first { $0.store.path == devices.path("b") }?.metrics
        return metrics?.handled == 1 && metrics?.handlingErrors == 1 && metrics?.queued == 0
      }
    }
  }

  @Test func `beats come while the threads work`() throws {
    let beats = Recorded<Int>()
    let service = try SyncService(observer: Listener(), didBeat: { beats.append(1) })
    try service.beat(every: .milliseconds(5))
    try eventually { beats.all.count >= 3 }
    service.stop()
    service.join()
  }
}

/// The real file system, where a place does not answer for a time.
private final class HangingPlace: SteppingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let part: String
  private let state = Mutex(false)

  init(_ part: String) { self.part = part }

  func hang(_ hangs: Bool) { state.withLock { $0 = hangs } }

  func step(_ operation: FileOperation, _ path: String) {
    while path.contains(part), state.withLock({ $0 }) { usleep(1000) }
  }
}
