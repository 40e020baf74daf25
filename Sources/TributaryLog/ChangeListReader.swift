/// Iterates over concatenated insert, update and delete items in borrowed memory.
///
/// Made for the records that a database keeps: trusted, but checked all the same. That updates have
/// their key columns is left to the one who decodes them.
@frozen public struct ChangeListReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer

  @usableFromInline var position = 0

  /// Where the next item begins, in bytes.
  @inlinable public var offset: Int { position }

  /// - Parameter bytes: must outlive the reader and the changes that it hands out.
  @inlinable public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next change; `nil` at the end of the bytes.
  ///
  /// - Parameter layout: what is known of a shape; `nil` makes its changes malformed.
  /// - Complexity: O(columns).
  @inlinable public mutating func next(
    layout: (UInt32) -> ShapeLayout?
  ) throws(LogError) -> ChangeView? {
    guard offset < bytes.count else { return nil }
    let (operation, id, start) = try head()
    guard let layout = layout(id) else { throw unknownShape(id) }
    let end = try self.end(of: operation, layout: layout, from: start)
    let image = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    position = end
    return ChangeView(operation: operation, shapeID: id, image: image)
  }

  /// The head of the item at `offset`, and where its image begins.
  @usableFromInline func head() throws(LogError) -> (ChangeOperation, UInt32, Int) {
    guard let operation = ChangeOperation(rawValue: bytes[offset]) else {
      throw LogError(.malformed, "\(bytes[offset]) is not a change", at: UInt64(offset))
    }
    var cursor = ByteCursor(bytes, from: offset + 1)
    return (operation, try cursor.identifier(), cursor.offset)
  }

  @usableFromInline func end(
    of operation: ChangeOperation, layout: ShapeLayout, from start: Int
  ) throws(LogError) -> Int {
    var walk = ImageWalk(offset: start, remaining: layout.valueCount(of: operation))
    // Not empty: there is at least the head.
    let needed = try walk.run(
      over: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count,
      allowsAbsent: operation == .update)
    guard needed == 0 else {
      throw LogError(.truncated, "a change ends inside its row image", at: UInt64(offset))
    }
    return walk.offset
  }

  @usableFromInline @inline(never) func unknownShape(_ id: UInt32) -> LogError {
    LogError(.malformed, "shape \(id) is not defined", at: UInt64(offset))
  }
}
