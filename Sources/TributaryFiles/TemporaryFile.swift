/// A file that nobody sees until it is published whole; discards itself when released before.
public protocol TemporaryFile: AnyObject {
  /// Appends the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError)

  /// Makes the contents durable, then gives the file its name in the same directory, durably.
  ///
  /// A file that has the name already is replaced; whether that may be is the caller's decision.
  /// After an error the temporary file is gone. The name stands then at most for the whole contents
  /// (when only making the name durable failed), and publishing again is right.
  func publish(as name: String) throws(FileError)

  /// Removes the file, if it is not published; harmless when repeated.
  func discard()
}
