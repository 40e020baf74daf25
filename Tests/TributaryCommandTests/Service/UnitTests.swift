import Foundation
import Testing
import TributaryTesting

/// The units for systemd in `tools/contrib`.
struct UnitTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "tools/contrib/systemd").path

  @Test(arguments: [
    ("system", "tributary.service"), ("user", "tributary-user.service"),
    ("system", "tributary-rclone.service"), ("system", "tributary-rclone.timer"),
    ("system", "srv-shared.mount"),
  ])
  func `systemd finds nothing wrong with them`(manager: String, name: String) throws {
    let program = "/usr/bin/systemd-analyze"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      print("\(name): systemd-analyze is not there; the unit was not verified")
      return
    }
    try withTemporaryDirectory { directory in
      // systemd looks whether the program is there.
      let unit = try String(contentsOfFile: "\(Self.directory)/\(name)", encoding: .utf8)
        .replacingOccurrences(of: "/usr/bin/tributary", with: CommandProcess.path)
        .replacingOccurrences(of: "/usr/local/bin/carry-container", with: "/usr/bin/true")
      try Data(unit.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
      // A timer without its service is wrong.
      if name.hasSuffix(".timer") {
        let service = name.replacingOccurrences(of: ".timer", with: ".service")
        try Data("[Service]\nExecStart=/usr/bin/true\n".utf8).write(
          to: URL(filePath: "\(directory)/\(service)"))
      }
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: program)
      process.arguments = ["verify", "--man=no", "--\(manager)", "\(directory)/\(name)"]
      process.standardError = output
      process.standardOutput = output
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["XDG_RUNTIME_DIR": directory]
      ) { $1 }
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let lines = String(decoding: text, as: UTF8.self)
      #expect(process.terminationStatus == 0, "\(lines)")
      #expect(!lines.contains(name + ":"), "\(lines)")
    }
  }
}
