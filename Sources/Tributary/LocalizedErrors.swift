public import Foundation

// `localizedDescription` says the same as `description`. Each type conforms separately, since a protocol
// cannot.

extension TributaryError where Self: LocalizedError {
  /// What has happened, in which file, and what to do, in one line.
  public var errorDescription: String? { description }
  /// What has happened, without the remedy.
  public var failureReason: String? { message }
  /// What to do about it; `nil` if there is nothing.
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
