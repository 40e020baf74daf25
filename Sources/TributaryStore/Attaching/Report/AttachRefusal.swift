import TributaryCore
import TributarySQLite

/// A reason why a database cannot be attached as requested.
public struct AttachRefusal: Sendable {
  /// The error to throw if this is the only reason.
  public var cause: any Error
  /// What is refused.
  public var message: String
  /// The file concerned.
  public var path: String
  /// The table concerned, if there is one.
  public var table: String?
  /// What the user can do about it; empty if unknown.
  @Worded public var remedy: String
  /// Additional options that would avoid this refusal.
  package var options: [AttachOption]

  package init(
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

  package init(
    _ error: some TributaryError, table: String? = nil, options: [AttachOption] = []
  ) {
    self.init(
      error, error.message, path: error.path ?? "", table: table, remedy: error.remedy,
      options: options)
  }
}

extension AttachRefusal: CustomStringConvertible {
  public var description: String {
    "\(path): \(message)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}

extension [AttachRefusal] {
  /// Runs `body` and records its refusal, in which case it returns `nil`.
  ///
  /// - Parameters:
  ///   - table: the table concerned.
  ///   - options: the options that would help.
  /// - Throws: an error that is not a refusal, such as that of a damaged file.
  package mutating func collect<Result>(
    table: String? = nil, options: [AttachOption] = [], _ body: () throws -> Result
  ) throws -> Result? {
    do {
      return try body()
    } catch let error as StoreError {
      append(AttachRefusal(error, table: table, options: options))
    } catch let error as SQLiteError {
      // SQLite cannot compile the statement; for example, a function is missing.
      guard error.isOfStatement else { throw error }
      append(AttachRefusal(error, table: table, options: options))
    }
    return nil
  }

  /// Checks that there are no refusals.
  ///
  /// - Throws: the only one, or all of them as one error.
  package func check() throws {
    if count == 1 { throw self[0].cause }
    if !isEmpty { throw AttachError(refusals: self) }
  }
}
