import TributaryFiles
import TributarySQLite
import TributaryStore

/// The file of a store that a process of this product was the last to close. A program that writes it
/// afterwards changes its time, or leaves a write-ahead log beside it.
struct SealedFile {
  private let path: String
  private let nanoseconds: Int
  private let files: any FileSystem

  /// Reads the state of the file.
  init(_ connection: Connection, _ files: any FileSystem) throws {
    nanoseconds = try CommitSeal(connection).nanoseconds()
    self.files = files
    path = connection.filePath
  }

  /// Whether no program has written since it was closed.
  func isUntouched() throws -> Bool {
    guard let status = try files.status(path) else { return false }
    let log = try files.status(path + "-wal")?.size ?? 0
    return log == 0 && status.modifiedNanoseconds % 1_000_000_000 == Int64(nanoseconds)
  }
}
