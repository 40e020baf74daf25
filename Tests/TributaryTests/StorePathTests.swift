import Foundation
import Testing
import Tributary
import TributaryTesting

struct StorePathTests {
  @Test(arguments: ["", ":memory:", "file:x.db", "file:///x.db?mode=memory", "x\0y.db", "x/"])
  func `what is no path of a file is refused by name, and no file is made`(
    path: String
  ) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let before = try devices.listing()
      let here = try FileManager.default.contentsOfDirectory(atPath: ".").sorted()
      let error = await #expect(throws: StoreError.self) {
        var options = StoreOptions(
          contentName: "Library", container: devices.container, schema: Devices.schema)
        options.synchronizesAutomatically = false
        _ = try await Store.open(at: path, options: options)
      }
      #expect(error?.code == .path)
      #expect(error?.path == path)
      #expect(error?.remedy.contains("name a file") == true || error?.remedy.contains("./") == true)
      #expect(try devices.listing() == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: ".").sorted() == here)
    }
  }

  @Test
  func `a relative path is that of one file, wherever the process goes later`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let here = FileManager.default.currentDirectoryPath
      let way = here.split(separator: "/").map { _ in "../" }.joined() + directory.dropFirst()
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      let store = try await Store.open(at: way + "/a.sqlite", options: options)
      defer { store.close() }
      #expect(store.path == "\(here)/\(way)/a.sqlite")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      let reader = try StoreReader(at: way + "/a.sqlite")
      defer { reader.close() }
      #expect(reader.path == store.path)
      #expect(try reader.read { try $0.query(Int.self, "SELECT count(*) FROM album") } == [1])
      var values = KeyValueStoreOptions(identifier: "com.example.a", container: devices.container)
      values.synchronizesAutomatically = false
      let settings = try await KeyValueStore.open(at: way + "/settings.sqlite", options: values)
      #expect(settings.path == "\(here)/\(way)/settings.sqlite")
      try settings.close()
    }
  }

  @Test func `a container without a path is refused in words that say so`() {
    let empty = #expect(throws: ContainerError.self) { try Container(at: "") }
    #expect(
      empty?.description == "the path of the container is empty; name the shared directory")
    let cut = #expect(throws: ContainerError.self) { try Container(at: "/srv\0/shared") }
    #expect(cut?.message == "the path of the container contains a NUL character")
  }
}
