import Foundation

/// How much memory something takes at most.
enum PeakMemory {
  /// - Returns: megabytes beyond what was in use before.
  static func measure(_ body: () throws -> Void) throws -> Double {
    // Linux: has the kernel forget the highest mark so far.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try status("VmRSS:")
    try body()
    return max(0, try status("VmHWM:") - before)
  }

  private static func status(_ field: String) throws -> Double {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(field) }
    guard
      let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({
        Double($0)
      })
    else { throw BenchmarkError("/proc/self/status has no \(field)") }
    return kilobytes / 1024
  }
}
