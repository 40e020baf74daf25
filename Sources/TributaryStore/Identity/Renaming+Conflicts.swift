import TributaryCore

extension Renaming {
  /// A transaction of this store, or any other one.
  func renamed(_ side: Conflict.Side) -> Conflict.Side {
    guard side.peer == former, side.sequence > last else { return side }
    var side = side
    side.peer = new
    side.sequence = SequenceNumber(side.sequence.rawValue - last.rawValue)
    return side
  }
}
