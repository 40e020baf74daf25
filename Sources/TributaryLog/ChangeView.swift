/// One row change, borrowed from the bytes that contain it.
@usableFromInline @frozen package struct ChangeView {
  @usableFromInline package let operation: ChangeOperation
  /// The author's number of the table's shape.
  @usableFromInline package let shapeID: UInt32
  /// The row image, already checked; see ``ImageCursor``.
  @usableFromInline package let image: UnsafeRawBufferPointer

  @inlinable package init(
    operation: ChangeOperation, shapeID: UInt32, image: UnsafeRawBufferPointer
  ) {
    self.operation = operation
    self.shapeID = shapeID
    self.image = image
  }

  /// A cursor before the first value of the image.
  @inlinable package var values: ImageCursor { ImageCursor(image) }
}
