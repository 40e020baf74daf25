import CSQLite
import TributaryCore

extension ConnectionSetup {
  /// Makes an SQL function.
  ///
  ///     try setup.createFunction("initial", argumentCount: 1) { values in
  ///       values[0].stringValue?.first.map { .string(String($0)) } ?? .null
  ///     }
  ///
  /// - Parameters:
  ///   - argumentCount: `nil` for any number.
  ///   - deterministic: whether it always returns the same result for the same arguments, on every device.
  ///     Only such a function may occur in an index or a generated column. It must have no side effects,
  ///     since the schema of a database from elsewhere may call it.
  ///   - body: called on the thread that runs the statement. If it throws, the statement fails with that error's
  ///     description.
  /// - Throws: `SQLiteError` if SQLite or the library already has a function with this name.
  public func createFunction(
    _ name: String, argumentCount: Int? = nil, deterministic: Bool = true,
    _ body: @escaping @Sendable ([Value]) throws -> Value
  ) throws {
    try check(
      name, "function",
      isBuiltIn:
        "SELECT 1 FROM pragma_function_list WHERE name = ? COLLATE NOCASE AND builtin LIMIT 1")
    // Functions that a schema may use must also work in a baseline, whose schema SQLite does not trust.
    let flags = SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS : 0)
    try check(
      sqlite3_create_function_v2(
        handle, name, argumentCount.map { $0 < 0 ? -2 : Int32(clamping: $0) } ?? -1, flags,
        Unmanaged.passRetained(FunctionBody(body)).toOpaque(),
        { context, count, arguments in FunctionBody.call(context, count, arguments) }, nil, nil,
        { Unmanaged<FunctionBody>.fromOpaque($0.unsafelyUnwrapped).release() }), name, "function")
  }

  /// Makes a collation.
  ///
  /// - Parameter compare: returns a negative number if the first text comes before the second, zero if they
  ///   are equal, and a positive number otherwise. All devices must agree on it, and it must order
  ///   consistently, because indexes depend on it.
  /// - Throws: `SQLiteError` if SQLite or the library already has a collation with this name.
  public func createCollation(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> Int
  ) throws {
    try check(
      name, "collation",
      isBuiltIn: "SELECT 1 WHERE upper(?1) IN ('BINARY', 'NOCASE', 'RTRIM')")
    try check(
      sqlite3_create_collation_v2(
        handle, name, SQLITE_UTF8, Unmanaged.passRetained(CollationBody(compare)).toOpaque(),
        { context, firstCount, first, secondCount, second in
          let body = Unmanaged<CollationBody>.fromOpaque(context.unsafelyUnwrapped)
          return body._withUnsafeGuaranteedRef {
            let order = $0.compare(text(first, firstCount), text(second, secondCount))
            return Int32(clamping: order)
          }
        }, { Unmanaged<CollationBody>.fromOpaque($0.unsafelyUnwrapped).release() }), name,
      "collation")
  }
}

private func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
  String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
}

private final class CollationBody: Sendable {
  let compare: @Sendable (String, String) -> Int

  init(_ compare: @escaping @Sendable (String, String) -> Int) { self.compare = compare }
}

private final class FunctionBody: Sendable {
  let body: @Sendable ([Value]) throws -> Value

  init(_ body: @escaping @Sendable ([Value]) throws -> Value) { self.body = body }

  static func call(
    _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let context, let data = sqlite3_user_data(context) else { return }
    let values = (0..<Int(count)).map { Value(arguments?[$0]) }
    do {
      let result = try Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue().body(values)
      result.give(to: context)
    } catch {
      let message = Array("\(error)".utf8)
      message.withUnsafeBytes {
        sqlite3_result_error(
          context, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count))
      }
    }
  }
}

extension Value {
  /// Copies an argument of a function.
  fileprivate init(_ value: OpaquePointer?) {
    func bytes(_ start: UnsafeRawPointer?) -> [UInt8] {
      Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT: self = .text(bytes(sqlite3_value_text(value)))
    case SQLITE_BLOB: self = .blob(bytes(sqlite3_value_blob(value)))
    default: self = .null
    }
  }

  fileprivate func give(to context: OpaquePointer) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(let bytes):
      bytes.withUnsafeBytes { tributary_copy_text(context, $0.baseAddress, UInt64($0.count)) }
    case .blob(let bytes):
      bytes.withUnsafeBytes { tributary_copy_blob(context, $0.baseAddress, UInt64($0.count)) }
    }
  }
}
