import Foundation
import TributaryStore
import TributarySync

/// How much memory a process takes at most that does one thing alone: a child of this one.
struct PeakMemory {
  enum Task: String {
    /// Synchronises a store.
    case synchronize
    /// Attaches a store that is missing.
    case attach
  }

  let task: Task
  let store: String
  let container: String

  /// What the first argument of a child is.
  static let argument = "--child"

  /// - Returns: megabytes, with the program itself.
  func measure() throws -> Double {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [Self.argument, task.rawValue, store, container]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let kilobytes = Double(text) else {
      throw BenchmarkError("the child process failed")
    }
    return kilobytes / 1024
  }

  init(_ task: Task, store: String, container: String) {
    self.task = task
    self.store = store
    self.container = container
  }

  /// In the child; the arguments are those after the first.
  init?(arguments: [String]) {
    guard arguments.count == 3, let task = Task(rawValue: arguments[0]) else { return nil }
    self.init(task, store: arguments[1], container: arguments[2])
  }

  /// Does it, and prints the most memory that this process ever had, in kilobytes.
  func run() throws {
    switch task {
    case .synchronize: try SharedStores.synchronize(store)
    case .attach:
      _ = try Engine.attach(
        AttachRequest(store: store, container: container, contentName: SharedStores.contentName))
    }
    print(try Self.peak(), terminator: "")
  }

  /// Kilobytes. What `getrusage` says would count the program that started this one too.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
      let kilobytes = Int(number)
    else { throw BenchmarkError("/proc/self/status does not tell the peak") }
    return kilobytes
  }
}
