import TributaryCore

/// A value inside a row image; its bytes are borrowed from the image.
@usableFromInline @frozen package struct ValueView {
  @usableFromInline @frozen package enum Kind: UInt8, Hashable, Sendable {
    case null
    case integer
    case real
    case text
    case blob
    /// The column was not changed (in updates only).
    case absent
  }

  @usableFromInline package let kind: Kind
  /// The integer; 0 unless the kind is `integer`.
  @usableFromInline package let integer: Int64
  /// The real; 0 unless the kind is `real`, and never NaN.
  @usableFromInline package let real: Double
  /// The bytes; empty unless the kind is `text` or `blob`, and valid as long as the image.
  @usableFromInline package let bytes: UnsafeRawBufferPointer

  @inlinable init(kind: Kind, integer: Int64, real: Double, bytes: UnsafeRawBufferPointer) {
    self.kind = kind
    self.integer = integer
    self.real = real
    self.bytes = bytes
  }

  @inlinable static func bare(_ kind: Kind) -> ValueView {
    ValueView(kind: kind, integer: 0, real: 0, bytes: .init(start: nil, count: 0))
  }

  @inlinable package static var null: ValueView { bare(.null) }

  @inlinable package static var absent: ValueView { bare(.absent) }

  @inlinable package static func integer(_ value: Int64) -> ValueView {
    ValueView(kind: .integer, integer: value, real: 0, bytes: .init(start: nil, count: 0))
  }

  /// Makes a real value.
  ///
  /// - Precondition: not NaN.
  @inlinable package static func real(_ value: Double) -> ValueView {
    ValueView(kind: .real, integer: 0, real: value, bytes: .init(start: nil, count: 0))
  }

  @inlinable package static func text(_ bytes: UnsafeRawBufferPointer) -> ValueView {
    ValueView(kind: .text, integer: 0, real: 0, bytes: bytes)
  }

  @inlinable package static func blob(_ bytes: UnsafeRawBufferPointer) -> ValueView {
    ValueView(kind: .blob, integer: 0, real: 0, bytes: bytes)
  }

  /// A copy of the value that outlives the image; `nil` for an absent column.
  package var value: Value? {
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
