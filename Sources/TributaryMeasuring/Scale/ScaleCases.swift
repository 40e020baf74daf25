/// How costs grow with the amount of data.
final class ScaleCases {
  private let options: Options
  private let scratch: Scratch
  /// The costs of the points of the curve, from which the growth is computed.
  private var points: [(rows: Int, importing: Double, plain: Double)] = []

  init(options: Options, scratch: Scratch) {
    self.options = options
    self.scratch = scratch
  }

  private static let fewestRows = 10_000
  /// The number of rows that a megabyte of a large value counts as.
  private static let rowsPerMegabyte = 1000

  var all: [Case] {
    curve.map(make) + [growth] + others.map(make)
      + [DeclaredFleetScale(options: options, scratch: scratch).case]
  }

  private var curve: [RowLoad] {
    var loads: [RowLoad] = []
    var rows = Self.fewestRows
    while rows <= options.mostRows {
      loads.append(RowLoad(name: "\(rows.grouped) rows", amount: rows))
      rows *= 10
    }
    return loads
  }

  private var others: [any ScaleLoad] {
    let transactions = most(1_000_000)
    let perPeer = most(100_000) / 100
    let segments = most(100_000) / 10
    let megabytes = most(1000 * Self.rowsPerMegabyte) / Self.rowsPerMegabyte
    let large = max(1, megabytes / 100)
    return [
      RowLoad(
        name: "\(transactions.grouped) transactions of a row", amount: transactions,
        rowsPerTransaction: 1),
      RowLoad(
        name: "100 peers, \(perPeer.grouped) rows each", amount: perPeer * 100, authorCount: 100),
      RowLoad(
        name: "\(segments.grouped) segments of 10 rows", amount: segments * 10,
        rowsPerTransaction: 10, transactionsPerSegment: 1),
      BlobLoad(
        name: "\(megabytes.grouped) blobs of 1 MB", count: megabytes, megabytes: 1),
      BlobLoad(
        name: large == 1 ? "a blob of 100 MB" : "\(large) blobs of 100 MB", count: large,
        megabytes: 100),
    ]
  }

  private func most(_ rows: Int) -> Int { min(rows, max(options.mostRows, Self.fewestRows)) }

  private func make(_ load: any ScaleLoad) -> Case {
    let what = load.unit == .microseconds ? "a row" : "a MB"
    func figure(_ work: String) -> Figure {
      Figure("scale, \(load.name): \(work) \(what)", load.unit, must: nil, goal: nil)
    }
    let publishes = load.authors.count == 1
    return Case(
      (publishes ? [figure("publish")] : []) + [
        figure("import"), figure("rebuild"),
        Figure("scale, \(load.name): peak memory", .megabytes, must: 256, goal: 128),
      ]
    ) { [self] in try measure(load) }
  }

  private func measure(_ load: any ScaleLoad) throws -> [Measurement] {
    let result = try ScaleRun(load: load, scratch: scratch).run()
    let scale = (load.unit == .microseconds ? 1e6 : 1e3) / Double(load.amount)
    if let load = load as? RowLoad, curve.contains(where: { $0.name == load.name }) {
      points.append((load.amount, result.importing.seconds * scale, result.plain * scale))
    }
    func measurement(_ outcome: ChildRun.Outcome) -> Measurement {
      Measurement(
        value: outcome.seconds * scale,
        details: [
          (name: "plain", value: result.plain * scale),
          (name: "to plain", value: outcome.seconds / result.plain),
          (name: "s", value: outcome.seconds), (name: "MB of memory", value: outcome.megabytes),
        ])
    }
    let outcomes =
      (result.publishing.map { [$0] } ?? []) + [result.importing, result.rebuilding]
    return outcomes.map(measurement)
      + [Measurement(value: outcomes.map(\.megabytes).max() ?? 0)]
  }

  private var growth: Case {
    Case([
      Figure("scale: growth of import a row", must: 1.5, goal: 1.15),
      Figure("scale: growth of import to plain", must: nil, goal: nil),
    ]) { [self] in
      guard let first = points.first, let last = points.last, first.rows < last.rows else {
        throw BenchmarkError("wants two sizes; see --most-rows")
      }
      let note = "from \(first.rows.grouped) to \(last.rows.grouped) rows"
      return [
        Measurement(
          value: last.importing / first.importing,
          details: [(name: "of plain", value: last.plain / first.plain)]
            + points.dropFirst().dropLast().map {
              (name: "from \($0.rows.grouped)", value: last.importing / $0.importing)
            }, note: note),
        Measurement(
          value: (last.importing / last.plain) / (first.importing / first.plain), note: note),
      ]
    }
  }
}

extension Int {
  /// The number with a comma before each group of three digits.
  fileprivate var grouped: String {
    var text = ""
    for (position, digit) in String(self).reversed().enumerated() {
      if position > 0, position % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
