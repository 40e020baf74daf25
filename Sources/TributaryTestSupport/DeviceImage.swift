import Foundation
import Synchronization

/// The files of a device as they are at one moment.
final class DeviceImage: Sendable {
  private let device: TestDevice
  /// Whether it has the container too.
  private let includesContainer: Bool
  private let failure = Mutex<(any Error)?>(nil)

  private static let suffix = ".killed"

  init(of device: TestDevice, includingContainer includesContainer: Bool) {
    self.device = device
    self.includesContainer = includesContainer
  }

  /// Copies the files. What goes wrong, `restore` throws.
  func take() {
    do {
      // SQLite makes the index of the log anew.
      for path in try originals() where !path.hasSuffix("-shm") {
        try FileManager.default.copyItem(atPath: path, toPath: path + Self.suffix)
      }
    } catch {
      failure.withLock { $0 = error }
    }
  }

  /// Makes the files what they were; nothing may use them.
  func restore() throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
    for path in try originals() { try FileManager.default.removeItem(atPath: path) }
    for copy in try copies() {
      try FileManager.default.moveItem(
        atPath: copy, toPath: String(copy.dropLast(Self.suffix.count)))
    }
  }

  private func originals() throws -> [String] {
    let database = try files().filter { !$0.hasSuffix(Self.suffix) }
    return database + (includesContainer ? [device.container] : [])
  }

  private func copies() throws -> [String] {
    try files().filter { $0.hasSuffix(Self.suffix) }
      + (includesContainer ? [device.container + Self.suffix] : [])
  }

  /// The database and what is beside it.
  private func files() throws -> [String] {
    let (directory, name) = (
      (device.path as NSString).deletingLastPathComponent,
      (device.path as NSString).lastPathComponent
    )
    return try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { $0 == name || $0.hasPrefix(name + "-") || $0.hasPrefix(name + ".") }
      .map { directory + "/" + $0 }
  }
}
