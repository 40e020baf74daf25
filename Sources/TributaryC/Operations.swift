import TributaryCommand
import TributaryStore
import TributarySync

/// The common part of the C functions and the SQL functions: options as words, and reports as JSON.
enum Operations {
  private static let removeLogs = CommandOption("remove-logs", help: "also remove own logs")
  private static let leaveUnpublished = CommandOption("leave-unpublished", help: "publish nothing")
  private static let reseed = CommandOption("reseed", help: "publish again what is missing")
  private static let all = CommandOption("all", help: "also those that have ended")
  private static let interval = CommandOption(
    "interval", argument: "SECONDS", help: "how often to look")
  private static let containerLimit = CommandOption(
    "container-timeout", argument: "SECONDS", help: "when a container counts as away")

  /// A report and the outcome of the operation.
  typealias Reported = (json: String, outcome: Call.Outcome)

  static func attach(_ path: String, _ options: [String]) throws -> Reported {
    let (json, damaged) = try AttachOperation(store: path, options: options).run()
    let failure = DamageError(files: damaged)
    return (json, Call.Outcome(status: failure == nil ? .done : .damage, failure: failure))
  }

  static func detach(_ path: String, _ options: [String]) throws {
    let arguments = try Arguments(words: options, options: [removeLogs, leaveUnpublished])
    try Engine.detach(
      store: path, removeLogs: arguments.has(removeLogs),
      leavingUnpublished: arguments.has(leaveUnpublished))
  }

  static func open(_ path: String, _ options: [String] = []) throws -> StoreHandle {
    let arguments = try Arguments(words: options, options: [containerLimit])
    return try StoreHandle(
      path: path, containerLimit: IntervalText.milliseconds(arguments, containerLimit))
  }

  static func start(_ store: StoreHandle, _ options: [String]) throws {
    let arguments = try Arguments(words: options, options: [interval])
    try store.start(
      intervalMilliseconds: IntervalText.milliseconds(arguments, interval) ?? 5000)
  }

  static func synchronize(_ store: StoreHandle, _ options: [String]) throws -> Reported {
    let arguments = try Arguments(words: options, options: [reseed])
    let report = try store.synchronize(reseed: arguments.has(reseed))
    return (
      report.json(of: store.path),
      Call.Outcome(status: report.exitStatus, failure: report.failure ?? DamageError(report))
    )
  }

  static func conflicts(_ store: StoreHandle, _ options: [String]) throws -> String {
    let arguments = try Arguments(words: options, options: [all])
    let conflicts = try store.conflicts(ended: arguments.has(all))
    return "[" + conflicts.map { $0.json() }.joined(separator: ",") + "]"
  }

  static func resolve(_ store: StoreHandle, _ conflict: String, _ word: String) throws {
    let resolution: Resolution
    switch word {
    case "keep": resolution = .keep
    case "restore": resolution = .restore
    default:
      throw CallError("the resolution is '\(word)'", remedy: "pass keep or restore")
    }
    try store.resolve(conflict, resolution)
  }
}
