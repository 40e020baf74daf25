/// The values of a `ValueSequence` that differ from the one before.
public struct DistinctValueSequence<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  let base: ValueSequence<Value>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: ValueSequence<Value>.AsyncIterator
    var last: Value?

    public mutating func next() async throws -> Value? {
      while let value = try await base.next() {
        if value == last { continue }
        last = value
        return value
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }
}
