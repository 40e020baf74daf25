import TributaryStore

/// What a read returns, now and again whenever tables that it depends on change; see `Store.values`.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  let local: LocalStore
  let observation: StoreObservation
  let turns: Turns
  let tables: [String]?
  let body: @Sendable (Database) throws -> Value

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let sequence: ValueSequence
    private let interest: ValueInterest
    private var wakes: AsyncStream<Void>.AsyncIterator
    private var isEnded = false

    init(_ sequence: ValueSequence) {
      self.sequence = sequence
      let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      interest = ValueInterest(wake)
      self.wakes = wakes.makeAsyncIterator()
      sequence.observation.add(interest)
    }

    /// Returns the current value if it has not been returned yet or its tables have changed; otherwise waits.
    ///
    /// - Returns: `nil` once the store is closed or the task is cancelled.
    public mutating func next() async throws -> Value? {
      while !isEnded, !Task.isCancelled {
        if interest.takeDue() {
          do {
            return try await sequence.value(for: interest)
          } catch {
            isEnded = true
            interest.end()
            if error is CancellationError, Task.isCancelled { return nil }
            if let error = error as? StoreError, error.code == .closed { return nil }
            throw error
          }
        }
        if await wakes.next() == nil { isEnded = true }
      }
      isEnded = true
      interest.end()
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  private func value(for interest: ValueInterest) async throws -> Value {
    let (local, tables, body) = (local, tables, body)
    return try await Blocking.run(in: turns) { cancellation in
      var region = ReadRegion()
      let value: Value
      if let tables {
        region = try local.region(of: tables)
        value = try local.read(heeding: cancellation, body)
      } else {
        value = try local.read(recording: &region, heeding: cancellation, body)
      }
      interest.depend(on: region)
      return value
    }
  }
}

extension ValueSequence where Value: Equatable {
  /// Returns a sequence without values that are equal to the one before.
  public func removeDuplicates() -> DistinctValueSequence<Value> {
    DistinctValueSequence(base: self)
  }
}
