import TributaryCore

extension SegmentDecoder {
  /// Returns the next change of the transaction, or its end.
  mutating func findChange() throws(LogError) -> Step<ChangeView> {
    while true {
      if window.count < wanted, !decompressor.isFinished {
        guard try fillWindow() else { return .needsInput }
      }
      do throws(LogError) {
        let count = window.count
        let base = window.base
        var change: PendingChange
        if let pending {
          change = pending
        } else {
          guard count > 0 else { throw LogError(.truncated, "a transaction has no end", at: 0) }
          let code = base.load(as: UInt8.self)
          guard let operation = ChangeOperation(rawValue: code) else {
            guard code == ItemCode.end else {
              throw LogError(.malformed, "item \(code) in a transaction", at: 0)
            }
            try endTransaction()
            return .end
          }
          change = try beginChange(operation)
        }
        let needed = try change.walk.run(
          over: base, count: count, allowsAbsent: change.operation == .update)
        let size = needed == 0 ? change.walk.offset : needed
        guard size <= limits.changeByteCount else {
          throw LogError(.limitExceeded, "a change of \(size) bytes", at: 0)
        }
        if needed == 0 {
          let image = UnsafeRawBufferPointer(
            start: base + change.imageStart, count: size - change.imageStart)
          if change.operation == .update { try checkKey(of: change, in: image) }
          pending = nil
          wanted = 1
          changeCount += 1
          window.consume(size)
          return .item(
            ChangeView(operation: change.operation, shapeID: change.shapeID, image: image))
        }
        pending = change
        guard !decompressor.isFinished else {
          throw LogError(.truncated, "the payload ends inside a row image", at: UInt64(count))
        }
        wanted = size
      } catch {
        guard error.code == .truncated, !decompressor.isFinished else { throw placed(error) }
        // Only the few bytes before a row image can be incomplete here.
        wanted = window.count + 1
      }
    }
  }

  /// Reads the head of a change.
  private func beginChange(_ operation: ChangeOperation) throws(LogError) -> PendingChange {
    let id: UInt32
    let start: Int
    if window.count > 1, window.bytes[1] < 0x80 {
      (id, start) = (UInt32(window.bytes[1]), 2)
    } else {
      var cursor = ByteCursor(window.bytes, from: 1)
      id = try cursor.identifier()
      start = cursor.offset
    }
    guard let layout = layouts[id] else {
      throw LogError(.malformed, "shape \(id) is not defined", at: 0)
    }
    let walk = ImageWalk(offset: start, remaining: layout.valueCount(of: operation))
    return PendingChange(
      operation: operation, shapeID: id, layout: layout, imageStart: start, walk: walk)
  }

  /// Checks that an update has all columns of the key, without which it would not identify a row.
  private func checkKey(
    of change: PendingChange, in image: UnsafeRawBufferPointer
  ) throws(LogError) {
    var cursor = ImageCursor(image)
    for column in 0...Int(change.layout.lastKeyColumn) where try cursor.next().kind == .absent {
      guard !shape(change.shapeID).keys.contains(where: { $0.column == column }) else {
        throw LogError(.malformed, "an update without key column \(column)", at: 0)
      }
    }
  }

  private mutating func endTransaction() throws(LogError) {
    var cursor = ByteCursor(window.bytes, from: 1)
    let count = try cursor.variable()
    guard count == changeCount else {
      throw LogError(
        .malformed, "a transaction of \(changeCount) changes that claims \(count)", at: 0)
    }
    window.consume(cursor.offset)
    wanted = 1
    found.changeCount += count
    phase = .betweenTransactions
  }

  /// Returns a shape.
  ///
  /// - Precondition: the shape is defined.
  func shape(_ id: UInt32) -> TableShape {
    guard let shape = shapes[id] else { preconditionFailure("shape \(id) is not defined") }
    return shape
  }
}
