internal import TributaryCore

extension LogReport {
  /// The data of the page, as `Schemas/log-report.schema.json` describes them: long lists in
  /// columns, and rising numbers as differences.
  var json: JSONWriter {
    var json = JSONWriter()
    let numbers = Dictionary(
      peers.enumerated().map { ($1.identity, $0) }, uniquingKeysWith: { first, _ in first })
    json.object { json in
      json.member("format", 1)
      json.member("title", title)
      json.member("filter", filter)
      json.member("time", time)
      json.member("paths", strings: paths)
      json.member("contents", strings: contents)
      json.member("total") { $0.tally(total) }
      json.member("peers", objects: peers) { append($1, numbers, to: &$0) }
      json.member("tables", objects: tables) { json, table in
        json.member("name", table.name)
        json.member("content", table.content)
        json.counts(table.counts)
      }
      json.member("otherTables") { $0.object { $0.counts(otherTables) } }
      json.member("transactions") { appendTransactions(to: &$0) }
      json.member("older") { append(older, to: &$0) }
      json.member("growth") { append(growth, to: &$0) }
      appendConflicts(to: &json)
      appendTroubles(to: &json)
    }
    return json
  }

  private func append(
    _ peer: ReportPeer, _ numbers: [PeerIdentity: Int], to json: inout JSONWriter
  ) {
    json.member("id", peer.identity.description)
    if let name = peer.name { json.member("name", name) }
    if let content = peer.content { json.member("content", content) }
    json.member("segments", peer.segmentCount)
    json.member("fileBytes", peer.fileBytes)
    json.member("tally") { $0.tally(peer.tally) }
    json.member("last", peer.last.rawValue)
    if let times = peer.times {
      json.member("firstTime", times.lowerBound)
      json.member("lastTime", times.upperBound)
    }
    if let published = peer.published { json.member("published", published.rawValue) }
    if let successor = peer.successor { json.member("successor", successor) }
    if peer.isRetired { json.member("retired") { $0.bool(true) } }
    json.member("known") { $0.vector(peer.known, numbers) }
    json.member("base") { $0.vector(peer.base, numbers) }
  }

  private func appendTransactions(to json: inout JSONWriter) {
    json.object { json in
      json.column("peer", transactions.lazy.map { Int64($0.peer) })
      var last: [Int: Int64] = [:]
      json.column(
        "sequence",
        transactions.map { transaction in
          let sequence = Int64(transaction.sequence.rawValue)
          defer { last[transaction.peer] = sequence }
          return sequence &- (last[transaction.peer] ?? 0)
        })
      json.column("time", Self.differences(transactions.lazy.map { $0.time.milliseconds }))
      json.column("parts", transactions.lazy.map { Int64($0.parts.count) })
      let parts = transactions.lazy.flatMap(\.parts)
      json.column("table", parts.map { Int64($0.table ?? -1) })
      json.column("inserts", parts.map { Int64($0.counts.inserts) })
      json.column("updates", parts.map { Int64($0.counts.updates) })
      json.column("deletes", parts.map { Int64($0.counts.deletes) })
      json.column("bytes", parts.map { Int64($0.counts.byteCount) })
      let rises = transactions.enumerated().flatMap { index, transaction in
        transaction.rises.map { (index: UInt64(index), rise: $0) }
      }
      json.column("knower", Self.differences(rises.lazy.map(\.index)))
      json.column("known", rises.lazy.map { Int64($0.rise.peer) })
      json.column("knownSequence", rises.lazy.map { Int64($0.rise.sequence.rawValue) })
    }
  }

  private func append(_ buckets: ReportBuckets, to json: inout JSONWriter) {
    let sorted = buckets.sorted
    json.object { json in
      json.member("width", buckets.width)
      json.column("peer", sorted.lazy.map { Int64($0.key.peer) })
      json.column("step", Self.differences(sorted.lazy.map(\.key.step)))
      json.column("transactions", sorted.lazy.map { Int64($0.value.transactions) })
      json.column("changes", sorted.lazy.map { Int64($0.value.changes) })
      json.column("bytes", sorted.lazy.map { Int64($0.value.bytes) })
      json.column("first", sorted.lazy.map { Int64($0.value.first.rawValue) })
      json.column("last", sorted.lazy.map { Int64($0.value.last.rawValue) })
    }
  }

  // MARK: Troubles

  private func appendConflicts(to json: inout JSONWriter) {
    json.object("conflictCounts") { json in
      for kind in ReportConflict.Kind.allCases {
        json.member(kind.rawValue, conflictCounts[kind] ?? 0)
      }
    }
    json.member("conflicts", objects: conflicts) { json, conflict in
      json.member("kind", conflict.kind.rawValue)
      json.member("table", conflict.table ?? -1)
      json.member("key", conflict.key)
      json.member("columns", strings: conflict.columns)
      for (name, side) in [("winner", conflict.winner), ("loser", conflict.loser)] {
        json.object(name) { json in
          json.member("peer", side.peer)
          json.member("sequence", side.sequence.rawValue)
        }
      }
      json.member("time", conflict.time)
      json.member("answered") { $0.bool(conflict.isAnswered) }
    }
  }

  /// Writes what is damaged, and what is missing.
  private func appendTroubles(to json: inout JSONWriter) {
    json.member("findingCount", findingCount)
    json.member("findings", objects: findings) { json, finding in
      json.member("path", finding.path)
      json.member("message", finding.message)
    }
    json.member("gapCount", gapCount)
    json.member("gaps", objects: gaps) { json, gap in
      json.member("peer", gap.peer)
      json.member("first", gap.missing.lowerBound.rawValue)
      json.member("last", gap.missing.upperBound.rawValue)
    }
    if let beginning {
      json.object("beginning") { json in
        json.member("path", beginning.path)
        json.member("transactions", beginning.header.transactionCount)
        json.member("time", beginning.time.milliseconds)
      }
    }
    json.member("waitCount", waitCount)
    json.member("waits", objects: waits) { json, wait in
      json.member("peer", wait.peer)
      json.member("sequence", wait.sequence.rawValue)
      json.member("for", wait.cause)
      json.member("forSequence", wait.causeSequence.rawValue)
    }
  }

  /// Returns the difference of each number from the one before.
  private static func differences(_ numbers: some Sequence<UInt64>) -> [Int64] {
    var last: Int64 = 0
    return numbers.map { number in
      let number = Int64(clamping: number)
      defer { last = number }
      return number - last
    }
  }
}

extension JSONWriter {
  fileprivate mutating func column(_ name: String, _ numbers: some Sequence<Int64>) {
    member(name) { $0.array { json in for number in numbers { json.integer(number) } } }
  }

  fileprivate mutating func tally(_ tally: ReportTally) {
    object { json in
      json.member("transactions", tally.transactions)
      json.member("changes", tally.changes)
      json.member("bytes", tally.bytes)
      json.member("first", tally.first.rawValue)
      json.member("last", tally.last.rawValue)
    }
  }

  fileprivate mutating func counts(_ counts: ChangeTally) {
    member("inserts", counts.inserts)
    member("updates", counts.updates)
    member("deletes", counts.deletes)
    member("bytes", counts.byteCount)
  }

  /// Writes pairs of a peer's number and a sequence, one after another.
  fileprivate mutating func vector(_ knowledge: Knowledge, _ numbers: [PeerIdentity: Int]) {
    array { json in
      for entry in knowledge.entries {
        // A peer that was mentioned too late to have a number.
        guard let number = numbers[entry.peer] else { continue }
        json.integer(number)
        json.integer(entry.sequence.rawValue)
      }
    }
  }
}
