import Foundation
import Testing
import Tributary
import TributaryTesting

/// Rows as values of `Codable` types.
struct CodingTests {
  private enum Kind: String, Codable { case studio, live }
  private enum Stars: Int, Codable { case none, one, two }

  private struct Album: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
      case id, title, kind, stars, length, cover, note
      case isNew = "is_new"
    }

    var id: Int64?
    var title: String
    var kind: Kind
    var stars: Stars?
    var length: Double
    var isNew: Bool
    var cover: [UInt8]?
    var note: String?
  }

  private static let blue = Album(
    id: nil, title: "Blue", kind: .studio, stars: .two, length: 36.25, isNew: false,
    cover: [0, 255], note: nil)

  private func withStore(_ body: (Store) throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = try await Devices(in: directory).open(
        "a",
        schema: [
          Migration(
            name: "1",
            sql: """
              CREATE TABLE album (
                id INTEGER PRIMARY KEY, title TEXT NOT NULL, kind TEXT, stars INTEGER, length REAL,
                is_new INTEGER, cover BLOB, note TEXT DEFAULT 'none', extra);
              CREATE TABLE place ("house no" INTEGER, street TEXT, name TEXT,
                PRIMARY KEY (street, "house no"));
              CREATE VIEW titles AS SELECT title FROM album
              """)
        ])
      defer { store.close() }
      try body(store)
    }
  }

  @Test func `a value is inserted, read back and updated`() async throws {
    try await withStore { store in
      var album = Self.blue
      album.id = try store.write { db in
        try db.insert(album, into: "album")
        return try db.lastInsertedRowID
      }
      func all() throws -> [Album] {
        try store.read { try $0.query(Album.self, "SELECT * FROM album") }
      }
      #expect(try all() == [album])
      // `nil` is NULL, whatever the default.
      #expect(try store.rows("SELECT note, typeof(cover) FROM album") == ["null|blob"])
      album.note = "a note"
      album.stars = nil
      album.kind = .live
      #expect(try store.write { try $0.update(album, in: "ALBUM") })
      #expect(try all() == [album])
      album.id = 99
      #expect(try !store.write { try $0.update(album, in: "album") })
      #expect(
        try store.read { try $0.query("SELECT * FROM album")[0].decode(Album.self) }.note
          == "a note")
    }
  }

  @Test func `a type of one value takes the only column`() async throws {
    try await withStore { store in
      try store.write { try $0.insert(Self.blue, into: "album") }
      try store.read { db in
        #expect(try db.query(String.self, "SELECT title FROM album") == ["Blue"])
        #expect(try db.query(Int.self, "SELECT count(*) FROM album WHERE id > ?", [0]) == [1])
        #expect(try db.query(Int?.self, "SELECT note FROM album") == [nil])
        #expect(try db.query(Kind.self, "SELECT kind FROM album") == [.studio])
        #expect(try db.query([UInt8].self, "SELECT cover FROM album") == [[0, 255]])
        let error = #expect(throws: RowCodingError.self) {
          try db.query(Int.self, "SELECT id, id FROM album")
        }
        #expect(error?.message.contains("2 columns") == true)
        var titles: [String] = []
        try db.forEach(String.self, "SELECT title FROM album") { titles.append($0) }
        #expect(titles == ["Blue"])
      }
    }
  }

  @Test func `lent rows and prepared statements give values of types as queries do`() async throws {
    try await withStore { store in
      var hejira = Self.blue
      hejira.title = "Hejira"
      try store.write { db in
        for album in [Self.blue, hejira] { try db.insert(album, into: "album") }
      }
      try store.read { db in
        let sql = "SELECT * FROM album WHERE id <= ? ORDER BY id"
        for limit in [2, 0, 1, 2] as [Value] {
          let expected = try db.query(Album.self, sql, [limit])
          let statement = try db.prepare(sql)
          for _ in 0..<2 {
            #expect(try statement.query(Album.self, [limit]) == expected)
            #expect(try statement.query(Album.self, Arguments([limit])) == expected)
            var lent: [Album] = []
            try db.forEach(sql, [limit]) { lent.append(try $0.decode(Album.self)) }
            try statement.forEach([limit]) { lent.append(try $0.decode(Album.self)) }
            try statement.forEach(Album.self, [limit]) { lent.append($0) }
            #expect(lent == expected + expected + expected)
          }
        }
        let count = try db.prepare("SELECT count(*) FROM album WHERE id > :id")
        #expect(try count.query(Int.self, ["id": 1]) == [1])
        let title = try db.prepare("SELECT title FROM album")
        #expect(try title.query(String.self) == ["Blue", "Hejira"])
        let error = #expect(throws: RowCodingError.self) { try title.query(Int.self) }
        #expect(error?.code == .wrongType && error?.column == "title")
        let missing = #expect(throws: RowCodingError.self) {
          try db.forEach("SELECT id FROM album") { _ = try $0.decode(Album.self) }
        }
        #expect(missing?.code == .missingColumn && missing?.column == "title")
      }
    }
  }

  private struct Place: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
      case street, name
      case number = "house no"
    }

    var street: String
    var number: Int
    var name: String?
  }

  @Test func `a key of several columns finds its row`() async throws {
    try await withStore { store in
      try store.write { db in
        try db.insert(Place(street: "a", number: 1, name: "x"), into: "place")
        try db.insert(Place(street: "a", number: 2, name: "y"), into: "place")
        #expect(try db.update(Place(street: "a", number: 2, name: nil), in: "place"))
        #expect(
          try db.query(Place.self, "SELECT * FROM place ORDER BY 1") == [
            Place(street: "a", number: 1, name: "x"), Place(street: "a", number: 2, name: nil),
          ])
      }
    }
  }

  private struct Odd<Part: Codable>: Codable { var title: Part }
  private struct Nested: Codable { var a = 1 }

  @Test func `what does not fit is an error that names the column and the type`() async throws {
    try await withStore { store in
      try store.write { try $0.insert(Self.blue, into: "album") }
      func error<Decoded: Decodable>(_ type: Decoded.Type, _ sql: String) throws -> RowCodingError {
        try #require(throws: RowCodingError.self) {
          try store.read { _ = try $0.query(type, sql) }
        }
      }
      let missing = try error(Album.self, "SELECT id, title FROM album")
      #expect(missing.code == .missingColumn && missing.column == "kind" && missing.type == "Album")
      let null = try error(Odd<String>.self, "SELECT NULL AS title")
      #expect(null.code == .unexpectedNull && null.column == "title" && null.type == "String")
      let wrong = try error(Odd<Int8>.self, "SELECT 128 AS title")
      #expect(wrong.code == .wrongType && wrong.message.contains("the integer 128"))
      #expect(try error(Odd<String>.self, "SELECT 1 AS title").code == .wrongType)
      #expect(try error(Odd<Bool>.self, "SELECT 2 AS title").code == .wrongType)
      #expect(try error(Odd<[UInt8]>.self, "SELECT 'a' AS title").code == .wrongType)
      #expect(try error(Odd<[String]>.self, "SELECT 'a' AS title").code == .unsupportedType)
      #expect(try error(Odd<Nested>.self, "SELECT 'a' AS title").code == .unsupportedType)
      #expect(try error(Odd<Kind>.self, "SELECT 'x' AS title").type == "Kind")
      func refused(_ row: some Encodable, _ table: String = "album") throws -> RowCodingError {
        try #require(throws: RowCodingError.self) {
          try store.write { try $0.insert(row, into: table) }
        }
      }
      #expect(try refused(Odd(title: ["a"])).code == .unsupportedType)
      #expect(try refused(Odd(title: Nested())).column == nil)
      #expect(try refused([1]).code == .unsupportedType)
      #expect(try refused(Odd(title: UInt64.max)).message.contains("18446744073709551615"))
      let keyless = try #require(throws: RowCodingError.self) {
        try store.write { try $0.update(Self.blue, in: "album") }
      }
      #expect(keyless.code == .missingKey && keyless.message.contains("the key is id"))
      #expect(throws: RowCodingError.self) {
        try store.write { try $0.update(Self.blue, in: "titles") }
      }
      #expect(try error(Odd<Float>.self, "SELECT 1e300 AS title").code == .wrongType)
      #expect(throws: SQLiteError.self) {
        try store.write { try $0.insert(Self.blue, into: "nowhere") }
      }
      let nowhere = #expect(throws: SQLiteError.self) {
        try store.write { try $0.update(Self.blue, in: "nowhere") }
      }
      #expect(nowhere?.message == "no such table: main.nowhere")
      #expect(try store.rows("SELECT count(*) FROM album") == ["1"])
    }
  }
}
