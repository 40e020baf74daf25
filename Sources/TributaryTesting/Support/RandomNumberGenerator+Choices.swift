extension RandomNumberGenerator {
  /// Returns true once in `n` times, on average.
  package mutating func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

  /// Returns one of the elements.
  ///
  /// - Precondition: there is at least one element, and their order does not change from run to
  ///   run.
  package mutating func pick<Choices: RandomAccessCollection>(
    _ choices: Choices
  ) -> Choices.Element {
    choices.randomElement(using: &self)!
  }

  /// Returns a number of the range.
  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns any bytes.
  package mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
