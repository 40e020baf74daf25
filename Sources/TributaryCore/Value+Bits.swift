extension Value {
  /// Whether both are of one type and equal to the bit: 1 and 1.0 differ, and so do 0.0 and -0.0.
  public func hasSameBits(as other: Value) -> Bool {
    if case .real(let a) = self, case .real(let b) = other { return a.bitPattern == b.bitPattern }
    return self == other
  }
}
