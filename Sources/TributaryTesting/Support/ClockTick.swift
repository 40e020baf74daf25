import Glibc
internal import TributaryFiles

/// Returns when the clock of this machine shows a later time than at the call: what is written then is later than
/// all that was written before, on whatever device. Of one millisecond, the authors would decide.
package func awaitClockTick() {
  let clock = SystemClock()
  let start = clock.milliseconds()
  while clock.milliseconds() <= start { usleep(100) }
}
