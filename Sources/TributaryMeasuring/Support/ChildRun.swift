import Foundation
import TributaryStore
import TributarySync

/// One operation in a separate child process: the time and the memory that it takes.
struct ChildRun {
  enum Task: String {
    /// Synchronises a store.
    case synchronize
    /// Attaches a missing store.
    case attach
  }

  struct Outcome {
    /// The time in seconds, not including the start of the process.
    var seconds: Double
    /// Its largest memory use, including the program itself, in megabytes.
    var megabytes: Double
  }

  let task: Task
  let store: String
  let container: String

  /// The first argument of a child.
  static let argument = "--child"

  func measure() throws -> Outcome {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [Self.argument, task.rawValue, store, container]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(separator: " ").compactMap { Double($0) }
    guard process.terminationStatus == 0, numbers.count == 2 else {
      throw BenchmarkError("the child process failed")
    }
    return Outcome(seconds: numbers[0], megabytes: numbers[1] / 1024)
  }

  init(_ task: Task, store: String, container: String) {
    self.task = task
    self.store = store
    self.container = container
  }

  /// Reads the operation, in the child; the arguments are those after the first.
  init?(arguments: [String]) {
    guard arguments.count == 3, let task = Task(rawValue: arguments[0]) else { return nil }
    self.init(task, store: arguments[1], container: arguments[2])
  }

  /// Performs it, and prints the seconds that it took and the largest memory use of this process, in
  /// kilobytes.
  func run() throws {
    let time = try seconds {
      switch task {
      case .synchronize: try SharedStores.synchronize(store)
      case .attach:
        _ = try Engine.attach(
          AttachRequest(store: store, container: container, contentName: SharedStores.contentName))
      }
    }
    print(time, try Self.peak(), terminator: "")
  }

  /// Returns kilobytes. `getrusage` would include the program that started this one.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
      let kilobytes = Int(number)
    else { throw BenchmarkError("/proc/self/status does not tell the peak") }
    return kilobytes
  }
}
