import CResources
import Synchronization
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// What a service shows in a browser: its stores, their peers, conflicts, sizes and findings, and the
/// timeline of their logs.
///
/// For each store the page says what the commands say: they run here, and the page shows their JSON.
final class ServicePage: Sendable {
  private let service: SyncService
  /// Without a token, the page is for this machine alone and changes nothing.
  private let token: PageToken?
  /// The executors that read logs for reports, one report at a time for each store, so that a container that
  /// hangs holds up nothing else.
  private let readers = Mutex<[String: BoundedExecutor]>([:])

  /// The longest time that a report may take.
  private static let reportLimit = Duration.seconds(60)

  /// The largest number of conflicts of a store that the page has at once.
  private static let mostConflicts = 200

  init(of service: SyncService, token: PageToken?) {
    self.service = service
    self.token = token
  }

  /// Makes requests that are in progress end soon.
  func finish() {
    readers.withLock { for reader in $0.values { reader.finish(within: .milliseconds(500)) } }
  }

  func answer(_ request: PageServer.Request) -> PageServer.Answer {
    // A page from elsewhere may have mapped its own name to this machine's address, in order to read this
    // page.
    guard token != nil || Self.isOfThisMachine(request.host) else {
      return .text("this page is for http://127.0.0.1 and http://localhost only", status: 403)
    }
    if request.method == "GET", request.path == "/" {
      return .html(Array(String(cString: tributary_page_html).utf8))
    }
    if let token, !token.isIn(request.authorization) {
      return .text("the token is missing or wrong", status: 401)
    }
    switch (request.method, request.path) {
    case ("GET", "/stores"): return .json(Array(stores.utf8))
    case ("GET", "/status"): return ofStore(request) { status(of: $0) }
    case ("GET", "/conflicts"): return ofStore(request) { conflicts(of: $0) }
    case ("GET", "/report"): return ofStore(request) { report(of: $0) }
    case ("POST", "/settle"): return ofStore(request) { settle(request, in: $0) }
    default: return .text("there is nothing here", status: 404)
    }
  }

  /// Whether a header `Host` names this machine.
  static func isOfThisMachine(_ host: String?) -> Bool {
    guard let host else { return false }
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    if name == "localhost" { return true }
    // A host that is not an address is the name of another machine.
    return (try? PageAddress("\(name):0"))?.isLoopback ?? false
  }

  private func ofStore(
    _ request: PageServer.Request, _ body: (String) -> PageServer.Answer
  ) -> PageServer.Answer {
    guard let path = request.argument("store"), service.stores.contains(where: { $0.path == path })
    else { return .text("the service has no such store", status: 404) }
    return body(path)
  }

  // MARK: Answers

  /// The stores, in the form of `Schemas/page.schema.json`.
  private var stores: String {
    var json = JSONWriter()
    json.object { json in
      json.member("settles") { $0.bool(token != nil) }
      json.member("stores", objects: service.metrics) { json, element in
        let (store, metrics) = element
        json.member("store", store.path)
        json.member("isOpen") { $0.bool(metrics.isOpen) }
        json.member("unpublished", metrics.store.unpublished)
        json.member("waiting", metrics.store.waiting)
        json.member("conflicts", metrics.store.conflicts)
        json.member("damaged", metrics.store.damaged)
        json.member("imported", metrics.store.importedTransactions)
        json.member("published", metrics.store.publishedTransactions)
        if let lag = metrics.store.lag { json.member("lag", lag) }
        for (name, time) in [
          ("waitingSince", metrics.store.waitingSince), ("lastSuccess", metrics.store.lastSuccess),
          ("failingSince", metrics.store.failingSince),
        ] {
          if let time { json.member(name, Timestamp.text(milliseconds: time)) }
        }
      }
    }
    return json.text
  }

  private func status(of store: String) -> PageServer.Answer {
    let run = Run(["status", "--json", store])
    return run.status == .failed ? .text(run.errors, status: 503) : .json(run.output)
  }

  private func conflicts(of store: String) -> PageServer.Answer {
    let run = Run(["conflicts", "list", "--json", store])
    guard run.status == .done else { return .text(run.errors, status: 503) }
    let lines = run.output.split(separator: UInt8(ascii: "\n")).prefix(Self.mostConflicts)
    return .json(Array("[".utf8) + lines.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8))
  }

  private func report(of store: String) -> PageServer.Answer {
    do {
      let local = try LocalStore(path: store, milliseconds: SystemClock().milliseconds)
      defer { local.close() }
      let logs = try local.identity().directory().path
      let reader = readers.withLock { readers in
        if let known = readers[logs] { return known }
        let new = BoundedExecutor(limit: Self.reportLimit)
        readers[logs] = new
        return new
      }
      let run = try reader.run("read", on: logs) { Run(["log", "report", logs]) }
      return run.output.isEmpty ? .text(run.errors, status: 503) : .html(run.output)
    } catch {
      return .text(errorText(error), status: 503)
    }
  }

  private func settle(_ request: PageServer.Request, in store: String) -> PageServer.Answer {
    guard token != nil else {
      return .text("without --page-token, the page changes nothing", status: 403)
    }
    guard let conflict = request.argument("conflict"), let choice = request.argument("choice"),
      ["keep", "restore"].contains(choice)
    else {
      return .text(
        "the request must say which conflict, and whether to keep or restore", status: 400)
    }
    let run = Run(["conflicts", "resolve", "--\(choice)", "--", store, conflict])
    return run.status == .done
      ? .text(String(decoding: run.output, as: UTF8.self)) : .text(run.errors, status: 409)
  }

  /// A command that has run within the service.
  private struct Run: Sendable {
    let status: ExitStatus
    let output: [UInt8]
    let errors: String

    init(_ words: [String]) {
      let streams = Streams()
      status = CommandRunner.run(
        words,
        to: Output(
          standardOutput: { bytes throws(OutputError) in streams.output.withLock { $0 += bytes } },
          standardError: { bytes throws(OutputError) in streams.errors.withLock { $0 += bytes } }))
      output = streams.output.withLock { $0 }
      errors = String(decoding: streams.errors.withLock { $0 }, as: UTF8.self)
    }

    private final class Streams: Sendable {
      let output = Mutex<[UInt8]>([])
      let errors = Mutex<[UInt8]>([])
    }
  }
}

extension PageServer.Answer {
  static func html(_ body: [UInt8]) -> Self { Self(type: "text/html; charset=utf-8", body: body) }

  static func json(_ body: [UInt8]) -> Self { Self(type: "application/json", body: body) }

  static func text(_ text: String, status: UInt32 = 200) -> Self {
    Self(status: status, type: "text/plain; charset=utf-8", body: Array(text.utf8))
  }
}
