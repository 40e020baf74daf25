import TributaryCore

extension Value? {
  /// Whether both are absent, or equal bit by bit.
  package func hasSameBits(as other: Value?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSameBits(as: others)
    default: false
    }
  }
}
