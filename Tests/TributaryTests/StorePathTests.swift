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
}
