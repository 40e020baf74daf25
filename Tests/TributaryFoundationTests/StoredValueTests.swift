import Testing
import TributaryFoundation
import TributaryTesting

/// The forms in which Foundation's types are stored.
struct StoredValueTests {
  @Test(arguments: [
    (0, "1970-01-01 00:00:00.000"), (951_782_400.25, "2000-02-29 00:00:00.250"),
    (-1, "1969-12-31 23:59:59.000"), (-2_203_891_200, "1900-03-01 00:00:00.000"),
    (253_402_300_799.999, "9999-12-31 23:59:59.999"), (-62_167_219_200, "0000-01-01 00:00:00.000"),
    (1_772_368_205.9996, "2026-03-01 12:30:06.000"),
  ])
  func `a date is text in UTC, and comes back`(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(date.value == .string(text))
    let read = try #require(Date(value: date.value))
    #expect(abs(read.timeIntervalSince1970 - seconds) < 0.0006)
  }

  @Test func `each day of some centuries comes back, in order`() throws {
    var last = ""
    for day in stride(from: -700_000, through: 200_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86400)
      let text = try #require(date.value.stringValue)
      #expect(Date(value: date.value) == date && last < text)
      last = text
    }
  }

  @Test(arguments: [
    ("2026-03-01", 1_772_323_200), ("2026-03-01 12:30", 1_772_368_200),
    ("2026-03-01T12:30:05Z", 1_772_368_205), ("2026-03-01T12:30:05.5+02:00", 1_772_361_005.5),
    ("2026-03-01 12:30:05.123456-00:30", 1_772_370_005.123456),
  ])
  func `dates of other programs are read`(text: String, seconds: Double) throws {
    let date = try #require(Date(value: .string(text)))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_01)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-02-29", "2026-03-01 24:00", "2026-03-01 12:30:60",
    "2026-03-01 12:30 PM", "2026-03-01 ", "now", "2026-03-01T12:30:05.Z", "2026-03-01 12:30+2",
  ])
  func `other text is no date`(text: String) { #expect(Date(value: .string(text)) == nil) }

  @Test func `a date beyond the years 0 to 9999 is a number`() {
    for date in [
      Date(timeIntervalSince1970: 253_402_300_800), Date(timeIntervalSince1970: -1e12),
    ] {
      #expect(date.value == .real(date.timeIntervalSince1970))
      #expect(Date(value: date.value) == date)
    }
    #expect(Date(value: .integer(5)) == Date(timeIntervalSince1970: 5))
  }

  @Test func `a UUID is 16 bytes, and its text is read too`() {
    let uuid = UUID()
    #expect(uuid.value.blobValue?.count == 16 && UUID(value: uuid.value) == uuid)
    #expect(UUID(value: .string(uuid.uuidString.lowercased())) == uuid)
    #expect(UUID(value: .blob([1, 2])) == nil && UUID(value: "x") == nil)
    #expect(UUID(value: .null) == nil)
  }

  @Test func `data is a blob`() {
    #expect(Data([1, 0, 2]).value == .blob([1, 0, 2]))
    #expect(Data().value == .blob([]) && Data(value: .blob([])) == Data())
    #expect(Data(value: "x") == nil)
  }

  @Test func `no digit of a decimal number is lost`() throws {
    for text in [
      "0", "-12.5", "0.1", "123456789012345678901234567890.12345678", "3", "-0.000000000000000001",
    ] {
      let decimal = try #require(
        Decimal(string: text, locale: Locale(identifier: "de_DE_POSIX")) ?? Decimal(string: text))
      #expect(Decimal(value: decimal.value) == decimal)
    }
    #expect(Decimal(string: "12.50")?.value == "12.5")
    #expect(Decimal(value: .integer(7)) == 7 && Decimal(value: "1e3") == 1000)
    #expect(Decimal(value: "12 apples") == nil && Decimal(value: .real(0.1)) == nil)
    #expect(Decimal.nan.value == .null)
  }

  private struct Purchase: Codable, Equatable {
    var id: UUID
    var date: Date
    var price: Decimal
    var receipt: Data?
    var delivered: Date?
  }

  @Test func `rows with such properties are inserted and read back`() async throws {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      var options = StoreOptions(
        contentName: "Shop", container: try Container(at: directory + "/shared"),
        schema: [
          Migration(
            name: "1",
            sql: """
              CREATE TABLE purchase (
                id BLOB PRIMARY KEY NOT NULL, date TEXT NOT NULL, price TEXT NOT NULL,
                receipt BLOB, delivered TEXT)
              """)
        ])
      options.synchronizesAutomatically = false
      let store = try await Store.open(at: directory + "/shop.sqlite", options: options)
      defer { store.close() }
      var purchase = Purchase(
        id: UUID(), date: Date(timeIntervalSince1970: 1_772_368_205.25),
        price: Decimal(string: "9.99")!,
        receipt: Data([1, 2]), delivered: nil)
      try store.write { try $0.insert(purchase, into: "purchase") }
      #expect(
        try store.read { try $0.query(Purchase.self, "SELECT * FROM purchase") } == [purchase])
      purchase.delivered = Date(timeIntervalSince1970: 1_772_400_000)
      purchase.receipt = nil
      #expect(try store.write { try $0.update(purchase, in: "purchase") })
      let row = try store.read { db in
        try db.query("SELECT *, date(date) AS day FROM purchase WHERE id = ?", purchase.id)[0]
      }
      #expect(try row.decode(Purchase.self) == purchase)
      #expect(row.string("day") == "2026-03-01")
      #expect(row.value("date", as: Date.self) == purchase.date)
      #expect(row.value("receipt", as: Data.self) == nil)
      let dates = try store.read { try $0.query(Date.self, "SELECT date FROM purchase") }
      #expect(dates == [purchase.date])
      try store.write { try $0.execute("UPDATE purchase SET price = 'much'") }
      let error = #expect(throws: RowCodingError.self) {
        try store.read { try $0.query(Purchase.self, "SELECT * FROM purchase") }
      }
      #expect(error?.column == "price" && error?.type == "Decimal")
    }
  }
}
