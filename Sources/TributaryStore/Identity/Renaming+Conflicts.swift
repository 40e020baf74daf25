import TributaryCore

extension Renaming {
  /// Returns a transaction of this store, or of any other, under its present name.
  func renamed(_ side: Conflict.Side) -> Conflict.Side {
    guard side.peer == former, side.sequence > last else { return side }
    var side = side
    side.peer = new
    side.sequence = SequenceNumber(side.sequence.rawValue - last.rawValue)
    return side
  }
}
