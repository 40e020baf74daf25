/// A file that is invisible until it is published completely. It discards itself if it is released
/// before that.
package protocol TemporaryFile: AnyObject {
  /// Appends the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError)

  /// Makes the contents durable, then gives the file its name in the same directory, durably.
  ///
  /// A file that already has the name is replaced; whether that is allowed is the caller's
  /// decision. After an error, the temporary file is gone. The name then refers at most to the
  /// complete contents (if only making the name durable failed), and it is correct to publish
  /// again.
  func publish(as name: String) throws(FileError)

  /// Removes the file unless it was published; harmless when repeated.
  func discard()
}
