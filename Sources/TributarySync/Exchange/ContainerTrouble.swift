import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Since when the container could not be used fully, and why. It is recorded in the store, so that
/// the status can be reported without trying.
public struct ContainerTrouble: Equatable, Sendable {
  /// The time when the trouble began, in milliseconds since 1970.
  public var since: UInt64
  /// The raw value of the `ContainerError.Code`.
  public var kind: String
  /// One line with the remedy, as it was when the trouble began.
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

  /// Whether the container itself is unreachable, so that examining it would find nothing, or take long.
  var isAway: Bool {
    [ContainerError.Code.absent, .wiped, .unresponsive].contains { $0.rawValue == kind }
  }

  /// Records the outcome of a synchronisation. The first moment of a trouble stays, even if the
  /// trouble changes.
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
    // Not for each new wording: this write would wake those who watch the store every time.
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
