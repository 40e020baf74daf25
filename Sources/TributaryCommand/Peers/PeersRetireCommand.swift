import TributarySync

/// `tributary peers retire`: declares that a device is gone.
struct PeersRetireCommand: Command {
  static let syntax = Syntax(
    "peers retire", summary: "declare that a device is gone: nobody waits for it any more",
    operands: [.store, .peer],
    details: """
      PEER is the identity of a device, its first digits, or a name that only one
      device has. The STORE announces the retirement in its peer.json, and every
      device that reads it stops counting on PEER, which then holds nothing back. What
      PEER has written stays, and what it still writes is imported as before, so
      retiring a device that comes back after all loses nothing. A retirement cannot
      be taken back.

      If the others have agreed to forget what PEER's last transactions would have to
      be compared with, no device can import these any more. The STORE then issues
      them again.

      The command synchronises the STORE. Retiring a device again changes nothing.
      """)

  private let store: String
  private let peer: String

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    peer = arguments.operands[1]
  }

  func run(to output: Output) throws -> ExitStatus {
    let retirement = try SyncSession(store: store).retire(peer)
    let standing = retirement.standing
    let name = standing.name.isEmpty ? "" : " (\(standing.name))"
    output.hasDone("the peer is retired")
    try output.confirm(
      output.shown(
        "\(store): peer \(standing.peer)\(name) "
          + (retirement.isNews
            ? "is retired: nobody waits for it any more; what it has written stays, and what it writes is "
              + "still imported"
            : "was retired already")))
    if let returned = retirement.report.returned {
      let count = counted(returned.fencedOfOthers, "transaction")
      try output.confirm(
        "  what it had published and nobody could import any more, \(count), was issued again by this store"
      )
      if let undeleted = SyncPrinter.undeleted(by: returned) { try output.confirm(undeleted) }
    }
    guard let failure = retirement.report.failure else { return .done }
    output.problem(errorText(failure))
    output.note("\(store): the other devices learn of it with the next `tributary sync`")
    return .failed
  }
}
