import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// A year of use: devices that write every day, one of them away for eleven months.
struct YearTests {
  private struct Scale {
    var devices, rows, changes: Int
    var days = 366
    /// The days on which the last device is there.
    var present: Set<Int> { Set(Array(0..<15) + Array((days - 15)..<days)) }

    /// All that the year has with `tools/soak --year`; otherwise, a tenth of the devices' work and a fiftieth of the
    /// rows, and fewer days.
    static var chosen: Scale {
      Soak.isYear
        ? Scale(devices: 10, rows: 10_000, changes: 1_000_000)
        : Scale(devices: 3, rows: 200, changes: 9_000, days: 150)
    }
  }

  private struct Day {
    var number, container, copy, logs: Int
  }

  @Test func `the container stays within three copies and a month of logs, and all are equal`()
    throws
  {
    try withTemporaryDirectory { path in
      let scale = Scale.chosen
      let names = (0..<scale.devices).map { "device\($0)" }
      let away = names.last!
      let fleet = try HorizonFleet(
        in: path, schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL, c INTEGER)")
      fleet.policy = HorizonPolicy()
      fleet.policy.isOn = true
      for name in names { try fleet.attach(name) }
      var random = SeededGenerator(seed: 20)
      var published = [try fill(fleet, names[0], scale, &random)]
      var days: [Day] = []
      let count = scale.changes / scale.days / scale.devices
      for day in 0..<scale.days {
        fleet.pass(days: 1)
        published.append(0)
        for name in names {
          if name == away, !scale.present.contains(day) { continue }
          try change(fleet, name, count, scale, &random)
          // What it writes last it can publish only when it is back.
          if name == away, day == 14 {
            try writeOwn(fleet, away, scale)
          } else {
            published[day + 1] += try fleet[name].synchronize().published.bytes
          }
        }
        for _ in 0..<2 {
          for name in names where name != away || scale.present.contains(day) && day != 14 {
            published[day + 1] += try fleet[name].synchronize().published.bytes
          }
        }
        days.append(
          Day(
            number: day, container: try fleet.containerByteCount(), copy: try copy(fleet),
            logs: published.suffix(31).reduce(0, +)))
      }
      for _ in 0..<3 { for name in names { _ = try fleet[name].synchronize() } }
      try fleet.expectEqual()
      #expect(
        try fleet[names[0]].rows("SELECT count(*), count(DISTINCT a) FROM t WHERE a LIKE 'away%'")
          == ["\(Self.ownCount)|\(Self.ownCount)"])
      let excess = days.filter { $0.copy > 0 && $0.container > 3 * $0.copy + $0.logs }
      #expect(excess.map(\.number) == [], "\(excess.prefix(3))")
      if Soak.isYear { print(report(days)) }
    }
  }

  /// Writes rows that nobody else changes.
  private func writeOwn(_ fleet: HorizonFleet, _ name: String, _ scale: Scale) throws {
    try fleet[name].store.write { database in
      for number in 1...Self.ownCount {
        try database.execute(
          "INSERT INTO t VALUES (\(scale.rows + number), 'away \(number)', 0.5, 0)")
      }
    }
  }

  private static let ownCount = 50

  /// - Returns: how many bytes were published.
  private func fill(
    _ fleet: HorizonFleet, _ name: String, _ scale: Scale, _ random: inout SeededGenerator
  ) throws -> Int {
    try fleet[name].store.write { database in
      for id in 1...scale.rows {
        try database.execute(
          "INSERT INTO t VALUES (\(id), 'title \(random.number(0...999_999))', \(id).5, 0)")
      }
    }
    var bytes = 0
    for _ in 0..<2 {
      for session in fleet.sessions.values { bytes += try session.synchronize().published.bytes }
    }
    return bytes
  }

  /// Changes rows, a few of them in each transaction.
  private func change(
    _ fleet: HorizonFleet, _ name: String, _ count: Int, _ scale: Scale,
    _ random: inout SeededGenerator
  ) throws {
    var left = count
    while left > 0 {
      let part = min(left, 25)
      left -= part
      try fleet[name].store.write { database in
        for _ in 0..<part {
          let id = random.number(1...scale.rows)
          try database.execute(
            random.once(in: 3)
              ? "UPDATE t SET c = c + 1, b = \(random.number(0...9999)).25 WHERE id = \(id)"
              : "UPDATE t SET a = 'title \(random.number(0...999_999))' WHERE id = \(id)")
        }
      }
    }
  }

  /// The size of the largest baseline: one compressed copy of the data.
  private func copy(_ fleet: HorizonFleet) throws -> Int {
    let files = FileManager.default.enumerator(atPath: fleet.devices.container)?.allObjects ?? []
    return try files.compactMap { $0 as? String }.filter { $0.contains("/baseline/") }.map {
      let path = "\(fleet.devices.container)/\($0)"
      return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }.max() ?? 0
  }

  /// The sizes of some days, in KB.
  private func report(_ days: [Day]) -> String {
    days.filter { $0.number % 15 == 0 || $0.number == days.count - 1 }.map { day in
      "day \(day.number): container \(day.container / 1000) KB, one copy \(day.copy / 1000) KB, "
        + "a month of logs \(day.logs / 1000) KB"
    }.joined(separator: "\n")
  }
}
