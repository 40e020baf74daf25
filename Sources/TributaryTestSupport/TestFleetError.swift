public import Foundation
public import Tributary

/// What a test asks of a `TestFleet` and cannot have.
public struct TestFleetError: TributaryError, LocalizedError, Hashable {
  /// What is wrong, with the names of the device and the file.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// The parts of the error; its code is `misuse`.
  public var details: ErrorDetails { ErrorDetails(.misuse, message, remedy: remedy) }
}
