/// Iterates over concatenated insert, update and delete items in borrowed memory.
///
/// It is made for the records that a database keeps, which are trusted but still checked. The
/// decoder of an update must check that the update has its key columns.
@usableFromInline @frozen package struct ChangeListReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer

  @usableFromInline var position = 0

  /// The position of the next item, in bytes.
  @inlinable package var offset: Int { position }

  /// Makes a reader.
  ///
  /// - Parameter bytes: must outlive the reader and the changes that it returns.
  @inlinable package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the next change; `nil` at the end of the bytes.
  ///
  /// - Parameter layout: returns the layout of a shape; `nil` makes the shape's changes malformed.
  /// - Complexity: O(columns).
  @inlinable package mutating func next(
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

  /// Returns the head of the item at `offset`, and the position of its image.
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
    // The buffer is not empty: it contains at least the head.
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
