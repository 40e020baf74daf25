/// The right to read or write items, or a request for it.
package struct Claim: Hashable, Sendable {
  package enum Phase: UInt8, Sendable {
    /// Other claims come first.
    case waiting
    /// It is this claim's turn, and presenters are being asked to relinquish the items.
    case asking
    /// The items are being read or written.
    case granted
  }

  /// Numbers grow with time: of two claims, the one with the lower number came first.
  package var number: UInt64
  /// The identity of the process.
  package var process: String
  /// The purpose identifier of the coordinator.
  package var purpose: String
  /// The presenter of the coordinator; 0 for none.
  package var presenter: UInt64
  /// The enclosing claims: none of them ends before this one does.
  package var under: [UInt64]
  package var items: [ClaimItem]
  package var phase = Phase.waiting
  /// A number that grows with each claim whose turn comes; 0 while it waits.
  package var turn: UInt64 = 0
  /// The presenters that were asked to relinquish the items. The coordinator notifies them when they may use
  /// the items again.
  package var relinquished: [UInt64] = []
  /// Why a presenter could not do what it was asked to do; empty if none failed.
  package var failure = ""

  package init(
    number: UInt64, process: String, purpose: String, presenter: UInt64, under: [UInt64],
    items: [ClaimItem]
  ) {
    self.number = number
    self.process = process
    self.purpose = purpose
    self.presenter = presenter
    self.under = under
    self.items = items
  }

  /// Whether the two claims must not use one of their items at the same time.
  package func conflicts(with other: Claim) -> Bool {
    items.contains { item in other.items.contains { item.conflicts(with: $0) } }
  }

  /// Whether the claim keeps others from the items.
  package var isHeld: Bool { phase != .waiting }
}
