import Glibc
package import TributaryFiles

/// A separate directory for a test, with a space and non-ASCII characters in its name; removed at
/// the end.
package final class Scratch {
  package let path: String
  package let files = LocalFileSystem()

  package init() throws {
    path = "/tmp/tributary tests – ü/" + String(UInt64.random(in: 0 ... .max), radix: 36)
    try files.makeDirectories(path)
  }

  deinit { removeTree(path) }

  /// A path within the directory.
  package subscript(name: String) -> String { path.appending(component: name) }

  /// Writes a file carelessly, as a carrier would.
  package func write(_ text: String, to name: String) {
    let file = fopen(self[name], "w")!
    fputs(text, file)
    fclose(file)
  }

  /// Returns the names present, in order.
  package func names(in directory: String = "") throws -> [String] {
    try files.list(self[directory]).map(\.name).sorted()
  }

  package func text(of name: String) throws -> String {
    String(decoding: try files.read(self[name], limit: 1 << 20), as: UTF8.self)
  }

  private func removeTree(_ path: String) {
    for entry in (try? files.list(path)) ?? [] {
      let inner = path.appending(component: entry.name)
      if entry.kind == .directory { removeTree(inner) } else { unlink(inner) }
    }
    rmdir(path)
  }
}

extension TemporaryFile {
  package func write(_ text: String) throws(FileError) {
    var failure: FileError?
    Array(text.utf8).withUnsafeBytes { bytes in
      do throws(FileError) { try write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
