import Foundation
import Testing
import TributaryTesting

struct ContainerCommandTests {
  /// A device with a directory of its own.
  private struct Device {
    let directory: String

    func run(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      let run = try CommandProcess(
        words,
        environment: [
          "TRIBUTARY_CONTAINERS": directory + "/shared", "TRIBUTARY_DATA": directory + "/data",
        ]
      ).finish()
      return (run.status, run.rest, run.errors)
    }
  }

  private func withDevice(_ body: (Device) throws -> Void) throws {
    try withTemporaryDirectory { try body(Device(directory: $0)) }
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test func `url prints the path of a container and makes it`() throws {
    try withDevice { device in
      let run = try device.run("container", "url", "iCloud.com.example.App")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output == device.directory + "/shared/iCloud~com~example~App\n")
      #expect(
        FileManager.default.fileExists(
          atPath: device.directory + "/shared/iCloud~com~example~App/Documents"))
      let wrong = try device.run("container", "url", "com.example.App")
      #expect(wrong.status == 1)
      #expect(lines(wrong.errors).count == 1)
      #expect(try device.run("container", "url").status == 2)
    }
  }

  @Test func `entitlements name the main container and are obeyed`() throws {
    try withDevice { device in
      let file = device.directory + "/App.entitlements"
      let key = "com.apple.developer.icloud-container-identifiers"
      try PropertyListSerialization.data(
        fromPropertyList: [key: ["iCloud.com.example.App", "iCloud.com.example.*"]], format: .xml,
        options: 0
      ).write(to: URL(filePath: file))
      let main = try device.run("container", "url", "--entitlements", file)
      #expect(main.output.hasSuffix("/iCloud~com~example~App\n"))
      let other = try device.run("container", "url", "TEAMID1234.x", "--entitlements", file)
      #expect(other.status == 1)
      #expect(other.errors.contains("is not granted"))
      _ = try device.run("container", "url", "TEAMID1234.x")
      #expect(lines(try device.run("container", "list").output).count == 3)
      #expect(
        lines(try device.run("container", "list", "--entitlements", file, "--json").output).count
          == 1)
    }
  }

  @Test func `list, storage, disable, enable and delete do what they say`() throws {
    try withDevice { device in
      let path = try #require(
        lines(try device.run("container", "url", "iCloud.com.example.App").output).first)
      try Data(count: 7).write(to: URL(filePath: path + "/Documents/a"))
      #expect(try device.run("container", "disable", "iCloud.com.example.App").status == 0)
      let list = try device.run("container", "list", "--json").output
      try JSONSchema(named: "container").check(#require(lines(list).first))
      #expect(list.contains(#""state":"disabled""#))
      let url = try device.run("container", "url", "iCloud.com.example.App")
      #expect(url.status == 1)
      #expect(url.errors.contains("container enable iCloud.com.example.App"))
      #expect(try device.run("container", "enable", "iCloud.com.example.App").status == 0)
      let storage = try device.run("container", "storage", "--json").output
      try JSONSchema(named: "container-storage").check(#require(lines(storage).first))
      #expect(storage.contains(#""documents":[{"name":"a","bytes":7}]"#))
      #expect(try device.run("container", "delete", "iCloud.com.example.App").status == 2)
      #expect(FileManager.default.fileExists(atPath: path + "/Documents/a"))
      #expect(try device.run("container", "delete", "iCloud.com.example.App", "--yes").status == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try device.run("container", "delete", "iCloud.com.example.App", "--yes").status == 1)
    }
  }
}
