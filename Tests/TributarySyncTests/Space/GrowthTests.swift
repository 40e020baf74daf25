import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync

struct GrowthTests {
  private static let peer = String(repeating: "0", count: 31) + "1"

  private func growth(_ days: [UInt64: UInt64], on today: UInt64 = 100) -> WrittenDays.Growth? {
    let lines = days.map { "\($0.key) \($0.value)\n" }.joined()
    return WrittenDays("7 \(Self.peer)\n\(lines)").growth(on: today)
  }

  @Test func `more in a day than in the 30 days before, and over 64 MB, is sudden growth`() {
    #expect(growth([100: 70_000_000]) == .init(day: 100, bytes: 70_000_000, before: 0))
    #expect(
      growth([99: 90_000_000, 95: 40_000_000, 70: 40_000_000])
        == .init(day: 99, bytes: 90_000_000, before: 80_000_000))
    // The day before the 30.
    #expect(growth([100: 70_000_000, 69: 90_000_000])?.before == 0)
  }

  @Test func `as much as before, or less than 64 MB, is none`() {
    #expect(growth([100: 60_000_000]) == nil)
    #expect(growth([100: 70_000_000, 80: 70_000_000]) == nil)
    #expect(growth([98: 70_000_000]) == nil)
    #expect(growth([:]) == nil)
  }

  @Test func `doctor names it, as a warning where the store has written before`() throws {
    try withDoctor { doctor in
      let today = UInt64(Date().timeIntervalSince1970) / 86_400
      let peer = try doctor.peer(doctor.a)
      let last = try doctor.a.status().peers[0].sequence
      func put(_ days: String) throws {
        try doctor.damage(
          "a",
          "INSERT OR REPLACE INTO tributary_store VALUES ('written', '\(last) \(peer)\n\(days)')")
      }
      #expect(try doctor.diagnose("a") == [])
      try put("\(today) 70000000\n")
      #expect(try doctor.diagnose("a") == ["note sudden-growth"])
      try put("\(today) 70000000\n\(today - 9) 1000\n")
      let finding = try #require(try doctor.findings("a").first)
      #expect(finding.text == "warning sudden-growth")
      #expect(finding.explanation.contains("wrote 70000000 bytes on "))
      #expect(finding.explanation.contains("30 days before together (1000 bytes)"))
    }
  }

  @Test func `what is written is counted on its day, large transactions too`() throws {
    try withDoctor { doctor in
      func written() throws -> UInt64 { try doctor.a.writtenDays().bytes.values.reduce(0, +) }
      let before = try written()
      try doctor.a.execute("INSERT INTO t VALUES (50, hex(zeroblob(3000000)))")
      #expect(try written() - before > 6_000_000)
      try doctor.a.exchange()
      // The day is recorded already, and what came later is counted all the same.
      #expect(try written() - before > 6_000_000)
    }
  }
}
