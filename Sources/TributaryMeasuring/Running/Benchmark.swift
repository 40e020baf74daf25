import Foundation
import Glibc

/// The program that measures times, sizes and memory.
package enum Benchmark {
  /// Runs what the arguments request, and exits.
  package static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == ChildRun.argument {
        try ChildRun(arguments: Array(arguments.dropFirst()))?.run()
        exit(0)
      }
      try run(Options(arguments))
    } catch {
      FileHandle.standardError.write(Data("tributary-benchmark: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func run(_ options: Options) throws {
    let scratch = try Scratch(in: options.directory)
    let all =
      options.isScale
      ? ScaleCases(options: options, scratch: scratch).all : cases(options, Fixtures(scratch))
    let cases = all.filter { $0.matches(options.pattern) }
    guard !cases.isEmpty else {
      throw BenchmarkError("no figure has \(options.pattern.debugDescription) in its name")
    }
    var report = Report(options.form)
    report.printHead()
    for item in cases {
      for entry in item.run() { report.add(entry) }
    }
    report.printEnd(Machine())
  }

  private static func cases(_ options: Options, _ fixtures: Fixtures) -> [Case] {
    CaptureCases(options: options, fixtures: fixtures).all
      + ImportCases(options: options, fixtures: fixtures).all
      + RebuildCases(options: options, fixtures: fixtures).all
      + LogCases(options: options, fixtures: fixtures).all
      + ReadingCases(options: options, fixtures: fixtures).all
      + BookkeepingCases(options: options, fixtures: fixtures).all
      + PropagationCases(options: options, fixtures: fixtures).all
      + ManyPeersCases(options: options, fixtures: fixtures).all
      + DeclaredFleetCases(options: options, fixtures: fixtures).all
      + CommandCases(options: options, fixtures: fixtures).all
  }
}
