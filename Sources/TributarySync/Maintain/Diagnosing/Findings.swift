import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryStore

/// The findings of a diagnosis, in the order of its report.
struct Findings {
  private(set) var all: [Finding] = []

  mutating func add(_ finding: Finding) { all.append(finding) }

  mutating func note(
    _ code: Finding.Code, peer: PeerIdentity? = nil, path: String? = nil, _ explanation: String,
    remedy: String
  ) {
    add(Finding(code, .note, peer: peer, path: path, explanation, remedy: remedy))
  }

  mutating func warn(
    _ code: Finding.Code, peer: PeerIdentity? = nil, path: String? = nil, _ explanation: String,
    remedy: String
  ) {
    add(Finding(code, .warning, peer: peer, path: path, explanation, remedy: remedy))
  }

  mutating func damage(
    _ code: Finding.Code, peer: PeerIdentity? = nil, path: String? = nil, _ explanation: String,
    remedy: String
  ) {
    add(Finding(code, .damage, peer: peer, path: path, explanation, remedy: remedy))
  }

  /// Examines one subject. A failure is a finding too, and does not stop what follows.
  ///
  /// - Parameter subject: the subject as a phrase, in case of failure.
  mutating func examine(_ subject: String, _ check: (inout Findings) throws -> Void) {
    do {
      try check(&self)
    } catch let error as StoreError where error.code == .damaged {
      damage(
        .bookkeeping, path: error.path,
        "\(subject) cannot be read: \(error.path ?? ""): \(error.message)",
        remedy: error.remedy)
    } catch let error as LogError {
      damage(
        .bookkeeping, "\(subject) cannot be read: \(error.message)", remedy: Remedy.rebuild)
    } catch let error as FileError {
      warn(
        .unexamined, path: error.path, "\(subject) could not be examined: \(error)",
        remedy: error.remedy)
    } catch let error as ContainerError {
      warn(
        .unexamined, path: error.path, "\(subject) could not be examined: \(error.message)",
        remedy: error.remedy)
    } catch {
      warn(.unexamined, "\(subject) could not be examined: \(error)", remedy: Remedy.repair)
    }
  }
}
