/// What a session knows about the limit of its store's disk use.
struct SpaceState {
  /// The limit in bytes; `nil` if there is none.
  private(set) var limit: UInt64?
  /// When the limit was read, in milliseconds since 1970.
  private var readAt: UInt64?
  /// What counts towards it, in bytes, as far as it was measured.
  var used: UInt64 = 0

  /// Another process may change the limit. Reading it each time would slow down every synchronisation.
  private static let period: UInt64 = 60_000

  func isDue(_ now: UInt64) -> Bool {
    readAt.map { now < $0 || now - $0 >= Self.period } ?? true
  }

  mutating func read(_ limit: UInt64?, at now: UInt64) {
    self.limit = limit
    readAt = now
  }

  /// Whether more than four fifths of the limit are used.
  var isNear: Bool { limit.map { used > $0 / 5 * 4 } ?? false }

  var notice: SpaceNotice? { limit.flatMap { SpaceNotice(limit: $0, used: used) } }
}
