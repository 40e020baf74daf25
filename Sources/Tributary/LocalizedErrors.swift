public import Foundation

// `localizedDescription` says the same as `description`. Only a type can conform, not all of a protocol.

extension TributaryError where Self: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy.isEmpty ? nil : remedy }
}

extension AttachError: LocalizedError {}
extension ContainerError: LocalizedError {}
extension CoordinationError: LocalizedError {}
extension DocumentError: LocalizedError {}
extension KeyValueError: LocalizedError {}
extension RowCodingError: LocalizedError {}
extension SQLiteError: LocalizedError {}
extension StoreError: LocalizedError {}
extension SyncError: LocalizedError {}
