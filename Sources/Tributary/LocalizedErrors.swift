public import Foundation
public import TributaryContainer
public import TributaryCoordination
public import TributaryDocuments
public import TributaryKeyValue
public import TributarySQLite
public import TributaryStore
public import TributarySync

// `localizedDescription` says the same as `description`.

extension StoreError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension SQLiteError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension SyncError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension ContainerError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension AttachError: LocalizedError {
  public var errorDescription: String? { description }
}

extension KeyValueError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension DocumentError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}

extension CoordinationError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}
