import FoundationEssentials
import Glibc
import TributaryCoordination

extension Contender {
  /// Says what a query over the root costs: `query ROOT`.
  func query() async throws {
    let query = try MetadataQuery(
      scopes: [.directory(url(""))], containers: [], notificationBatchingInterval: .zero)
    var events = query.events.makeAsyncIterator()
    let clock = ContinuousClock()
    let start = clock.now
    try query.start()
    _ = await events.next()
    Self.report("gathered \(query.resultCount) items in \(clock.now - start)")
    var latencies: [Duration] = []
    let before = Self.processorTime()
    for number in 0..<200 {
      let begin = clock.now
      try Data("\(number)".utf8).write(to: url("measured-\(number)"))
      while let event = await events.next() {
        if case .didUpdate(let update) = event, update.added.contains(where: { $0.size > 0 }) {
          break
        }
        if case .didUpdate(let update) = event, update.changed.contains(where: { $0.size > 0 }) {
          break
        }
      }
      latencies.append(clock.now - begin)
    }
    let spent = Self.processorTime() - before
    Self.report(
      "an update after \(latencies.sorted()[100]) (median), \(latencies.max()!) (longest)")
    Self.report("processor time for a file made and reported: \(spent / 200)")
    for number in 0..<200 { unlink("\(root)/measured-\(number)") }
    query.stop()
  }

  private static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
