extension CoordinationTable {
  /// Returns the processes that have something new to do.
  package func processesWithNews(since before: CoordinationTable) -> Set<String> {
    let granted = Set(before.claims.lazy.filter { $0.phase == .granted }.map(\.number))
    let asking = Set(before.claims.lazy.filter { $0.phase == .asking }.map(\.number))
    var processes: Set<String> = []
    for claim in claims {
      let isNew =
        switch claim.phase {
        case .waiting: false
        // Its owner measures the time that presenters take.
        case .asking: !asking.contains(claim.number)
        case .granted: !granted.contains(claim.number)
        }
      if isNew { processes.insert(claim.process) }
    }
    for message in messages where !message.isDelivered && message.number >= before.next {
      if let presenter = presenter(message.presenter) { processes.insert(presenter.process) }
    }
    return processes
  }

  /// Whether a presenter of a process has messages to fetch.
  package func hasMessages(for process: String) -> Bool {
    messages.contains {
      !$0.isDelivered && presenter($0.presenter)?.process == process
    }
  }

  package func hasUngranted(of process: String) -> Bool {
    claims.contains { $0.process == process && $0.phase != .granted }
  }
}
