/// A segment that was written to its end, together with its sink.
public struct FinishedSegment<Sink: ByteSink & ~Copyable>: ~Copyable {
  public let summary: SegmentSummary
  public var sink: Sink

  /// Returns the sink alone.
  public consuming func takeSink() -> Sink { sink }
}

extension FinishedSegment: Sendable where Sink: Sendable & ~Copyable {}
