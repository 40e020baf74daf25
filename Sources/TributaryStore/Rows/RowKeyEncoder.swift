import TributaryCore
import TributaryLog

/// Encodes the keys of rows as bytes that are equal exactly when SQLite considers the keys equal.
///
/// Integral reals become integers, letters in NOCASE columns become lower-case, and trailing spaces in RTRIM
/// columns are removed.
package struct RowKeyEncoder: Sendable {
  package let shape: TableShape
  /// For each column of the shape up to the last key column, its position in the key, or -1.
  private let places: [Int]

  package init(shape: TableShape) {
    self.shape = shape
    var places = Array(repeating: -1, count: (shape.keys.map(\.column).max() ?? -1) + 1)
    for (place, key) in shape.keys.enumerated() { places[key.column] = place }
    self.places = places
  }

  /// Appends the key of a change.
  ///
  /// - Throws: `malformed` if the image is invalid, or if its key contains NULL or unchanged
  ///   values.
  package func encode(
    _ operation: ChangeOperation, image: UnsafeRawBufferPointer, into key: inout ByteBuffer
  ) throws(LogError) {
    if shape.keys.count == 1 {
      var cursor = ImageCursor(image)
      if operation != .delete {
        for _ in 0..<shape.keys[0].column { _ = try cursor.next() }
      }
      try append(cursor.next(), shape.keys[0].collation, into: &key)
    } else {
      try encodeComposite(operation, image, &key)
    }
  }

  private func encodeComposite(
    _ operation: ChangeOperation, _ image: UnsafeRawBufferPointer, _ key: inout ByteBuffer
  ) throws(LogError) {
    var views = Array(repeating: ValueView.null, count: shape.keys.count)
    var cursor = ImageCursor(image)
    if operation == .delete {
      for place in views.indices { views[place] = try cursor.next() }
    } else {
      for place in places {
        let view = try cursor.next()
        if place >= 0 { views[place] = view }
      }
    }
    for (place, view) in views.enumerated() {
      try append(view, shape.keys[place].collation, into: &key)
    }
  }

  /// Appends a key given as values, in the order of the key.
  package func encode(_ values: [Value], into key: inout ByteBuffer) throws(LogError) {
    var image = ByteBuffer()
    for value in values { image.append(value) }
    try encode(.delete, image: image.bytes, into: &key)
  }

  private func append(
    _ view: ValueView, _ collation: Collation, into key: inout ByteBuffer
  ) throws(LogError) {
    switch view.kind {
    case .integer: key.appendInteger(view.integer)
    case .real:
      if let integer = Int64(exactly: view.real) {
        key.appendInteger(integer)
      } else {
        key.appendReal(view.real)
      }
    case .blob: key.appendBlob(view.bytes.baseAddress, count: view.bytes.count)
    case .text: appendText(view.bytes, collation, &key)
    case .null, .absent:
      throw LogError(.malformed, "a change of table \(shape.table) has no complete key")
    }
  }

  private func appendText(
    _ bytes: UnsafeRawBufferPointer, _ collation: Collation, _ key: inout ByteBuffer
  ) {
    switch collation {
    case .binary: key.appendText(bytes.baseAddress, count: bytes.count)
    case .nocase:
      // SQLite compares the text up to the first NUL, and then the lengths.
      let end = bytes.firstIndex(of: 0) ?? bytes.count
      let folded = bytes.indices.map { index -> UInt8 in
        guard index < end else { return 0 }
        return (65...90).contains(bytes[index]) ? bytes[index] + 32 : bytes[index]
      }
      folded.withUnsafeBytes { key.appendText($0.baseAddress, count: $0.count) }
    case .rtrim:
      var count = bytes.count
      while count > 0, bytes[count - 1] == 0x20 { count -= 1 }
      key.appendText(bytes.baseAddress, count: count)
    }
  }
}
