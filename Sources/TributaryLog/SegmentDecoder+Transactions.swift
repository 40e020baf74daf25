import TributaryCore

extension SegmentDecoder {
  /// Reads definitions up to the next transaction, or to the end of the file.
  mutating func findTransaction() throws(LogError) -> Step<TransactionHeader> {
    while true {
      switch phase {
      case .done: return .end
      case .trailer: return try finish() ? .end : .needsInput
      case .payloadFrame, .betweenTransactions, .inTransaction: break
      }
      guard try fillWindow() else { return .needsInput }
      if window.count == 0 {
        try endPayload()
        continue
      }
      let code = window.bytes[0]
      do throws(LogError) {
        var cursor = ByteCursor(window.bytes, from: 1)
        switch code {
        case ItemCode.schema: try readSchema(&cursor)
        case ItemCode.shape: try readShape(&cursor)
        case ItemCode.transaction:
          let transaction = try readTransaction(&cursor)
          accept(cursor)
          phase = .inTransaction
          changeCount = 0
          return .item(transaction)
        default:
          throw LogError(.malformed, "item \(code) between transactions", at: 0)
        }
        accept(cursor)
      } catch {
        guard error.code == .truncated, !decompressor.isFinished else { throw placed(error) }
        // No item here is larger than the largest definition or a few MiB.
        guard window.count <= max(limits.definitionByteCount, SegmentHeader.maximumByteCount * 2)
        else {
          throw LogError(
            .limitExceeded, "item \(code) of over \(window.count) bytes", at: window.offset,
            in: .payload)
        }
        wanted = window.count * 2
      }
    }
  }

  /// Returns an error placed at the item at the start of the window.
  func placed(_ error: LogError) -> LogError {
    // No more bytes can come, so the payload itself is wrong; the file is not cut off.
    let final = error.code == .truncated ? error.with(.malformed) : error
    return final.moved(by: window.offset, in: .payload)
  }

  /// Accepts an item that was read to its end.
  private mutating func accept(_ cursor: ByteCursor) {
    window.consume(cursor.offset)
    wanted = 1
  }

  private mutating func readSchema(_ cursor: inout ByteCursor) throws(LogError) {
    let id = try cursor.identifier()
    let name = try cursor.name()
    try takeDefinition(cursor)
    guard schemas.updateValue(name, forKey: id) == nil else {
      throw LogError(.malformed, "schema \(id) is defined twice", at: 0)
    }
  }

  private mutating func readShape(_ cursor: inout ByteCursor) throws(LogError) {
    let id = try cursor.identifier()
    let shape = try TableShape(from: &cursor)
    try takeDefinition(cursor)
    guard shapes.updateValue(shape, forKey: id) == nil else {
      throw LogError(.malformed, "shape \(id) is defined twice", at: 0)
    }
    layouts[id] = ShapeLayout(shape)
  }

  private mutating func takeDefinition(_ cursor: ByteCursor) throws(LogError) {
    definitionRoom -= cursor.offset
    guard definitionRoom >= 0 else {
      throw LogError(
        .limitExceeded, "over \(limits.definitionByteCount) bytes of schemas and shapes", at: 0)
    }
  }

  private mutating func readTransaction(
    _ cursor: inout ByteCursor
  ) throws(LogError) -> TransactionHeader {
    let transaction = try TransactionHeader(
      from: &cursor, after: chain.knowledge, above: chain.horizon, as: chain.notation)
    guard schemas[transaction.schema] != nil else {
      throw LogError(.malformed, "schema \(transaction.schema) is not defined", at: 0)
    }
    if let problem = chain.accept(transaction) { throw LogError(.malformed, problem, at: 0) }
    found.recordCount += 1
    if let entry = indexBuilder.entry(for: transaction.sequence, at: window.offset) {
      trailer.expect(entry)
    }
    return transaction
  }

  private mutating func endPayload() throws(LogError) {
    guard chain.isComplete else {
      throw LogError(
        .malformed, "the payload ends before transaction \(chain.next)", at: window.offset,
        in: .payload)
    }
    found.payloadSize = window.offset
    phase = .trailer
  }

  private mutating func finish() throws(LogError) -> Bool {
    guard
      try trailer.advance(
        over: &input, expected: found, headerChecksum: headerChecksum, version: header.version)
    else { return false }
    contentHash = input.takeHash()
    phase = .done
    return true
  }
}
