import TributaryCore
import TributarySQLite
import TributaryStore

/// How much a store has written on each of the last days, before compression. The days are those of its
/// records' times, and the records may be forgotten in the meantime.
package struct WrittenDays: Equatable {
  /// The number of bytes by day of UTC since 1970.
  package private(set) var bytes: [UInt64: UInt64] = [:]
  /// The last own transaction that is counted.
  private(set) var last = SequenceNumber.zero
  /// The identity under which it has that number.
  private(set) var peer: PeerIdentity?

  /// The number of preceding days with which a day is compared.
  static let period: UInt64 = 30
  /// In bytes: less than this in a day is no sudden growth.
  static let least: UInt64 = 64 << 20

  init() {}

  /// Reads the text. If it cannot be read, counting starts over.
  package init(_ text: String?) {
    let lines = (text ?? "").split(separator: "\n").map { $0.split(separator: " ") }
    guard let head = lines.first, head.count == 2, let last = UInt64(head[0]),
      let peer = PeerIdentity(hex: String(head[1]))
    else { return }
    self.last = min(SequenceNumber(last), .max)
    self.peer = peer
    for line in lines.dropFirst() where line.count == 2 {
      if let day = UInt64(line[0]), let count = UInt64(line[1]) { bytes[day] = count }
    }
  }

  var text: String? {
    peer.map { peer in
      "\(last) \(peer)\n"
        + bytes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
    }
  }

  /// Returns what was written on a day and on the days before.
  ///
  /// A segment counts for the day of its last transaction: reading each record would slow down the first
  /// synchronisation of a day in proportion to what was written since.
  ///
  /// - Parameter includesUnpublished: whether to count what is in no segment yet, too. Such a result must not
  ///   be recorded.
  /// - Complexity: O(*n*) in the segments that were published since the store last recorded it.
  static func present(
    _ connection: Connection, on today: UInt64, includesUnpublished: Bool = false
  ) throws -> WrittenDays {
    var days = WrittenDays(try Settings(connection).text(.written))
    let own = try StoreIdentity(reading: connection).peer
    // Under another identity, the numbers begin anew.
    if days.peer != own { days = WrittenDays() }
    days.peer = own
    for segment in try SegmentTable(connection).all() where segment.name.last > days.last {
      // The segment was compacted with transactions that are already counted.
      let isPart = segment.name.first <= days.last
      let bytes =
        isPart
        ? try OutboxSizes(connection).total(from: days.last.next, to: segment.name.last)
        : segment.payload
      try days.add(bytes, upTo: segment.name.last, connection)
    }
    if includesUnpublished, let last = try Outbox(connection).last()?.sequence, last > days.last {
      let bytes = try OutboxSizes(connection).total(from: days.last.next, to: last)
      try days.add(bytes, upTo: last, connection)
    }
    // Adopted rows have no time. A day in the future, by a clock that was ahead, is none of the last days.
    let first = today > kept ? today - kept : 1
    days.bytes = days.bytes.filter { $0.key >= first && $0.key <= today }
    return days
  }

  /// Counts own transactions for the day of the last one.
  private mutating func add(
    _ count: Int64, upTo sequence: SequenceNumber, _ connection: Connection
  ) throws {
    last = sequence
    guard let record = try Outbox(connection).records(from: sequence, to: sequence).first else {
      return
    }
    bytes[SynchronisedDays.day(record.time.milliseconds), default: 0] += UInt64(clamping: count)
  }

  /// One day more than is compared, for what was written yesterday.
  private static let kept = period + 1

  /// A day on which more was written than in the preceding 30 days together.
  package struct Growth: Equatable {
    package var day: UInt64
    package var bytes: UInt64
    /// What was written in the preceding 30 days.
    package var before: UInt64

    package init(day: UInt64, bytes: UInt64, before: UInt64) {
      self.day = day
      self.bytes = bytes
      self.before = before
    }
  }

  /// Returns the sudden growth of today or yesterday; `nil` if there is none.
  package func growth(on today: UInt64) -> Growth? {
    for day in [today, today - min(today, 1)] {
      let count = bytes[day] ?? 0
      let before = bytes.filter { $0.key < day && $0.key + Self.period >= day }
        .reduce(0) { $0 + $1.value }
      if count > Self.least, count > before {
        return Growth(day: day, bytes: count, before: before)
      }
    }
    return nil
  }
}
