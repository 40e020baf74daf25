import Glibc
import TributaryStore

/// A read of many rows, in a process that does nothing else.
struct RowReading {
  let store: String
  let sql: String

  /// Prints how many rows were lent, and by how many kilobytes the most memory of the process has grown since the
  /// thousandth.
  func run() throws {
    let reader = try LocalReader(path: store)
    var count = 0
    var start = 0
    try reader.read { database in
      try database.forEach(sql) { row in
        count += 1
        if count == 1000 { start = try peakKilobytes() }
        guard row.string(at: 0)?.isEmpty == false else { throw Missing() }
      }
    }
    print(count, try peakKilobytes() - start)
  }

  private struct Missing: Error {}

  /// *proc_pid_status(5)*
  private func peakKilobytes() throws -> Int {
    guard let file = fopen("/proc/self/status", "r") else { throw Missing() }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix("VmHWM:") else { continue }
      let number = text.split { !("0"..."9").contains($0) }.first
      guard let number, let kilobytes = Int(number) else { break }
      return kilobytes
    }
    throw Missing()
  }
}
