public import TributaryDocuments

/// A state that a document has entered.
struct DocumentStateNews: Accumulating {
  var state: DocumentState

  var byteCount: Int { 64 }

  mutating func append(_ later: DocumentStateNews) { state = later.state }
}

/// The states of a document from the moment you ask for them, each when it begins.
///
/// The sequence ends when the document is closed, deleted or released.
public struct DocumentStateSequence: AsyncSequence, Sendable {
  let listening: Listening<DocumentStateNews>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Listening<DocumentStateNews>.AsyncIterator

    public mutating func next() async -> DocumentState? { await base.next()?.state }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: listening.makeAsyncIterator())
  }
}
