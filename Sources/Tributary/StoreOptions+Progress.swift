import TributarySync

extension StoreOptions {
  /// The progress of opening a store.
  public struct Progress: Hashable, Sendable {
    /// The current stage, in a word or two.
    public var stage: String
    /// How much of the stage is done; the unit depends on the stage.
    public var done: Int
    /// The total; `nil` if it is not known.
    public var total: Int?

    /// The part of the stage that is done, from 0 to 1; `nil` if the total is not known.
    public var fraction: Double? {
      guard let total, total > 0 else { return nil }
      return min(1, Double(done) / Double(total))
    }

    init(_ progress: TributarySync.Progress) {
      stage = progress.stage
      done = progress.done
      total = progress.total
    }
  }
}
