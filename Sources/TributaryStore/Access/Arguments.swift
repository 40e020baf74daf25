import TributaryCore
import TributarySQLite

/// The values of a statement's parameters, by position or by name.
///
/// Write them as a literal: `["Blue", 1971, nil]` for `?` parameters, `["title": "Blue"]` for `:title`,
/// `@title` or `$title`. Every parameter must have a value, and every value a parameter.
///
///     try db.execute("UPDATE album SET title = :title WHERE id = :id", ["id": 5, "title": "Blue"])
public struct Arguments: Hashable, Sendable {
  private enum Form: Hashable {
    case positional([Value])
    case named([String: Value])
  }

  private let form: Form

  /// Makes arguments for parameters by position, starting with the first.
  public init(_ values: some Sequence<Value>) { form = .positional(Array(values)) }

  /// Makes arguments for parameters by position, starting with the first.
  public init(_ values: some Sequence<any ValueConvertible>) {
    form = .positional(values.map(\.value))
  }

  /// Makes arguments for named parameters.
  ///
  /// - Parameter values: by name, with or without the leading character (`:`, `@` or `$`).
  public init(_ values: [String: Value]) { form = .named(values) }

  /// Makes arguments for named parameters.
  public init(_ values: [String: any ValueConvertible]) {
    form = .named(values.mapValues(\.value))
  }

  /// Binds all arguments.
  ///
  /// - Throws: `SQLiteError` if a parameter or a value is left over.
  func bind(to statement: Statement) throws {
    switch form {
    case .positional(let values): try statement.bind(values)
    case .named(let values): try statement.bind(named: values)
    }
  }
}

extension Arguments: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: (any ValueConvertible)?...) {
    form = .positional(elements.map { $0?.value ?? .null })
  }
}

extension Arguments: ExpressibleByDictionaryLiteral {
  /// If a name occurs twice, its last value counts.
  public init(dictionaryLiteral elements: (String, (any ValueConvertible)?)...) {
    form = .named(
      Dictionary(elements.map { ($0, $1?.value ?? .null) }, uniquingKeysWith: { $1 }))
  }
}
