import CTributary
import Foundation
import Testing
import TributaryTesting

/// What a callback was given.
private final class Told: Sendable {
  let reports = Recorded<String>()
  /// What the callback does besides, with its store.
  let act: @Sendable () -> Void

  init(_ act: @escaping @Sendable () -> Void = {}) { self.act = act }

  /// Holds this for ever: a callback may come until the store is closed.
  var context: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static let importing: tributary_import_callback = { context, report in
    let told = Unmanaged<Told>.fromOpaque(context!).takeUnretainedValue()
    told.act()
    told.reports.append(String(cString: report!))
  }

  static let failing: tributary_problem_callback = { context, error in
    let told = Unmanaged<Told>.fromOpaque(context!).takeUnretainedValue()
    told.reports.append(String(cString: tributary_error_code(error)))
  }
}

struct CallbackTests {
  private func withPair(_ body: (Device, Device) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      try body(try Device(directory, "a"), try Device(directory, "b"))
    }
  }

  @Test func `each import is told before the call that made it returns`() throws {
    try withPair { a, b in
      let told = Told()
      try made { tributary_on_import(b.store, Told.importing, told.context, $0) }
      try b.synchronize()
      #expect(told.reports.all.isEmpty)
      for title in ["Blue", "Hejira"] {
        try a.write("INSERT INTO album (title) VALUES ('\(title)')")
        try a.synchronize()
        try b.synchronize()
      }
      let inserted = try told.reports.all.map { report in
        let changes = (try object(report)["imported"] as? [String: Any])?["changes"]
        return ((changes as? [String: Any])?["album"] as? [String: Any])?["inserted"] as? [Int]
      }
      #expect(inserted == [[1], [2]])
      try made { tributary_on_import(b.store, nil, nil, $0) }
      try a.write("INSERT INTO album (title) VALUES ('Mingus')")
      try a.synchronize()
      try b.synchronize()
      #expect(told.reports.all.count == 2)
    }
  }

  @Test func `the thread of a store imports what arrives, until it is stopped`() throws {
    try withPair { a, b in
      let told = Told()
      try made { tributary_on_import(b.store, Told.importing, told.context, $0) }
      for _ in 0..<2 { try made { tributary_start(b.store, nil, $0) } }
      try a.write("INSERT INTO album VALUES (1, 'Blue')")
      try a.synchronize()
      try eventually { !told.reports.all.isEmpty }
      #expect(try b.titles() == ["Blue"])
      for _ in 0..<2 { try made { tributary_stop(b.store, $0) } }
      let count = told.reports.all.count
      try a.write("INSERT INTO album VALUES (2, 'Hejira')")
      try a.synchronize()
      #expect(told.reports.all.count == count)
      try made { tributary_start(b.store, nil, $0) }
      try eventually { told.reports.all.count > count }
    }
  }

  @Test func `a callback that was taken away does not run any more`() throws {
    try withPair { a, b in
      let (running, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let told = Told {
        running.signal()
        mayEnd.wait()
      }
      try made { tributary_on_import(b.store, Told.importing, told.context, $0) }
      try made { tributary_start(b.store, nil, $0) }
      try a.write("INSERT INTO album VALUES (1, 'Blue')")
      try a.synchronize()
      running.wait()
      nonisolated(unsafe) let store = b.store
      let taken = Recorded<Int>()
      let thread = Thread {
        #expect(tributary_on_import(store, nil, nil, nil) == TRIBUTARY_OK)
        taken.append(told.reports.all.count)
      }
      thread.start()
      mayEnd.signal()
      try eventually { !taken.all.isEmpty }
      #expect(taken.all == [1])
    }
  }

  @Test func `what keeps the thread from synchronising is told`() throws {
    try withTemporaryDirectory { directory in
      let device = try Device(directory, "a")
      let told = Told()
      try made { tributary_on_problem(device.store, Told.failing, told.context, $0) }
      try FileManager.default.moveItem(
        atPath: directory + "/shared", toPath: directory + "/elsewhere")
      try made(with: ["interval", "0.05"]) { tributary_start(device.store, $0, $1) }
      try eventually { told.reports.all.first == "absent" }
    }
  }

  @Test func `a callback may use its store, and close it`() throws {
    try withPair { a, b in
      nonisolated(unsafe) let store = b.store
      let told = Told {
        #expect(tributary_sync(store, nil, nil, nil) == TRIBUTARY_OK)
        #expect(throws: Never.self) { try returned { tributary_status(store, $0, $1) } }
        #expect(tributary_close(store) == TRIBUTARY_OK)
      }
      try made { tributary_on_import(b.store, Told.importing, told.context, $0) }
      try made { tributary_start(b.store, nil, $0) }
      try a.write("INSERT INTO album VALUES (1, 'Blue')")
      try a.synchronize()
      try eventually { !told.reports.all.isEmpty }
      #expect(tributary_close(store) == TRIBUTARY_MISUSE)
    }
  }
}
