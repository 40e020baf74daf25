import Foundation
import Testing
import Tributary
import TributaryTesting

/// Options that differ from those with which a store was opened before: each is applied, or refused by name.
struct ReopeningOptionTests {
  private func options(_ container: Container, _ change: (inout StoreOptions) -> Void = { _ in })
    -> StoreOptions
  {
    var options = StoreOptions(contentName: "Library", container: container, schema: Devices.schema)
    options.synchronizesAutomatically = false
    change(&options)
    return options
  }

  @Test func `a container may move, and be spelled otherwise`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let path = devices.path("a")
      try await Store.open(at: path, options: options(devices.container)).close()
      let place = devices.container.path
      let link = directory + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place)
      for other in [
        try Container(at: link), try Container(at: place + "/../shared/"),
        Container(expectedAt: place + "/"), Container(expectedAt: link),
      ] {
        let store = try await Store.open(at: path, options: options(other))
        #expect(try store.status().identity.container == place)
        store.close()
      }
      try FileManager.default.moveItem(atPath: place, toPath: directory + "/moved")
      let store = try await Store.open(
        at: path, options: options(try Container(at: directory + "/moved")))
      defer { store.close() }
      #expect(try store.status().identity.container == directory + "/moved")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      #expect(try store.synchronizeNow().published.transactions == 1)
    }
  }

  @Test func `another container, content name or content root is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let path = devices.path("a")
      try await Store.open(at: path, options: options(devices.container)).close()
      try FileManager.default.createDirectory(
        atPath: directory + "/other", withIntermediateDirectories: false)
      let other = try Container(at: directory + "/other")
      for refused in [
        options(other), options(Container(expectedAt: directory + "/gone")),
        options(devices.container) { $0.contentName = "Films" },
        options(devices.container) { $0.contentRoot = "elsewhere" },
      ] {
        let error = await #expect(throws: SyncError.self) {
          _ = try await Store.open(at: path, options: refused)
        }
        #expect(error?.code == .differentlyAttached && error?.remedy.isEmpty == false)
      }
      let store = try await Store.open(
        at: path, options: options(devices.container) { $0.contentRoot = "tributary" })
      store.close()
    }
  }

  @Test func `tables and the name of the device change`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let path = devices.path("a")
      try await Store.open(at: path, options: options(devices.container)).close()
      let store = try await Store.open(
        at: path,
        options: options(devices.container) {
          $0.peerName = "kitchen"
          $0.tables = .except(["track"])
        })
      defer { store.close() }
      try store.execute("INSERT INTO track VALUES (1, NULL, 'x')")
      #expect(try store.synchronizeNow().published.transactions == 0)
      let manifest = "\(devices.container.path)/tributary/Library/peers/\(store.peer)/peer.json"
      #expect(try String(contentsOfFile: manifest, encoding: .utf8).contains("kitchen"))
      let error = await #expect(throws: (any Error).self) {
        _ = try await Store.open(
          at: path, options: options(devices.container) { $0.tables = .only(["nothing"]) })
      }
      #expect("\(error!)".contains("nothing"))
    }
  }
}
