extension Progress {
  /// The part of the stage that is done, from 0 to 1; `nil` if the total is not known.
  public var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(done) / Double(total))
  }
}
