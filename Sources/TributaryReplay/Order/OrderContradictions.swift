internal import TributaryCore

/// Combines contradictions in the order of transactions. If a clock was set back, every transaction is a
/// contradiction until the clock has caught up; one line reports all of them.
struct OrderContradictions {
  private struct Place: Hashable {
    var peer: PeerIdentity
    var contradiction: OrderCheck.Contradiction
  }

  private struct Range {
    /// The file of the first contradiction.
    var path: String
    var first: SequenceNumber
    /// The transaction that the first one contradicts.
    var other: SequenceNumber
    var last: SequenceNumber
    var count: UInt64
  }

  private var places: [Place] = []
  private var ranges: [Place: Range] = [:]

  /// Adds a transaction; the transactions of one peer must come in ascending order.
  mutating func add(
    _ contradiction: OrderCheck.Contradiction, of peer: PeerIdentity, _ sequence: SequenceNumber,
    to other: SequenceNumber, in path: String
  ) {
    let place = Place(peer: peer, contradiction: contradiction)
    if ranges[place] == nil {
      places.append(place)
      ranges[place] = Range(path: path, first: sequence, other: other, last: sequence, count: 0)
    }
    ranges[place]?.last = sequence
    ranges[place]?.count += 1
  }

  /// The findings, in the order in which the first transaction of each came.
  var findings: [LogFinding] {
    places.compactMap { place in
      guard let range = ranges[place] else { return nil }
      var finding = LogFinding(
        .contradiction, path: range.path, message: Self.text(range, place.contradiction))
      finding.peer = place.peer
      finding.sequence = range.first
      return finding
    }
  }

  private static func text(
    _ range: Range, _ contradiction: OrderCheck.Contradiction
  ) -> String {
    guard range.count > 1 else {
      let transaction = "transaction \(range.first)"
      return switch contradiction {
      case .order: "\(transaction) is not later than transaction \(range.other)"
      case .cause(let peer):
        "\(transaction) is later than transaction \(range.other) of \(peer), which was made with "
          + "knowledge of it"
      }
    }
    let all = "transactions \(range.first) to \(range.last)"
    let isWhole = range.last.rawValue - range.first.rawValue + 1 == range.count
    let transactions = isWhole ? all : "\(range.count) of the \(all)"
    return switch contradiction {
    case .order: "\(transactions) are not later than those before them"
    case .cause(let peer):
      "\(transactions) are later than transactions of \(peer), which were made with knowledge of them"
    }
  }
}
