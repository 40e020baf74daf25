import Foundation

/// An SQLite extension with a function `shout`, a collation `backwards` and a tokenizer `loud`, compiled for
/// the test.
package enum ExtensionFixture {
  struct Missing: Error, CustomStringConvertible {
    let description =
      "no C compiler here, and extensions cannot be tested without one: run tools/setup"
  }

  /// Compiles the extension.
  ///
  /// - Returns: the path of the library.
  package static func build(in directory: String) throws -> String {
    let source = directory + "/sample.c"
    let library = directory + "/sample.so"
    try Data(code.utf8).write(to: URL(filePath: source))
    for compiler in ["cc", "clang", "gcc"] {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [compiler, "-shared", "-fPIC", "-o", library, source]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus == 0 { return library }
    }
    throw Missing()
  }

  private static let code = """
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1
    #include <string.h>

    static void shout(sqlite3_context *context, int count, sqlite3_value **values) {
      const unsigned char *text = sqlite3_value_text(values[0]);
      if (text) sqlite3_result_text(context, sqlite3_mprintf("%s!", text), -1, sqlite3_free);
    }

    static int backwards(void *none, int m, const void *a, int n, const void *b) {
      int order = memcmp(b, a, m < n ? m : n);
      return order ? order : n - m;
    }

    static int add_tokenizer(sqlite3 *db) {
      fts5_api *api = 0;
      fts5_tokenizer tokenizer;
      void *data = 0;
      sqlite3_stmt *statement = 0;
      if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0)) return SQLITE_ERROR;
      sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
      sqlite3_step(statement);
      sqlite3_finalize(statement);
      if (!api || api->xFindTokenizer(api, "unicode61", &data, &tokenizer)) return SQLITE_ERROR;
      return api->xCreateTokenizer(api, "loud", data, &tokenizer, 0);
    }

    int sqlite3_sample_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      int code = sqlite3_create_function(
        db, "shout", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, shout, 0, 0);
      if (!code) code = sqlite3_create_collation(db, "backwards", SQLITE_UTF8, 0, backwards);
      return code ? code : add_tokenizer(db);
    }
    """
}
