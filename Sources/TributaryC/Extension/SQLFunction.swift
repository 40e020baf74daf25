import CSQLite
import TributarySQLite

/// An SQL function that works on the store of the calling connection and returns text.
final class SQLFunction {
  typealias Body = (_ database: HostDatabase, _ arguments: [String]) throws -> String

  private let name: String
  /// Its parameters, as readable text.
  private let parameters: String
  /// The possible numbers of arguments.
  private let arity: ClosedRange<Int>
  private let body: Body

  init(_ name: String, _ parameters: String, _ arity: ClosedRange<Int>, _ body: @escaping Body) {
    self.name = name
    self.parameters = parameters
    self.arity = arity
    self.body = body
  }

  /// Registers it with a connection, which keeps it from now on. Schemas cannot call it, since a trigger must
  /// not synchronise. *sqlite3_create_function_v2()*
  func register(on connection: OpaquePointer) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      connection, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(self).toOpaque(),
      { context, count, values in
        let function = Unmanaged<SQLFunction>.fromOpaque(sqlite3_user_data(context)!)
        function.takeUnretainedValue().call(
          context, UnsafeBufferPointer(start: values, count: Int(count)))
      }, nil, nil, { Unmanaged<SQLFunction>.fromOpaque($0!).release() })
    try SQLFunctions.check(code, connection)
  }

  private func call(_ context: OpaquePointer?, _ values: UnsafeBufferPointer<OpaquePointer?>) {
    Call.worded {
      do {
        guard arity.contains(values.count) else {
          throw CallError(
            "\(name)() was given \(values.count) arguments",
            remedy: "call it as \(name)(\(parameters))")
        }
        let arguments = try values.enumerated().map { try text($1, $0 + 1) }
        var result = try body(try HostDatabase(context), arguments)
        result.withUTF8 { tributary_copy_text(context, $0.baseAddress, UInt64($0.count)) }
      } catch {
        let error = ErrorObject(error)
        sqlite3_result_error(context, error.description, -1)
      }
    }
  }

  private func text(_ value: OpaquePointer?, _ number: Int) throws(CallError) -> String {
    guard sqlite3_value_type(value) != SQLITE_NULL, sqlite3_value_type(value) != SQLITE_BLOB,
      let start = sqlite3_value_text(value)
    else { throw CallError("argument \(number) of \(name)() is not text", remedy: "pass a text") }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CallError(
        "argument \(number) of \(name)() is not valid UTF-8", remedy: "pass UTF-8")
    }
    return text
  }
}
