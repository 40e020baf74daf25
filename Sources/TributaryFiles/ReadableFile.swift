/// An open file, read from start to end; closes itself when released.
public protocol ReadableFile: AnyObject {
  /// Reads on.
  ///
  /// - Returns: the number of bytes read; 0 only at the end of the file or for an empty buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

  /// Closes it; reading is over. Closing twice is harmless.
  func close()
}
