import TributaryCore

/// A value inside a row image; its bytes are borrowed from the image.
@frozen public struct ValueView {
  @frozen public enum Kind: UInt8, Hashable, Sendable {
    case null
    case integer
    case real
    case text
    case blob
    /// The column was not changed (in updates only).
    case absent
  }

  public let kind: Kind
  /// The integer; 0 unless the kind is `integer`.
  public let integer: Int64
  /// The real; 0 unless the kind is `real`, and never NaN.
  public let real: Double
  /// The bytes; empty unless the kind is `text` or `blob`, and valid as long as the image.
  public let bytes: UnsafeRawBufferPointer

  @inlinable init(kind: Kind, integer: Int64, real: Double, bytes: UnsafeRawBufferPointer) {
    self.kind = kind
    self.integer = integer
    self.real = real
    self.bytes = bytes
  }

  @inlinable static func bare(_ kind: Kind) -> ValueView {
    ValueView(kind: kind, integer: 0, real: 0, bytes: .init(start: nil, count: 0))
  }

  @inlinable public static var null: ValueView { bare(.null) }

  @inlinable public static var absent: ValueView { bare(.absent) }

  @inlinable public static func integer(_ value: Int64) -> ValueView {
    ValueView(kind: .integer, integer: value, real: 0, bytes: .init(start: nil, count: 0))
  }

  /// Makes a real value.
  ///
  /// - Precondition: not NaN.
  @inlinable public static func real(_ value: Double) -> ValueView {
    ValueView(kind: .real, integer: 0, real: value, bytes: .init(start: nil, count: 0))
  }

  @inlinable public static func text(_ bytes: UnsafeRawBufferPointer) -> ValueView {
    ValueView(kind: .text, integer: 0, real: 0, bytes: bytes)
  }

  @inlinable public static func blob(_ bytes: UnsafeRawBufferPointer) -> ValueView {
    ValueView(kind: .blob, integer: 0, real: 0, bytes: bytes)
  }

  /// A copy of the value that outlives the image; `nil` for an absent column.
  public var value: Value? {
    switch kind {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(Array(bytes))
    case .blob: .blob(Array(bytes))
    case .absent: nil
    }
  }
}
