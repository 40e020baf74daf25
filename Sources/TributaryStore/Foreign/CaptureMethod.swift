import TributaryCore
import TributarySQLite

/// How writes to a store are captured.
///
/// With either method, a hook of the connection captures writes through `LocalStore`.
public enum CaptureMethod: String, Sendable {
  /// Captures only writes through `LocalStore`. What other programs write is found by comparing the store
  /// with the logs.
  case hook
  /// Also captures the writes of other programs, by plain triggers in the store.
  case triggers
}

extension Settings {
  /// Returns how writes are captured.
  package func captureMethod() throws -> CaptureMethod {
    try text(.capture).flatMap(CaptureMethod.init(rawValue:)) ?? .hook
  }
}

extension LocalStore {
  /// Returns how writes are captured.
  package func captureMethod() throws -> CaptureMethod {
    try service { try Settings($0).captureMethod() }
  }

  /// Chooses how writes are captured from now on. The next synchronisation finds what other programs have
  /// written until now.
  package func choose(_ method: CaptureMethod) throws {
    guard try captureMethod() != method else { return }
    try recordForeignWrites()
    try service { connection in
      try connection.immediate {
        let selection = try TableSelection(connection)
        try ForeignCapture(connection).choose(
          method, ReplicatedSchema(connection, selection: selection), isComplete: false)
      }
    }
  }
}
