import Glibc
import TributaryCommand
import TributaryCore
import TributaryFiles
import TributarySync

/// An error as C sees it: texts that live as long as the object.
///
/// The unchecked Sendable conformance is safe: nothing changes it.
final class ErrorObject: @unchecked Sendable {
  let code: UnsafeMutablePointer<CChar>?
  let message: UnsafeMutablePointer<CChar>?
  let path: UnsafeMutablePointer<CChar>?
  let remedy: UnsafeMutablePointer<CChar>?
  let description: UnsafeMutablePointer<CChar>?

  /// Copies the texts of an error in the current wording.
  init(_ error: any Error) {
    let details = Self.details(error)
    code = CallText.copy(details.code.rawValue)
    message = CallText.copy(details.message)
    path = CallText.copy(details.path ?? "")
    remedy = CallText.copy(details.remedy)
    description = CallText.copy(Self.line(error, details))
  }

  deinit { for text in [code, message, path, remedy, description] { free(text) } }

  /// Returns the object behind a pointer that C holds.
  static func of(_ pointer: OpaquePointer) -> ErrorObject {
    Unmanaged.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// Returns a pointer for C, which holds the object until `release`.
  func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  static func release(_ pointer: OpaquePointer) {
    Unmanaged<ErrorObject>.fromOpaque(UnsafeRawPointer(pointer)).release()
  }

  private static func details(_ error: any Error) -> ErrorDetails {
    if let locked = SyncError(locked: error) { return locked.details }
    return switch error {
    case let error as any TributaryError: error.details
    case let error as FileError:
      ErrorDetails(
        .inaccessible, "\(error.operation): \(error.message)", path: error.path,
        remedy: error.remedy)
    case let error as UsageError:
      ErrorDetails(.misuse, error.message, remedy: "")
    default: ErrorDetails(ErrorCode(rawValue: "unknown"), "\(error)", remedy: "")
    }
  }

  /// Returns the line for an error. Some types have one that says more than their parts do, such as
  /// which statement failed.
  private static func line(_ error: any Error, _ details: ErrorDetails) -> String {
    guard error is any TributaryError, SyncError(locked: error) == nil else {
      let text = details.remedy.isEmpty ? details.message : "\(details.message); \(details.remedy)"
      return details.path.map { "\($0): \(text)" } ?? text
    }
    return "\(error)"
  }
}
