/// One row change, borrowed from the bytes that contain it.
@frozen public struct ChangeView {
  public let operation: ChangeOperation
  /// The author's number of the table's shape.
  public let shapeID: UInt32
  /// The row image, already checked; see ``ImageCursor``.
  public let image: UnsafeRawBufferPointer

  @inlinable public init(
    operation: ChangeOperation, shapeID: UInt32, image: UnsafeRawBufferPointer
  ) {
    self.operation = operation
    self.shapeID = shapeID
    self.image = image
  }

  /// A cursor before the first value of the image.
  @inlinable public var values: ImageCursor { ImageCursor(image) }
}
