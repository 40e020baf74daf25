/// An open file, read from start to end; closes itself when released.
public protocol ReadableFile: AnyObject {
  /// Reads on.
  ///
  /// - Returns: the number of bytes read; 0 only at the end of the file or for an empty buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

  /// How many bytes it had when it was opened; `nil` when that takes asking for its status.
  var openedByteCount: UInt64? { get }

  /// Closes it; reading is over. Closing twice is harmless.
  func close()
}

extension ReadableFile {
  /// Is not known.
  public var openedByteCount: UInt64? { nil }
}
