import Foundation
import Testing
import Tributary
import TributaryTesting

struct CarrierTests {
  @Test
  func `a segment cut short is set aside by name, and imported when it is whole`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      let c = try await devices.open("c")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try c.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
      try a.synchronizeNow()
      try c.synchronizeNow()
      let segment = try #require(try devices.segments(of: a.peer).first)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: segment))
      for length in [0, 1, 50, bytes.count - 1] {
        try bytes.prefix(length).write(to: URL(fileURLWithPath: segment))
        let report = try b.synchronizeNow()
        #expect(report.arriving.map(\.path) == [segment])
        #expect(report.damaged.isEmpty)
        #expect(try b.rows("SELECT id FROM album") == ["2"])
      }
      try bytes.write(to: URL(fileURLWithPath: segment))
      #expect(try b.synchronizeNow().arriving.isEmpty)
      #expect(try b.rows("SELECT id FROM album ORDER BY id") == ["1", "2"])
    }
  }

  @Test
  func `a segment that has disappeared is published again, byte for byte`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      for id in 1...3 {
        try a.execute("INSERT INTO album VALUES (\(id), 'Album \(id)', NULL)")
        try a.synchronizeNow()
      }
      let segments = try devices.segments(of: a.peer)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: segments[1]))
      try FileManager.default.removeItem(atPath: segments[1])
      let report = try a.synchronizeNow()
      #expect(report.published.segments == 1)
      #expect(try devices.segments(of: a.peer) == segments)
      #expect(try Data(contentsOf: URL(fileURLWithPath: segments[1])) == bytes)
    }
  }

  @Test
  func `without the container the store works on, and nothing is written to an empty mount point`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let shared = devices.container.path
      try FileManager.default.moveItem(atPath: shared, toPath: shared + ".away")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      #expect(try a.synchronizeNow().failure != nil)
      try FileManager.default.createDirectory(
        atPath: shared, withIntermediateDirectories: false)
      let failure = try a.synchronizeNow().failure as? ContainerError
      #expect(failure?.code == .wiped)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shared).isEmpty)
      #expect(try a.status().unpublished == 1)
      #expect(try a.status().findings.first?.contains("has been away since") == true)
      try FileManager.default.removeItem(atPath: shared)
      try FileManager.default.moveItem(atPath: shared + ".away", toPath: shared)
      #expect(try a.synchronizeNow().published.transactions == 1)
      #expect(try a.status().findings.isEmpty)
    }
  }

  @Test
  func `no file in the container is a database`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      try a.execute("INSERT INTO album VALUES (1, 'SQLite format 3', NULL)")
      try a.synchronizeNow()
      for name in try devices.listing().keys {
        let file = try? Data(contentsOf: URL(fileURLWithPath: "\(devices.container.path)/\(name)"))
        #expect(file?.starts(with: Data("SQLite format 3\0".utf8)) != true)
      }
      await #expect(throws: ContainerError.self) {
        _ = try await devices.open("shared/inside")
      }
    }
  }

  @Test
  func `what a killed publisher has left is removed when it is old`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let log = "\(devices.container.path)/tributary/Library/peers/\(a.peer)/log"
      let old = "\(log)/.tmp-\(UInt64.random(in: 0 ... .max))"
      let young = "\(log)/.tmp-\(UInt64.random(in: 0 ... .max))"
      for path in [old, young] {
        try Data("half a segment".utf8).write(to: URL(fileURLWithPath: path))
      }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: old)
      try a.synchronizeNow()
      #expect(try devices.segments(of: a.peer) == [young])
    }
  }
}
