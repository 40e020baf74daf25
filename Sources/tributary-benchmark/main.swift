import Foundation
import Glibc

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.first == PeakMemory.argument {
    try PeakMemory(arguments: Array(arguments.dropFirst()))?.run()
    exit(0)
  }
  let options = try Options(arguments)
  let scratch = try Scratch(in: options.directory)
  let fixtures = Fixtures(scratch)
  let cases =
    CaptureCases(options: options, fixtures: fixtures).all
    + ImportCases(options: options, fixtures: fixtures).all
    + RebuildCases(options: options, fixtures: fixtures).all
    + LogCases(options: options, fixtures: fixtures).all
    + PropagationCases(options: options, fixtures: fixtures).all
    + CommandCases(options: options, fixtures: fixtures).all
  var report = Report(isJSON: options.isJSON)
  report.printHead()
  for item in cases where item.matches(options.pattern) {
    do {
      for (figure, measurement) in zip(item.figures, try item.measure()) {
        report.add(figure, measurement)
      }
    } catch {
      for figure in item.figures { report.add(failure: error, of: figure) }
    }
  }
  report.printEnd(Machine())
} catch {
  FileHandle.standardError.write(Data("tributary-benchmark: \(error)\n".utf8))
  exit(2)
}
