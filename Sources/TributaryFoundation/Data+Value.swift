public import Foundation
public import Tributary
import TributaryCore

/// Data is a blob.
extension Data: ValueConvertible, ValueReadable {
  public var value: Value { .blob(Array(self)) }

  public init?(value: Value) {
    guard case .blob(let bytes) = value else { return nil }
    self.init(bytes)
  }
}
