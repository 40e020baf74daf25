public import TributaryCore

extension PreparedStatement {
  /// Binds all parameters, and returns all rows as values of a type; see `Database.query`.
  ///
  /// - Throws: as `query(_:)`, and `RowCodingError`, which names the column and the type.
  public func query<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: Arguments = []
  ) throws -> [Decoded] {
    var all: [Decoded] = []
    try forEach(type, arguments) { all.append($0) }
    return all
  }

  /// Binds all parameters by position, and returns all rows as values of a type.
  public func query<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: [Value]
  ) throws -> [Decoded] {
    try query(type, Arguments(arguments))
  }

  /// Binds all parameters, and returns the first row as a value of a type; `nil` if there is none.
  public func first<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: Arguments = []
  ) throws -> Decoded? {
    var first: Decoded?
    let columns = ResultColumns()
    try toFirst(arguments) { first = try columns.decode(type, $0) }
    return first
  }

  /// Binds all parameters by position, and returns the first row as a value of a type; `nil` if there is none.
  public func first<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: [Value]
  ) throws -> Decoded? {
    try first(type, Arguments(arguments))
  }

  /// Binds all parameters, and calls `body` with each row as a value of a type, in order. No row is kept.
  ///
  /// - Throws: as `query`, and what `body` throws.
  public func forEach<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: Arguments = [], _ body: (Decoded) throws -> Void
  ) throws {
    let columns = ResultColumns()
    try each(arguments) { try body(columns.decode(type, $0)) }
  }

  /// Binds all parameters by position, and calls `body` with each row as a value of a type.
  public func forEach<Decoded: Decodable>(
    _ type: Decoded.Type, _ arguments: [Value], _ body: (Decoded) throws -> Void
  ) throws {
    try forEach(type, Arguments(arguments), body)
  }
}
