import Foundation
import Testing
import TributaryTesting

/// `tributary serve` as a process, with a configuration that the test writes.
final class ServiceProcess {
  let path: String
  let process: CommandProcess
  /// Events that came while others were waited for: stores are worked on side by side, in any order.
  private var early: [[String: String]] = []

  /// Starts it, with lines in JSON.
  ///
  /// - Parameter fileLimit: the soft limit of open files with which it starts; `nil` means that of this process.
  init(
    _ stores: StoreFixture, _ configuration: String, environment: [String: String] = [:],
    limitingFilesTo fileLimit: Int? = nil
  ) throws {
    path = stores.directory + "/serve.json"
    try stores.write(configuration, to: "serve.json")
    process = try CommandProcess(
      ["serve", "--config", path, "--log", "json"],
      environment: environment.merging(["JOURNAL_STREAM": ""]) { mine, _ in mine },
      limitingFilesTo: fileLimit)
  }

  /// Waits for an event, which may have come while another one was waited for.
  ///
  /// - Returns: its fields, as text.
  @discardableResult
  func next(
    _ event: String, where isWanted: ([String: String]) -> Bool = { _ in true }
  ) throws -> [String: String] {
    func isIt(_ fields: [String: String]) -> Bool { fields["event"] == event && isWanted(fields) }
    if let place = early.firstIndex(where: isIt) { return early.remove(at: place) }
    let schema = try JSONSchema(named: "service-log")
    while let line = process.nextErrorLine() {
      // What commands print, and shells say of them.
      guard line.hasPrefix("{") else { continue }
      try schema.check(line)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let fields = (object ?? [:]).mapValues { "\($0)" }
      if isIt(fields) { return fields }
      early.append(fields)
    }
    throw HarnessFailure("\(event) has not come")
  }

  /// Whether an event came while others were waited for, and was not taken.
  func hasEarly(_ event: String) -> Bool { early.contains { $0["event"] == event } }

  /// Has it end, and waits for that.
  func end(_ signal: Int32 = SIGTERM) throws {
    process.send(signal)
    let end = try process.finish()
    #expect(end.status == 0 && end.rest.isEmpty, "\(end)")
    #expect(end.errors.contains(#""event":"stopped""#), "\(end)")
  }
}
