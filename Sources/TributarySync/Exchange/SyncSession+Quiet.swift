import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Lets one session leave a mark from which the next one learns sooner that there is nothing to do.
extension SyncSession {
  /// Whether nothing has changed since the mark that the store keeps. Daily tasks are still due.
  ///
  /// - Parameter look: set to what is seen, if there are many peers. The session asks only once, before it has
  ///   found out more itself.
  func isMarkedQuiet(
    _ store: StoreLook, _ exchange: Exchange, _ look: inout QuietLook?
  ) throws -> Bool {
    guard mayBeMarked.exchange(false, ordering: .relaxed), !store.isForeign,
      let state = store.state,
      try CopyTable(exchange.connection).first() == nil
    else { return false }
    do {
      look = try QuietLook(state, exchange)
      guard let kept = try QuietMark(reading: Settings(exchange.connection)) else { return false }
      return try look?.matches(kept) == true && !isDayNew(exchange.connection)
        && !hasArrivalDue(exchange.connection)
    } catch is ContainerError {
      // The steps that need what cannot be examined report it.
    } catch is FileError {}
    return false
  }

  /// Makes the store keep a mark of what was seen before a synchronisation that found nothing to do, and
  /// nothing that the next session would have to report again.
  func keep(_ look: QuietLook?, _ report: SyncReport, _ connection: Connection) {
    guard let look, report.disagreements.isEmpty, report.outside.isEmpty, report.space == nil,
      !hasDelays.load(ordering: .relaxed), !memory.baselines.hasDamaged,
      horizon.withLock({ !$0.hasWork && !$0.hasLost && $0.unknown.isEmpty }), let mark = look.mark
    else { return }
    let settings = Settings(connection)
    // If nothing has changed, nothing is written. A mark that cannot be read or kept costs only time: without
    // one, the next session looks for itself.
    if (try? QuietMark(reading: settings)) != mark { try? mark.keep(in: settings) }
  }
}
