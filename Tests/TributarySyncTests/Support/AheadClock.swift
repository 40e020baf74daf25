import TributaryFiles

/// The clock of a device that is a little ahead: what is written there has a later time.
struct AheadClock: WallClock {
  var by: UInt64

  /// - Parameter milliseconds: how far it is ahead.
  init(milliseconds: UInt64) { by = milliseconds }

  func milliseconds() -> UInt64 { SystemClock().milliseconds() + by }
}
