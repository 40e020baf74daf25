import Foundation
import Glibc

/// The program that counts what does not vary and fails if a count exceeds its limit.
package enum CountingProgram {
  private static let usage = """
    Usage: tributary-counts [--limits FILE [--update]] [--directory PATH]

    Counts what capture, publishing and importing do: allocations, steps of SQLite, system calls, bytes of the
    log. The counts are the same in each run on one system; times are not looked at. With limits, exits with 1
    when a count is above its own, and names it.

      --limits FILE      a JSON file: {"limits": [{"figure": …, "limit": …, "why": …}, …]}
      --update           writes the counts into that file instead, as the limits; sentences stay, and
                         what is new in it wants one
      --directory PATH   where to put files while it runs ($TMPDIR or /tmp)
      --help
    """

  /// Runs what the arguments request, and exits.
  package static func main(reading counts: @escaping () -> Counts) -> Never {
    do {
      try restartWithoutChance()
      exit(try run(Array(CommandLine.arguments.dropFirst()), Counter(read: counts)))
    } catch {
      fail("\(error)")
    }
  }

  /// Restarts the program with deterministic hashing. Without it, dictionaries grow at random.
  private static func restartWithoutChance() throws {
    let variable = "SWIFT_DETERMINISTIC_HASHING"
    guard getenv(variable) == nil else { return }
    setenv(variable, "1", 1)
    var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &words)
    throw BenchmarkError("the program cannot start itself")
  }

  /// Reports why nothing was counted, and exits with 2.
  package static func fail(_ reason: String) -> Never {
    say("tributary-counts: \(reason)")
    exit(2)
  }

  private static func run(_ arguments: [String], _ counter: Counter) throws -> Int32 {
    var directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var path: String?
    var updates = false
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--limits": path = try Options.value(of: argument, &rest)
      case "--update": updates = true
      case "--directory": directory = try Options.value(of: argument, &rest)
      case "--help", "-h":
        print(usage)
        return 0
      default: throw BenchmarkError("\(argument) is no option; see --help")
      }
    }
    guard let path else {
      guard !updates else { throw BenchmarkError("--update wants --limits") }
      printTable(try count(counter, Scratch(in: directory)), nil)
      return 0
    }
    let limits = try CountLimits(file(path))
    let figures = try count(counter, Scratch(in: directory))
    printTable(figures, limits)
    if updates {
      try limits.updated(by: figures).write(toFile: path, atomically: true, encoding: .utf8)
      return 0
    }
    let findings = limits.findings(figures)
    for finding in findings { say("tributary-counts: \(finding)") }
    return findings.isEmpty ? 0 : 1
  }

  private static func count(_ counter: Counter, _ scratch: Scratch) throws -> [CountedFigure] {
    let fixtures = Fixtures(scratch)
    return try CaptureCounts(counter: counter, scratch: scratch, fixtures: fixtures).figures()
      + ExchangeCounts(counter: counter, scratch: scratch).figures()
      + HeldRowCounts(counter: counter, scratch: scratch).figures()
      + DeclaredFleetCounts(scratch: scratch).figures()
  }

  private static func file(_ path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchmarkError("\(path) cannot be read")
    }
    return Array(data)
  }

  private static func printTable(_ figures: [CountedFigure], _ limits: CountLimits?) {
    func line(_ cells: [String]) {
      print(
        zip(cells, [72, 12, 12, 0]).map {
          $0.padding(toLength: max($0.count, $1), withPad: " ", startingAt: 0)
        }
        .joined())
    }
    line(["figure", "counted", "limit", "plain SQLite"])
    for figure in figures {
      line([
        figure.name, figure.value.countText,
        figure.isHeld ? limits?[figure.name]?.most.countText ?? "–" : "varies",
        figure.plain?.countText ?? "–",
      ])
    }
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
