import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// Rows that refer by another type than their parent's key has.
struct LooseParentTests {
  private static let tables = """
    CREATE TABLE p (k TEXT NOT NULL, l INTEGER NOT NULL, PRIMARY KEY (k, l)) WITHOUT ROWID;
    CREATE TABLE c (
      k TEXT PRIMARY KEY, f TEXT, g,
      FOREIGN KEY (f, g) REFERENCES p (k, l) ON DELETE CASCADE ON UPDATE RESTRICT);
    INSERT INTO p VALUES ('a', 1), ('b', 2);
    """

  @Test(arguments: ["DELETE FROM p WHERE l = 1", "UPDATE p SET l = 3 WHERE l = 1"])
  func `a parent does not go as long as a child spells its key otherwise`(
    statement: String
  ) throws {
    try withStore(Self.tables + "INSERT INTO c VALUES ('x', 'a', '1.0')") { store in
      do {
        try store.store.write { database in
          do {
            try database.execute(statement)
          } catch let error as SQLiteError where error.isConstraintViolation {
            // The application goes on; SQLite need not have undone the statement that it refused.
          }
        }
      } catch let error as SQLiteError {
        #expect(error.isConstraintViolation, "\(error)")
      }
      try store.expectRows("SELECT count(*) FROM pragma_foreign_key_check", ["0"])
      try store.expectRows("SELECT * FROM p", ["'a', 1", "'b', 2"])
    }
  }

  @Test func `a parent that nothing refers to goes`() throws {
    try withStore(Self.tables + "INSERT INTO c VALUES ('x', 'a', '1')") { store in
      try store.expect("DELETE FROM p WHERE l = 2", ["delete p ('b', 2)"])
    }
  }
}
