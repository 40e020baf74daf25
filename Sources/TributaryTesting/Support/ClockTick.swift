import Glibc
internal import TributaryFiles

/// Returns when the clock of this machine shows a later time than at the call. Anything written then is later
/// than everything written before, on any device. Within the same millisecond, the authors would decide the
/// order.
package func awaitClockTick() {
  let clock = SystemClock()
  let start = clock.milliseconds()
  while clock.milliseconds() <= start { usleep(100) }
}
