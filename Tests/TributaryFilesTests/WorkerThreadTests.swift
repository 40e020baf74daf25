import Glibc
import Synchronization
import Testing
import TributaryFiles

struct WorkerThreadTests {
  @Test func `a thread runs its work under its name, and can be joined twice`() throws {
    let found = Mutex("")
    let thread = try WorkerThread(name: "tributary-wächter-lang") {
      let name = try? LocalFileSystem().read("/proc/thread-self/comm", limit: 100)
      found.withLock { $0 = String(decoding: name ?? [], as: UTF8.self) }
    }
    thread.join()
    thread.join()
    #expect(thread.name == "tributary-wäch")
    #expect(found.withLock { $0 } == thread.name + "\n")
  }

  @Test func `a thread that nobody joins runs to its end`() throws {
    let watcher = try Watcher()
    _ = try WorkerThread(name: "alone") { watcher.wake() }
    #expect(try watcher.wait(timeoutMilliseconds: nil).woken)
  }

  @Test func `several threads may wait for one`() throws {
    let watcher = try Watcher()
    let slow = try WorkerThread(name: "slow") { _ = try? watcher.wait(timeoutMilliseconds: nil) }
    let waiting = try (0..<3).map { _ in try WorkerThread(name: "waiting") { slow.join() } }
    watcher.wake()
    for thread in waiting { thread.join() }
  }

  @Test func `signals of the process go elsewhere`() throws {
    let blocked = Mutex<[Int32]>([])
    let thread = try WorkerThread(name: "masked") {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      let found = [SIGINT, SIGTERM, SIGHUP, SIGSEGV].filter { sigismember(&mask, $0) == 1 }
      blocked.withLock { $0 = found }
    }
    thread.join()
    #expect(blocked.withLock { $0 } == [SIGINT, SIGTERM, SIGHUP])
  }
}
