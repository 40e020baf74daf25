import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Since when the container could not be used in full, and why; kept in the store, so that whoever
/// asks for the status need not try.
public struct ContainerTrouble: Equatable, Sendable {
  /// Milliseconds since 1970.
  public var since: UInt64
  /// As `ContainerError.Code` names it.
  public var kind: String
  /// One line with the remedy, as it was when it began.
  public var reason: String
}

extension ContainerTrouble {
  /// - Returns: `nil` when the last synchronisation found nothing amiss.
  init?(reading settings: Settings) throws {
    guard let since = try settings.integer(.missingSince) else { return nil }
    self.init(
      since: UInt64(clamping: since), kind: try settings.text(.missingKind) ?? "absent",
      reason: try settings.text(.missingReason) ?? "the container is not there; mount it")
  }

  /// Whether the container itself is not to be reached, so that looking at it would find nothing, or
  /// take long.
  var isAway: Bool {
    [ContainerError.Code.absent, .wiped, .unresponsive].contains { $0.rawValue == kind }
  }

  /// Notes what has become of a synchronisation: the first moment of a trouble stays, also when the
  /// trouble changes.
  ///
  /// - Parameter failure: what is no failure of files says nothing about the container.
  static func note(
    _ failure: any Error, in settings: Settings, clock: any WallClock
  ) throws {
    let error: ContainerError
    switch failure {
    case let failure as ContainerError: error = failure
    case let failure as FileError: error = ContainerError(failure)
    default: return
    }
    // Not for each new wording: who watches the store would be woken by this write every time.
    guard try settings.text(.missingKind) != error.code.rawValue else { return }
    if try settings[.missingSince] == nil {
      try settings.set(.missingSince, .integer(Int64(clamping: clock.milliseconds())))
    }
    try settings.set(.missingKind, .string(error.code.rawValue))
    try settings.set(.missingReason, .string("\(error)"))
  }

  /// Notes that everything went well.
  static func clear(in settings: Settings) throws {
    guard try settings[.missingSince] != nil else { return }
    for key in [Settings.Key.missingSince, .missingKind, .missingReason] {
      try settings.set(key, nil)
    }
  }
}
