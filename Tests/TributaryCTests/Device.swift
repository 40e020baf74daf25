import CSQLite
import CTributary
import Foundation
import TributarySQLite
import TributaryTesting

/// A device of a program in C: a database that it writes with SQLite, and the store.
final class Device {
  let path: String
  private(set) var store: OpaquePointer?

  /// Attaches a database with the table `album`, and opens it.
  init(_ directory: String, _ name: String) throws {
    path = "\(directory)/\(name).db"
    let shared = directory + "/shared"
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    try write("CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)")
    try made(with: ["container", shared, "name", "Library"]) {
      tributary_attach(path, $0, nil, $1)
    }
    try made { tributary_open(path, nil, &store, $0) }
  }

  deinit { close() }

  func close() {
    tributary_close(store)
    store = nil
  }

  /// Runs SQL as any program does.
  func write(_ sql: String) throws { try Connection(path: path, mode: .create).execute(sql) }

  func titles() throws -> [String] {
    let statement = try Connection(path: path, mode: .readWrite).prepare(
      "SELECT title FROM album ORDER BY title")
    var titles: [String] = []
    while try statement.step() { titles.append(statement.string(0)) }
    return titles
  }

  /// Synchronises, and returns the report.
  @discardableResult
  func synchronize() throws -> [String: Any] {
    try object(returned { tributary_sync(store, nil, $0, $1) })
  }
}

/// What a call has returned in place of `TRIBUTARY_OK`.
struct CallFailure: Error, Equatable {
  var result: CInt
  var code: String
  var message: String
  var path: String
  var remedy: String
  var description: String

  /// Takes the error of a call.
  init?(_ result: CInt, _ error: OpaquePointer?) {
    if result == TRIBUTARY_OK, error == nil { return nil }
    self.result = result
    code = String(cString: tributary_error_code(error))
    message = String(cString: tributary_error_message(error))
    path = String(cString: tributary_error_path(error))
    remedy = String(cString: tributary_error_remedy(error))
    description = String(cString: tributary_error_description(error))
    tributary_error_free(error)
  }
}

typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>
typealias TextPlace = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Makes a call, and throws what it returns besides `TRIBUTARY_OK`.
func made(_ call: (ErrorPlace) -> CInt) throws {
  var error: OpaquePointer?
  let result = call(&error)
  if let failure = CallFailure(result, error) { throw failure }
}

/// Makes a call with options.
func made(
  with options: [String], _ call: (tributary_options?, ErrorPlace) -> CInt
) throws {
  try withWords(options) { words in try made { call(words, $0) } }
}

/// Makes a call that returns a text.
func returned(_ call: (TextPlace, ErrorPlace) -> CInt) throws -> String {
  var text: UnsafeMutablePointer<CChar>?
  defer { tributary_free(text) }
  try made { call(&text, $0) }
  return text.map { String(cString: $0) } ?? ""
}

/// Lends words as C has them.
func withWords<Result>(
  _ words: [String], _ body: (tributary_options?) throws -> Result
) rethrows -> Result {
  let copies = words.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return try body(copies.map { UnsafePointer($0) } + [nil])
}

func object(_ text: String) throws -> [String: Any] {
  try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}
