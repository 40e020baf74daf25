import CCounting
import TributaryMeasuring

guard tributary_counting_start() != 0 else {
  CountingProgram.fail(
    "this program cannot count: it is built with a sanitizer, or SQLite is in use")
}
CountingProgram.main {
  let counts = tributary_counting_read()
  return Counts(
    allocations: counts.allocations - counts.sqlite_allocations,
    databaseAllocations: counts.sqlite_allocations, steps: counts.sqlite_steps,
    systemCalls: counts.system_calls, syncs: counts.syncs)
}
