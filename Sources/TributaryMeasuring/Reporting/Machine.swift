import CSQLite
import Foundation

/// The machine on which the figures were measured.
struct Machine {
  var description: String {
    "\(processor), \(ProcessInfo.processInfo.processorCount) cores, "
      + "\(ProcessInfo.processInfo.physicalMemory >> 30) GiB, \(ProcessInfo.processInfo.operatingSystemVersionString), "
      + "SQLite \(String(cString: sqlite3_libversion()))"
  }

  private var processor: String {
    // It does not matter if the system does not report it.
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
      ?? "processor unknown"
  }
}
