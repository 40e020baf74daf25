import TributaryCore
import TributaryLog

/// Keys of rows, kept as bytes until they are requested.
public struct KeyList: Sendable {
  private var bytes: [UInt8] = []
  private var width = 0
  /// The number of keys.
  public private(set) var count = 0
  /// Whether there were more than 16 MB of keys, so that only their number is kept.
  public private(set) var isForgotten = false

  /// Limits the memory, however much an import brings.
  static let byteLimit = 16 << 20

  /// The memory that the keys take, in bytes.
  var byteCount: Int { bytes.count }

  package init() {}

  /// Appends one key of `width` values, each in the log format.
  mutating func append(_ key: UnsafeRawBufferPointer, width: Int) {
    if !isForgotten { bytes.append(contentsOf: key) }
    self.width = width
    count += 1
    if bytes.count > Self.byteLimit { forget() }
  }

  /// Appends one key.
  package mutating func append(_ key: [Value]) {
    var buffer = ByteBuffer()
    for value in key { buffer.append(value) }
    append(buffer.bytes, width: key.count)
  }

  mutating func append(contentsOf other: KeyList) {
    guard other.count > 0 else { return }
    width = other.width
    count += other.count
    if !isForgotten { bytes.append(contentsOf: other.bytes) }
    if other.isForgotten || bytes.count > Self.byteLimit { forget() }
  }

  /// Removes keys, each in the log format.
  ///
  /// - Returns: the keys that were in the list; none if only the number of keys is kept.
  /// - Complexity: O(*n*)
  mutating func remove(_ unwanted: Set<[UInt8]>) -> Set<[UInt8]> {
    if isForgotten { return [] }
    var removed: Set<[UInt8]> = []
    var kept: [UInt8] = []
    var keptCount = 0
    bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      for _ in 0..<count {
        let start = cursor.offset
        for _ in 0..<width {
          // Everything that was appended can be read here.
          guard (try? cursor.next()) != nil else { preconditionFailure("keys are whole") }
        }
        let key = Array(bytes[start..<cursor.offset])
        if unwanted.contains(key) {
          removed.insert(key)
        } else {
          kept += key
          keptCount += 1
        }
      }
    }
    if removed.isEmpty { return [] }
    bytes = kept
    count = keptCount
    return removed
  }

  private mutating func forget() {
    bytes = []
    isForgotten = true
  }

  /// Whether there are no keys.
  public var isEmpty: Bool { count == 0 }

  /// Writes each key as `JSONWriter.key` does.
  ///
  /// - Complexity: O(*n*), without an array for each key.
  package func write(to json: inout JSONWriter) {
    if isForgotten { return }
    guard width == 1 else {
      for key in keys { json.key(key) }
      return
    }
    bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      for _ in 0..<count {
        // Everything that was appended can be read here.
        guard let view = try? cursor.next() else { preconditionFailure("keys are whole") }
        if view.kind == .integer {
          json.integer(view.integer)
        } else {
          json.value(view.value ?? .null)
        }
      }
    }
  }

  /// The keys, each with one value per key column; empty if only their number is kept.
  ///
  /// - Complexity: O(*n*)
  public var keys: [[Value]] {
    if isForgotten { return [] }
    return bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      return (0..<count).map { _ in
        (0..<width).map { _ in
          // Everything that was appended can be read here.
          guard let value = try? cursor.next().value else { preconditionFailure("keys are whole") }
          return value
        }
      }
    }
  }
}
