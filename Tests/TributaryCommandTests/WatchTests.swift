import Foundation
import Glibc
import Synchronization
import Testing
import TributaryCommand
import TributaryFiles
import TributaryTesting

struct WatchTests {
  @Test(arguments: [SIGINT, SIGTERM])
  func `watching goes on until a signal`(signal: Int32) throws {
    try withStores { stores in
      let watch = try CommandProcess(
        ["sync", stores.path("a"), stores.path("b"), "--watch", "--json", "--interval", "0.2"])
      for id in 1...3 {
        stores.sql("a", "INSERT INTO tracks VALUES (\(id), 'title \(id)', 1.0, NULL)")
        let lines = [watch.nextLine(), watch.nextLine()].compactMap { $0 }.sorted()
        #expect(lines.count == 2)
        #expect(
          lines[0].hasPrefix(#"{"store":"\#(stores.path("a"))","published":{"transactions":1"#))
        #expect(lines[1].contains(#""tracks":{"inserted":[\#(id)]"#))
        for line in lines { try JSONSchema(named: "sync").check(line) }
      }
      watch.send(signal)
      let end = try watch.finish()
      #expect(end.status == 0)
      #expect(end.rest.isEmpty && end.errors.isEmpty, "\(end)")
    }
  }

  @Test func `watching ends when no store can be watched`() throws {
    try withStores { stores in
      let end = try CommandProcess(["sync", stores.path("nowhere"), "--watch"]).finish()
      #expect(end.status == 1)
      #expect(end.errors.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test func `watching ends when another process detaches the store, and says so`() throws {
    try withStores { stores in
      let watch = try CommandProcess(
        ["sync", stores.path("a"), "--watch", "--json", "--interval", "0.2"])
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(watch.nextLine()?.contains(#""published":{"transactions":1"#) == true)
      #expect(Invocation("detach", stores.path("a")).status == .done)
      let end = try watch.finish()
      #expect(end.status == 1)
      #expect(
        end.errors.hasPrefix(
          "tributary: \(stores.path("a")): the database is not attached to a container"),
        "\(end.errors)")
      #expect(end.errors.contains("run `tributary attach`"))
    }
  }

  @Test func `a command on import runs for each import, its output beside the results`() throws {
    try withStores { stores in
      let watch = try CommandProcess(
        ["sync", stores.path("b"), "--watch", "--json", "--on-import", "cat > /dev/null; echo ran"])
      for id in 1...2 {
        stores.sql("a", "INSERT INTO tracks VALUES (\(id), 'title \(id)', 1.0, NULL)")
        #expect(Invocation("sync", stores.path("a"), "-q").status == .done)
        #expect(watch.nextLine()?.contains(#""inserted":[\#(id)]"#) == true)
      }
      watch.send(SIGTERM)
      let end = try watch.finish()
      #expect(end.status == 0)
      #expect(end.errors == "ran\nran\n")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal is acted on once`(signal: Int32) throws {
    let count = Counter()
    // A thread of its own, since its mask changes.
    let thread = try WorkerThread(name: "waits") {
      // Without the thread the count stays what it is.
      guard let waiter = try? SignalWaiter({ count.increment() }) else { return }
      try? eventually { waiter.send(signal) }
      try? eventually { count.value > 0 }
      waiter.finish()
    }
    thread.join()
    #expect(count.value == 1)
  }

  @Test func `waiting ends without a signal too`() throws {
    let count = Counter()
    let thread = try WorkerThread(name: "waits") {
      // As above, the other way round.
      guard let waiter = try? SignalWaiter({ count.increment() }) else { return count.increment() }
      waiter.finish()
    }
    thread.join()
    #expect(count.value == 0)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
  }
}
