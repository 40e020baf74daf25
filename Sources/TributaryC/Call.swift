import TributaryCommand
import TributaryCore

/// Runs the functions of the interface.
enum Call {
  /// The result of a function.
  struct Outcome {
    var status = ExitStatus.done
    /// What went wrong, although something was done.
    var failure: (any Error)?
  }

  /// Runs a function, and returns its code and its error to C.
  static func run(
    _ error: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws -> Outcome
  ) -> CInt {
    worded {
      error?.pointee = nil
      do {
        let outcome = try body()
        if let failure = outcome.failure { error?.pointee = ErrorObject(failure).retained() }
        return outcome.status.rawValue
      } catch let failure {
        error?.pointee = ErrorObject(failure).retained()
        return status(failure).rawValue
      }
    }
  }

  /// Runs a function that either does its work or throws.
  static func run(
    _ error: UnsafeMutablePointer<OpaquePointer?>?, doing body: () throws -> Void
  ) -> CInt {
    run(error) {
      try body()
      return Outcome()
    }
  }

  /// Runs a function that returns a text.
  static func run(
    _ error: UnsafeMutablePointer<OpaquePointer?>?,
    _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ name: String,
    returning body: () throws -> String
  ) -> CInt {
    text?.pointee = nil
    return run(
      error,
      doing: {
        guard let text else {
          throw CallError(
            "the argument \(name) is NULL", remedy: "pass the address of a char pointer")
        }
        text.pointee = CallText.copy(try body())
      })
  }

  /// Runs `body` with remedies worded for the command, which a program in any language can run.
  static func worded<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Wording.$current.withValue(.command, operation: body)
  }

  private static func status(_ error: any Error) -> ExitStatus {
    error is CallError || error is UsageError ? .usage : .failed
  }
}
