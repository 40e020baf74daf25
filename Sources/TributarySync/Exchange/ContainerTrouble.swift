import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Since when the container has not been fully usable, and why. It is recorded in the store, so that the
/// status can be reported without accessing the container.
public struct ContainerTrouble: Equatable, Sendable {
  /// The time when the trouble began, in milliseconds since 1970.
  public var since: UInt64
  /// The raw value of the `ContainerError.Code`.
  public var kind: String
  /// One line with the reason and the remedy, as they were when the trouble began.
  public var reason: String
}

extension ContainerTrouble {
  /// Reads the recorded trouble.
  ///
  /// - Returns: `nil` if the last synchronisation found nothing wrong.
  init?(reading settings: Settings) throws {
    guard let since = try settings.integer(.missingSince) else { return nil }
    self.init(
      since: UInt64(clamping: since), kind: try settings.text(.missingKind) ?? "absent",
      reason: try settings.text(.missingReason) ?? "the container is not there; mount it")
  }

  /// Whether the container itself is unreachable, so that examining it would find nothing or take a long
  /// time.
  var isAway: Bool {
    [ContainerError.Code.absent, .wiped, .unresponsive].contains { $0.rawValue == kind }
  }

  /// Records the outcome of a synchronisation. The time when the trouble began stays, even if the trouble
  /// changes.
  ///
  /// - Parameter failure: an error that does not concern files says nothing about the container.
  static func note(
    _ failure: any Error, in settings: Settings, clock: any WallClock
  ) throws {
    let error: ContainerError
    switch failure {
    case let failure as ContainerError: error = failure
    case let failure as FileError: error = ContainerError(failure)
    default: return
    }
    // Different wording alone is not recorded: each such write would wake the processes that watch the store.
    guard try settings.text(.missingKind) != error.code.rawValue else { return }
    if try settings[.missingSince] == nil {
      try settings.set(.missingSince, .integer(Int64(clamping: clock.milliseconds())))
    }
    try settings.set(.missingKind, .string(error.code.rawValue))
    try settings.set(.missingReason, .string("\(error)"))
  }

  /// Records that everything went well.
  static func clear(in settings: Settings) throws {
    guard try settings[.missingSince] != nil else { return }
    for key in [Settings.Key.missingSince, .missingKind, .missingReason] {
      try settings.set(key, nil)
    }
  }
}
