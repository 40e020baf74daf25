import Synchronization
import TributaryFiles

/// The executors for each container of a service.
final class ExecutorGroups: Sendable {
  private let groups = Mutex<[String: ExecutorGroup]>([:])

  func group(of container: String) -> ExecutorGroup {
    groups.withLock { groups in
      let group = groups[container] ?? ExecutorGroup()
      groups[container] = group
      return group
    }
  }
}
