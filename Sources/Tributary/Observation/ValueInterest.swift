import Synchronization
import TributaryCore
import TributaryStore

/// What one reader of values waits for. It takes the space of one value, however much changes.
final class ValueInterest: Sendable {
  private struct State {
    /// What the last value depends on; `nil` while it is being read.
    var region: ReadRegion?
    /// What has changed while the value is being read.
    var meanwhile = Meanwhile()
    var isDue = true
  }

  private struct Meanwhile {
    var tables: Set<SQLName> = []
    var unreplicated = false
    var everything = false
  }

  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation

  init(_ wake: AsyncStream<Void>.Continuation) { self.wake = wake }

  deinit { wake.finish() }

  /// Calls `body` when the reader has gone.
  func onTermination(_ body: @escaping @Sendable () -> Void) {
    wake.onTermination = { _ in body() }
  }

  /// Starts reading if there is anything new to read.
  ///
  /// - Returns: whether there is.
  func takeDue() -> Bool {
    state.withLock { state in
      guard state.isDue else { return false }
      state.isDue = false
      state.region = nil
      state.meanwhile = Meanwhile()
      return true
    }
  }

  /// Ends reading.
  ///
  /// - Parameter region: what the value depends on.
  func depend(on region: ReadRegion) {
    state.withLock { state in
      state.region = region
      let news = state.meanwhile
      state.isDue =
        news.everything || news.unreplicated && region.hasUnreplicatedTables
        || region.contains(anyOf: news.tables)
    }
  }

  /// Notes a change of some tables.
  ///
  /// - Parameter unreplicated: whether tables that are not replicated may have changed, too.
  func note(_ change: StoreChange, unreplicated: Bool) {
    let isNews = state.withLock { state -> Bool in
      guard let region = state.region else {
        state.meanwhile.everything = state.meanwhile.everything || change.mayHaveChangedEverything
        state.meanwhile.unreplicated = state.meanwhile.unreplicated || unreplicated
        state.meanwhile.tables.formUnion(change.tables.keys)
        state.meanwhile.tables.formUnion(change.tablesWithUnlistedRows)
        return false
      }
      guard !state.isDue,
        change.mayHaveChangedEverything || unreplicated && region.hasUnreplicatedTables
          || region.contains(anyOf: change.tables.keys)
          || region.contains(anyOf: change.tablesWithUnlistedRows)
      else { return false }
      state.isDue = true
      return true
    }
    if isNews { wake.yield() }
  }

  func end() { wake.finish() }
}
