import CMicroHTTPD
import Glibc
import TributaryFiles

/// Answers HTTP requests of browsers until it is stopped.
final class PageServer: Sendable {
  /// The request of a client.
  struct Request {
    var method: String
    /// The path without the query.
    var path: String
    var host: String?
    var authorization: String?
    /// Returns a value of the query; `nil` if it is not there.
    var argument: (String) -> String?
  }

  /// The response to a client.
  struct Answer {
    var status: UInt32 = 200
    var type: String
    var body: [UInt8]
  }

  /// Returns the answer to a request. Called on several threads.
  typealias Handler = @Sendable (Request) -> Answer

  private final class Context: Sendable {
    let handler: Handler
    init(_ handler: @escaping Handler) { self.handler = handler }
  }

  // Pointers are not Sendable, but this one never changes, and the library may be called from any thread.
  private nonisolated(unsafe) let server: OpaquePointer
  private let context: Context
  /// The readable address of the page.
  let url: String

  /// What a page may do: run its own scripts, and send requests to where it came from. A report is in a frame
  /// with its own script.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    + "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Starts listening.
  ///
  /// - Throws: an error that names the address and the reason.
  init(_ address: PageAddress, handler: @escaping Handler) throws {
    let context = Context(handler)
    self.context = context
    let started = address.withAddress {
      tributary_http_start($0, Self.answer, Unmanaged.passUnretained(context).toOpaque())
    }
    guard let started else {
      let reason = String(cString: tributary_http_problem())
      throw TextError("the page at \(address.host):\(address.port): \(reason)")
    }
    server = started
    url = "http://\(address.host):\(tributary_http_port(server))/"
  }

  /// Stops listening once the current requests are answered.
  func finish() { tributary_http_stop(server) }

  private static let answer: tributary_http_handler = { context, pointer in
    let handler = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().handler
    let asked = pointer.pointee
    let answer = handler(
      Request(
        method: String(cString: asked.method), path: String(cString: asked.path),
        host: asked.host.map { String(cString: $0) },
        authorization: asked.authorization.map { String(cString: $0) },
        argument: { name in
          tributary_http_argument(pointer, name).map { String(cString: $0) }
        }))
    answer.body.withUnsafeBytes {
      tributary_http_answer(
        pointer, answer.status, answer.type, policy, $0.baseAddress, $0.count)
    }
  }
}
