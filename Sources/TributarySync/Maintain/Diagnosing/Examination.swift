import TributaryContainer
import TributaryFiles
import TributaryLog
import TributaryStore

/// An examination of one subject. It changes nothing.
protocol Examination {
  /// The subject as a phrase, for the case of failure.
  var subject: String { get }

  /// Adds its findings.
  func examine(_ findings: inout [Finding]) throws
}

extension Examination {
  /// Adds its findings; a failure is a finding too, and does not stop other examinations.
  func run(_ findings: inout [Finding]) {
    do {
      try examine(&findings)
    } catch {
      findings.append(failure(error))
    }
  }

  private func failure(_ error: any Error) -> Finding {
    switch error {
    case let error as StoreError where error.code == .damaged:
      Finding(
        .bookkeeping, .damage, path: error.path,
        "\(subject) cannot be read: \(error.path): \(error.message)", remedy: error.remedy)
    case let error as LogError:
      Finding(
        .bookkeeping, .damage, "\(subject) cannot be read: \(error.message)",
        remedy: Remedy.rebuild)
    case let error as FileError:
      Finding(
        .unexamined, .warning, path: error.path, "\(subject) could not be examined: \(error)",
        remedy: error.remedy)
    case let error as ContainerError:
      Finding(
        .unexamined, .warning, path: error.path,
        "\(subject) could not be examined: \(error.message)", remedy: error.remedy)
    default:
      Finding(
        .unexamined, .warning, "\(subject) could not be examined: \(error)",
        remedy: "repair what the message names, then run `tributary doctor` again")
    }
  }
}
