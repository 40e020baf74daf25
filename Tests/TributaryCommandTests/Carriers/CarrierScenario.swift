import Foundation
import Glibc
import Testing
import TributaryTesting

/// A scenario with a real carrier: a script in `Tests/Carriers`, with namespaces of its own.
struct CarrierScenario {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Carriers").path

  /// Whether the long ones run, too: with `tools/carriers`.
  static let all = ProcessInfo.processInfo.environment["TRIBUTARY_CARRIERS"] != nil

  static let skippedUnlessAll: Comment = "a long one, which tools/carriers runs"
  static let skippedWithoutNamespaces: Comment = """
    no carrier is tried: this system allows no namespaces for mounts, processes and a loopback, or \
    lacks unshare or ip
    """

  /// Whether scripts may have namespaces of their own here.
  static let canIsolate: Bool = {
    let user = getuid() == 0 ? "" : "--map-root-user"
    let attempt = try? Shell(
      """
      unshare \(user) --mount --net --pid --fork --kill-child --mount-proc -- \
        sh -c 'ip link set lo up && mount -t tmpfs none /mnt'
      """
    ).finish()
    return attempt?.status == 0
  }()

  /// Runs one in a directory with a space and more than ASCII in its name.
  static func run(_ name: String) async throws {
    try await withTemporaryDirectory { directory in
      let place = directory + "/gé räte"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let begin = ContinuousClock.now
      let end = try await finish(name, in: place)
      #expect(end.status == 0, "\(name): \(end.output)")
      guard all else { return }
      // For the table of tools/carriers.
      let took = String(format: "%.1f s", (ContinuousClock.now - begin) / .seconds(1))
      print("CARRIER\t\(name)\t\(end.status == 0 ? "passed" : "FAILED")\t\(took)")
      for line in end.output.split(separator: "\n") where line.hasPrefix("RESULT: ") {
        print("CARRIER\t\t\(line.dropFirst(8))")
      }
    }
  }

  /// Not on a thread of the tests, of which there are few: a scenario spends its time with waiting.
  private static func finish(
    _ name: String, in place: String
  ) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try Shell(
              "exec \"$0\" \"$1\" \"$2\" \"$3\"", directory + "/run", CommandProcess.path, place,
              name
            ).finish()
          })
      }
    }
  }
}
