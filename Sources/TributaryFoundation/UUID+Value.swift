public import Foundation
public import Tributary
import TributaryCore

/// A UUID is stored as a blob of its 16 bytes, the shortest key that is the same on every device.
///
/// Reading also accepts the usual text, in upper or lower case.
extension UUID: ValueConvertible, ValueReadable {
  public var value: Value { withUnsafeBytes(of: uuid) { .blob(Array($0)) } }

  public init?(value: Value) {
    switch value {
    case .blob(let bytes):
      guard bytes.count == 16 else { return nil }
      self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let bytes): self.init(uuidString: String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }
}
