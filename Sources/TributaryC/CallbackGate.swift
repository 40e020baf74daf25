import CTributary
import Glibc

/// The callbacks of a store. While one runs, the gate is closed to other threads. So a thread that has
/// changed a callback knows that the former one is no longer running, and may release its context.
///
/// A callback may change callbacks and end the gate itself.
///
/// The unchecked Sendable conformance is safe: the mutex guards everything.
final class CallbackGate: @unchecked Sendable {
  private typealias Callback<Function> = (function: Function, context: UnsafeMutableRawPointer?)

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var imports: Callback<tributary_import_callback>?
  private var problems: Callback<tributary_problem_callback>?
  private var isEnded = false

  init() {
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func setImports(_ function: tributary_import_callback?, _ context: UnsafeMutableRawPointer?) {
    locked { imports = function.map { ($0, context) } }
  }

  func setProblems(_ function: tributary_problem_callback?, _ context: UnsafeMutableRawPointer?) {
    locked { problems = function.map { ($0, context) } }
  }

  /// Stops calling callbacks.
  func end() { locked { isEnded = true } }

  /// Reports an import.
  ///
  /// - Parameter report: makes the report if there is a callback for it.
  func tell(_ report: () -> String) {
    locked {
      guard !isEnded, let imports else { return }
      imports.function(imports.context, report())
    }
  }

  /// Reports what is wrong.
  func tell(_ failure: any Error) {
    locked {
      guard !isEnded, let problems else { return }
      let error = ErrorObject(failure).retained()
      problems.function(problems.context, error)
      ErrorObject.release(error)
    }
  }

  private func locked(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    body()
  }
}
