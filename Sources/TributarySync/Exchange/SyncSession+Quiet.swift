import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore

/// What one session leaves for the next one, so that it finds out sooner that there is nothing to do.
extension SyncSession {
  /// Whether nothing has changed since the mark that the store keeps. What is to be done once a day is still to be done.
  ///
  /// - Parameter mark: is set to what is seen, if something has changed. The session asks only once, before it knows more
  ///   itself.
  func isMarkedQuiet(
    _ store: StoreLook, _ exchange: Exchange, _ mark: inout QuietMark?
  ) throws -> Bool {
    guard mayBeMarked.exchange(false, ordering: .relaxed), !store.isForeign,
      let state = store.state,
      try CopyTable(exchange.connection).first() == nil
    else { return false }
    do {
      guard let look = try QuietLook(state, exchange) else { return false }
      let kept = try QuietMark(reading: Settings(exchange.connection))
      if let kept, try look.matches(kept), try !isDayNew(exchange.connection) { return true }
      mark = try look.mark()
    } catch is ContainerError {
      // The steps that need what cannot be examined report it.
    } catch is FileError {}
    return false
  }

  /// Has the store keep a mark of what was seen before a synchronisation that found nothing to do, and nothing that the
  /// next session would have to say again.
  func keep(_ mark: QuietMark?, _ report: SyncReport, _ connection: Connection) {
    guard let mark, report.disagreements.isEmpty, report.outside.isEmpty, report.space == nil,
      !hasDelays.load(ordering: .relaxed), !memory.baselines.hasDamaged,
      horizon.withLock({ !$0.hasWork && !$0.hasLost && $0.unknown.isEmpty })
    else { return }
    let settings = Settings(connection)
    // Where nothing changes, nothing is written. A mark that cannot be read or kept costs time alone: without one, the
    // next session looks for itself.
    if (try? QuietMark(reading: settings)) != mark { try? mark.keep(in: settings) }
  }
}
