/// A segment that was written to its end, together with its sink.
package struct FinishedSegment<Sink: ByteSink & ~Copyable>: ~Copyable {
  package let summary: SegmentSummary
  package var sink: Sink

  /// Returns the sink alone.
  package consuming func takeSink() -> Sink { sink }
}

extension FinishedSegment: Sendable where Sink: Sendable & ~Copyable {}
