/// An open file, read from start to end. It closes itself when released.
package protocol ReadableFile: AnyObject {
  /// Reads the next bytes.
  ///
  /// - Returns: the number of bytes read; 0 only at the end of the file or for an empty buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

  /// The number of bytes that the file had when it was opened; `nil` if finding out needs a call
  /// for the file's status.
  var openedByteCount: UInt64? { get }

  /// Closes the file, which ends reading. Closing twice is harmless.
  func close()
}

extension ReadableFile {
  /// `nil`, because it is not known.
  package var openedByteCount: UInt64? { nil }
}
