public import Foundation
public import TributaryStore

extension RowCodingError: LocalizedError {
  public var errorDescription: String? { description }
  public var failureReason: String? { message }
  public var recoverySuggestion: String? { remedy }
}
