import Glibc
import TributaryFiles

/// A secret word, known only to those who may see and do everything on a page.
struct PageToken: Sendable {
  private let bytes: [UInt8]

  private static let fewestBytes = 16

  /// Reads a token, the first line of a file.
  ///
  /// - Throws: an error that names the file and the remedy if other users can read the file, or the token can
  ///   be guessed.
  init(file: String) throws {
    let files = LocalFileSystem()
    guard let path = try files.resolve(file) else {
      throw TextError(
        "\(file): there is no file with the token of the page; make one with `umask 077; openssl rand -hex 32 > \(file)`"
      )
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IROTH != 0 {
      throw TextError(
        "\(file): anybody on this machine can read the token of the page; chmod 600 \(file)")
    }
    let line = try files.read(path, limit: 4096).prefix { $0 != UInt8(ascii: "\n") }
    guard line.count >= Self.fewestBytes, line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw TextError(
        "\(file): the token of the page is its first line, at least \(Self.fewestBytes) letters, digits and signs without "
          + "spaces; make one with `openssl rand -hex 32`")
    }
    bytes = Array(line)
  }

  /// Whether a header `Authorization` has the token. Checking a wrong token takes the same time however much
  /// of it is right.
  func isIn(_ authorization: String?) -> Bool {
    let prefix = "Bearer "
    guard let authorization, authorization.hasPrefix(prefix) else { return false }
    let given = Array(authorization.utf8.dropFirst(prefix.utf8.count))
    guard given.count == bytes.count else { return false }
    return zip(given, bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
