import TributaryCore
import TributarySQLite

/// Why a database cannot be attached as it is asked for.
public struct AttachRefusal: Sendable {
  /// What is thrown where it is the only one.
  public var cause: any Error
  /// What is refused.
  public var message: String
  /// The file at fault.
  public var path: String
  /// The table that it is about, where it is one.
  public var table: String?
  /// What the user can do about it; empty where it is not known.
  public var remedy: String
  /// What could be given besides, so that it is not refused any more.
  public var options: [AttachOption]

  public init(
    _ cause: any Error, _ message: String, path: String, table: String? = nil, remedy: String,
    options: [AttachOption] = []
  ) {
    self.cause = cause
    self.message = message
    self.path = path
    self.table = table
    self.remedy = remedy
    self.options = options
  }

  public init(_ error: StoreError, table: String? = nil, options: [AttachOption] = []) {
    self.init(
      error, error.message, path: error.path, table: table, remedy: error.remedy, options: options)
  }

  public init(_ error: SQLiteError, table: String? = nil, options: [AttachOption] = []) {
    self.init(
      error, error.message, path: error.path, table: table, remedy: error.remedy ?? "",
      options: options)
  }
}

extension AttachRefusal: CustomStringConvertible {
  public var description: String {
    "\(path): \(message)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}

extension [AttachRefusal] {
  /// Notes what `body` refuses; goes on, and returns `nil` then.
  ///
  /// - Parameters:
  ///   - table: the one that it is about.
  ///   - options: what could be given besides.
  /// - Throws: what is no refusal, such as a damaged file.
  package mutating func collect<Result>(
    table: String? = nil, options: [AttachOption] = [], _ body: () throws -> Result
  ) throws -> Result? {
    do {
      return try body()
    } catch let error as StoreError {
      append(AttachRefusal(error, table: table, options: options))
    } catch let error as SQLiteError {
      // What SQLite cannot compile, such as a function that is not there.
      guard error.isOfStatement else { throw error }
      append(AttachRefusal(error, table: table, options: options))
    }
    return nil
  }

  /// - Throws: the only one, or all of them as one.
  package func check() throws {
    if count == 1 { throw self[0].cause }
    if !isEmpty { throw AttachError(refusals: self) }
  }
}
