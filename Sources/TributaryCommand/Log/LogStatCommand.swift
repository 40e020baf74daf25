import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryReplay

/// `tributary log stat`: prints how much was changed, by table, peer and day.
struct LogStatCommand: Command {
  private static let by = CommandOption(
    "by", argument: "LIST", isRepeatable: true,
    help: "one table, grouped by these: peer, table, day, separated by commas")

  static let syntax = Syntax(
    "log stat", summary: "count transactions and changes by peer, table and day",
    operands: [.paths], options: FilterArguments.options + [by, .json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      Without --by there is a table each for peers, tables and days, and a total. Each
      group gives its transactions (those that change something in it), its inserted,
      updated and deleted rows, and the bytes of their values before compression.
      Peers and the total also give the segments and their bytes, for all segments
      that may contain something wanted. A transaction counts once, however many
      segments contain it; two with the same sequence, a fork, count as two. What
      cannot be read is reported and not counted, and the exit status is then 3. A
      table that migrations have renamed counts under its newest name.

      Days are in UTC, by the stamps. Rows that a store had before it was attached
      have no time. They count as a day of their own, 1970-01-01, marked "(adopted)",
      in JSON "adopted": true.

      With --json each group is a line: "by" names it, and is empty for the total.


      """ + FilterArguments.details)

  private let paths: [String]
  private let filter: TransactionFilter
  private let groupings: [[LogGroup.Aspect]]
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
    filter = try FilterArguments.filter(arguments)
    guard let words = try arguments.list(Self.by) else {
      groupings = [[.peer], [.table], [.day], []]
      return
    }
    var aspects: [LogGroup.Aspect] = []
    for word in words {
      guard let aspect = LogGroup.Aspect(rawValue: word) else {
        throw UsageError("--by takes peer, table and day, not '\(word)'")
      }
      guard !aspects.contains(aspect) else { throw UsageError("--by names \(word) twice") }
      aspects.append(aspect)
    }
    groupings = [aspects]
  }

  func run(to output: Output) throws -> ExitStatus {
    let reading = try LogReading(paths, filter, output)
    var statistics = LogStatistics(groupings, FormerNames(beside: reading.logs))
    try reading.forEach("counting") { try statistics.add($0) }
    let files = SegmentTally(reading.segments)
    for number in groupings.indices {
      if printsJSON {
        try printJSON(statistics, number, files, reading.beginnings, to: output)
      } else {
        if number > 0 { try output.line("") }
        try printTable(statistics, number, files, reading.names, to: output)
      }
    }
    return reading.status
  }

  // MARK: Text

  private func printTable(
    _ statistics: LogStatistics, _ number: Int, _ files: SegmentTally,
    _ names: [PeerIdentity: String], to output: Output
  ) throws {
    let aspects = statistics.groupings[number]
    let hasFiles = SegmentTally.isFor(aspects)
    let titles = aspects.isEmpty ? ["TOTAL"] : aspects.flatMap(Self.titles)
    var header = titles + ["TRANSACTIONS", "INSERTS", "UPDATES", "DELETES", "BYTES"]
    if hasFiles { header += ["SEGMENTS", "FILE BYTES"] }
    var table = TextTable(
      header,
      alignments: titles.map { _ in .left }
        + Array(repeating: .right, count: header.count - titles.count), to: output)
    for (group, tally) in statistics.rows(of: number) {
      var cells = aspects.isEmpty ? [""] : aspects.flatMap { Self.cells(of: group, $0, names) }
      cells += [
        String(tally.transactions), String(tally.inserts), String(tally.updates),
        String(tally.deletes), String(tally.byteCount),
      ]
      if hasFiles {
        let sizes = files[group.peer]
        cells += [String(sizes.count), String(sizes.byteCount)]
      }
      try table.append(cells)
    }
    try table.finish()
  }

  private static func titles(of aspect: LogGroup.Aspect) -> [String] {
    aspect == .peer ? ["PEER", "NAME"] : [aspect.rawValue.uppercased()]
  }

  private static func cells(
    of group: LogGroup, _ aspect: LogGroup.Aspect, _ names: [PeerIdentity: String]
  ) -> [String] {
    switch aspect {
    case .peer:
      [
        group.peer?.description ?? "",
        group.peer.flatMap { names[$0] }.map { Escaping.escaped($0) } ?? "",
      ]
    case .table: [Escaping.escaped(group.table?.text ?? "")]
    case .day: [group.day.map { $0.text + ($0.isAdopted ? " (adopted)" : "") } ?? ""]
    }
  }

  // MARK: JSON

  private func printJSON(
    _ statistics: LogStatistics, _ number: Int, _ files: SegmentTally,
    _ beginnings: [LogBaseline], to output: Output
  ) throws {
    let aspects = statistics.groupings[number]
    for (group, tally) in statistics.rows(of: number) {
      var json = JSONWriter()
      json.object { json in
        json.member("by") { $0.group(group) }
        json.member("transactions", tally.transactions)
        json.member("inserts", tally.inserts)
        json.member("updates", tally.updates)
        json.member("deletes", tally.deletes)
        json.member("bytes", tally.byteCount)
        if SegmentTally.isFor(aspects) {
          json.member("segments", files[group.peer].count)
          json.member("fileBytes", files[group.peer].byteCount)
          let beginning = beginnings.first { baseline in
            group.peer.map { baseline.horizon[$0] > .zero } ?? true
          }
          if let beginning { json.member(beginning: beginning) }
        }
      }
      try output.line(json.text)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func group(_ group: LogGroup) {
    object { json in
      if let peer = group.peer { json.member("peer", peer.description) }
      if let table = group.table { json.member("table", table.text) }
      if let day = group.day {
        json.member("day", day.text)
        if day.isAdopted { json.member("adopted") { $0.bool(true) } }
      }
    }
  }
}
