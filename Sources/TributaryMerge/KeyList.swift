import TributaryCore
import TributaryLog

/// Keys of rows, kept as bytes until someone wants them.
public struct KeyList: Sendable {
  private var bytes: [UInt8] = []
  private var width = 0
  public private(set) var count = 0

  public init() {}

  /// Appends one key of `width` values, each as the log format has it.
  mutating func append(_ key: UnsafeRawBufferPointer, width: Int) {
    bytes.append(contentsOf: key)
    self.width = width
    count += 1
  }

  mutating func append(contentsOf other: KeyList) {
    guard other.count > 0 else { return }
    width = other.width
    bytes.append(contentsOf: other.bytes)
    count += other.count
  }

  public var isEmpty: Bool { count == 0 }

  /// Each key, with one value for each key column.
  ///
  /// - Complexity: O(*n*)
  public var keys: [[Value]] {
    bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      return (0..<count).map { _ in
        (0..<width).map { _ in
          // What was appended here can be read here.
          guard let value = try? cursor.next().value else { preconditionFailure("keys are whole") }
          return value
        }
      }
    }
  }
}
