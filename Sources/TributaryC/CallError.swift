import TributaryCore

/// A call that is wrong regardless of the state of the store.
struct CallError: TributaryError {
  let details: ErrorDetails

  init(_ message: String, remedy: String) {
    details = ErrorDetails(.misuse, message, remedy: remedy)
  }
}
