/// A segment that was written to its end, with the sink that it was written to.
public struct FinishedSegment<Sink: ByteSink & ~Copyable>: ~Copyable {
  public let summary: SegmentSummary
  public var sink: Sink

  /// The sink alone.
  public consuming func takeSink() -> Sink { sink }
}

extension FinishedSegment: Sendable where Sink: Sendable & ~Copyable {}
