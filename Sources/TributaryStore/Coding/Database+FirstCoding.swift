import TributaryCore

extension Database {
  /// Returns the first row of a query as a value of a type; `nil` if there is none.
  ///
  ///     let count = try db.first(Int.self, "SELECT count(*) FROM album WHERE rating > ?", 3)
  ///
  /// - Throws: as `query`.
  @_disfavoredOverload
  public func first<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: (any ValueConvertible)?...
  ) throws -> Decoded? {
    try first(type, sql, Arguments(arguments.map { $0?.value ?? .null }))
  }

  /// Returns the first row of a query as a value of a type; `nil` if there is none.
  ///
  /// - Throws: as `query`.
  public func first<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: Arguments = []
  ) throws -> Decoded? {
    var first: Decoded?
    let columns = ResultColumns()
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      try runToFirst(statement) { first = try columns.decode(type, $0) }
    }
    return first
  }

  /// Returns the first row of a query with values by position, as a value of a type; `nil` if there is none.
  public func first<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: [Value]
  ) throws -> Decoded? {
    try first(type, sql, Arguments(arguments))
  }
}
