import TributaryCore
import TributarySQLite

/// The transactions that contain rows of migrations that run once, as far as this store has written or
/// imported them.
package struct WrittenMigrations: Sendable {
  /// For each mark of a migration, the peers that have written its rows and the transaction of each.
  private var transactions: [String: [PeerIdentity: SequenceNumber]] = [:]

  package init() {}

  /// Reads the transactions that a store has recorded; there are none in a database that is not a store.
  package init(_ connection: Connection) throws {
    guard try Settings.exist(in: connection) else { return }
    add(lines: try Settings(connection).lines(.migrated))
  }

  /// The marks of the migrations, ascending.
  package var marks: [String] { transactions.keys.sorted() }

  package func contains(_ mark: String) -> Bool { transactions[mark] != nil }

  /// Whether there is a migration whose rows are only in transactions of a peer that come after its last
  /// published one.
  package func areUnpublished(of own: PeerIdentity, after last: SequenceNumber) -> Bool {
    transactions.values.contains { peers in
      peers.allSatisfy { $0.key == own && $0.value > last }
    }
  }

  /// Returns the marks of the migrations whose rows are in a transaction of another peer, or in a published one.
  package func marks(of own: PeerIdentity, publishedUpTo last: SequenceNumber) -> [String] {
    marks.filter { mark in
      transactions[mark]?.contains { $0.key != own || $0.value <= last } ?? false
    }
  }

  package mutating func add(_ mark: String, by peer: PeerIdentity, _ sequence: SequenceNumber) {
    let known = transactions[mark]?[peer] ?? .max
    transactions[mark, default: [:]][peer] = min(known, sequence)
  }

  /// Returns which peers have written the rows of some migrations, and in which transaction each.
  package func runs(
    of marks: Set<String>
  ) -> [(peer: PeerIdentity, sequence: SequenceNumber)] {
    marks.sorted().flatMap { mark in
      transactions[mark, default: [:]].sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// Whether the author of a transaction knew the rows of a migration from any device.
  package func areKnown(_ mark: String, to transaction: BatchTransaction) -> Bool {
    transaction.mark == mark
      || transactions[mark]?.contains { peer, sequence in
        transaction.knows(Conflict.Side(peer: peer, sequence: sequence, time: .zero))
      } ?? false
  }

  /// Adds what another store or baseline has recorded; lines that cannot be read are skipped.
  package mutating func add(lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 3, words[0].utf8.count == 16,
        let peer = PeerIdentity(hex: words[1]),
        let number = UInt64(words[2]), number <= SequenceNumber.max.rawValue
      else { continue }
      add(String(words[0]), by: peer, SequenceNumber(number))
    }
  }

  /// A line for each transaction: the mark, the peer and the sequence number.
  private var lines: [String] {
    transactions.sorted { $0.key < $1.key }.flatMap { mark, peers in
      peers.sorted { $0.key < $1.key }.map { "\(mark) \($0.key) \($0.value)" }
    }
  }

  /// Records the transactions, within the open transaction.
  package func write(to connection: Connection) throws {
    try Settings(connection).set(.migrated, lines: lines)
  }

  // MARK: In the names of schemas

  /// Returns the mark in the name of a schema; `nil` if the transaction has no rows of a migration that runs
  /// once.
  ///
  /// A name with a mark consists of the schema's name, a space, and the mark.
  package static func mark(inSchema name: String) -> String? {
    let bytes = name.utf8
    guard bytes.count == 33, let space = bytes.firstIndex(of: UInt8(ascii: " ")),
      bytes.distance(from: space, to: bytes.endIndex) == 17
    else { return nil }
    return String(name[bytes.index(after: space)...])
  }

  static func schema(_ name: String, marked mark: String) -> String { "\(name) \(mark)" }
}
