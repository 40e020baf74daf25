internal import Glibc

extension LocalFileSystem {
  /// *open(2)*, *write(2)*, *rename(2)*
  package func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let temporary = path + "-new"
    // A file that a killed process left may belong to another user.
    try remove(temporary)
    let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    var failure: FileError?
    bytes.withUnsafeBytes {
      do throws(FileError) { try file.write($0) } catch { failure = error }
    }
    do throws(FileError) {
      if let failure { throw failure }
      try file.close()
      try rename(temporary, to: path)
    } catch {
      // The next attempt removes what cannot be removed now.
      try? remove(temporary)
      throw error
    }
  }
}
