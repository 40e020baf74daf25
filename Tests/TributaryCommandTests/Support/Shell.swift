import Foundation
import Glibc

/// A script of bash, perhaps in a mount namespace of its own, where it may mount what it likes.
final class Shell {
  private let process = Process()
  private let output = Pipe()

  /// - Parameters:
  ///   - words: `$0`, `$1` and so on.
  ///   - mounting: whether it has a mount namespace of its own.
  init(_ script: String, _ words: String..., mounting: Bool = false) throws {
    let shell = ["bash", "-c", script] + words
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = mounting ? ["unshare"] + Self.options + shell : shell
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  private static var options: [String] { getuid() == 0 ? ["-m"] : ["-r", "-m"] }

  var isRunning: Bool { process.isRunning }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end.
  func finish() throws -> (status: Int32, output: String) {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// Whether there is such a command here.
  static func has(_ command: String) -> Bool {
    // Where not even a shell runs, no command does.
    (try? Shell("command -v \"$0\"", command).finish())?.status == 0
  }

  /// Whether scripts may mount file systems here: neither every system nor every container lets
  /// them.
  static let canMount: Bool = {
    let attempt = try? Shell("mount -t tmpfs none /mnt && umount /mnt", mounting: true).finish()
    return attempt?.status == 0
  }()

  /// Whether they may also mount one whose program does not answer.
  static let canMountHanging: Bool = {
    guard canMount else { return false }
    let attempt = try? Shell(
      "python3 -c \"import os; os.open('/dev/fuse', os.O_RDWR)\"", mounting: true
    ).finish()
    return attempt?.status == 0
  }()
}
