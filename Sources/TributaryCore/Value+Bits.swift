extension Value {
  /// Whether both values have the same type and equal bits: 1 and 1.0 differ, and so do 0.0 and
  /// -0.0.
  public func hasSameBits(as other: Value) -> Bool {
    if case .real(let a) = self, case .real(let b) = other { return a.bitPattern == b.bitPattern }
    return self == other
  }
}
