/*
 * A visitors' book that several devices share. Each has a database of its own; SQLite writes it, and Tributary
 * carries what was written to the others.
 *
 *     visitors DATABASE SHARED sign NAME   writes a name, and publishes it
 *     visitors DATABASE SHARED list        takes what others have written, and lists all names
 *     visitors DATABASE SHARED watch       says what is imported, until standard input ends
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tributary.h"

/* Says what is wrong and ends the program, if a call has failed. */
static void check(int code, tributary_error *error) {
  if (code == TRIBUTARY_OK) return;
  fprintf(stderr, "visitors: %s\n", tributary_error_description(error));
  /* Damaged files were set aside; the rest is imported. */
  if (code != TRIBUTARY_DAMAGE) exit(1);
  tributary_error_free(error);
}

static void check_sqlite(int code, sqlite3 *db) {
  if (code == SQLITE_OK) return;
  fprintf(stderr, "visitors: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static sqlite3 *open_database(const char *path) {
  sqlite3 *db;
  check_sqlite(sqlite3_open(path, &db), db);
  /* The store may be importing just now. */
  sqlite3_busy_timeout(db, 5000);
  /* Keys that no two devices give twice. */
  check_sqlite(sqlite3_exec(db,
                            "CREATE TABLE IF NOT EXISTS visitor"
                            " (id BLOB PRIMARY KEY DEFAULT (randomblob(16)) NOT NULL,"
                            "  name TEXT NOT NULL)",
                            NULL, NULL, NULL),
               db);
  return db;
}

static tributary_store *open_store(const char *path, const char *shared) {
  const char *options[] = {"container", shared, "name", "Visitors", NULL};
  tributary_store *store;
  tributary_error *error;

  check(tributary_attach(path, options, NULL, &error), error);
  check(tributary_open(path, NULL, &store, &error), error);
  return store;
}

static void synchronize(tributary_store *store) {
  tributary_error *error;
  check(tributary_sync(store, NULL, NULL, &error), error);
}

static void sign(const char *path, const char *name) {
  sqlite3 *db = open_database(path);
  sqlite3_stmt *statement;
  check_sqlite(
      sqlite3_prepare_v2(db, "INSERT INTO visitor (name) VALUES (?)", -1, &statement, NULL), db);
  check_sqlite(sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC), db);
  sqlite3_step(statement);
  check_sqlite(sqlite3_finalize(statement), db);
  sqlite3_close(db);
}

static int print_name(void *context, int count, char **values, char **names) {
  (void)context, (void)count, (void)names;
  printf("%s\n", values[0]);
  return 0;
}

static void list(const char *path) {
  sqlite3 *db = open_database(path);
  check_sqlite(sqlite3_exec(db, "SELECT name FROM visitor ORDER BY name", print_name, NULL, NULL),
               db);
  sqlite3_close(db);
}

static void did_import(void *context, const char *report) {
  (void)context;
  printf("%s\n", report);
  fflush(stdout);
}

static void watch(tributary_store *store) {
  tributary_error *error;
  check(tributary_on_import(store, did_import, NULL, &error), error);
  check(tributary_start(store, NULL, &error), error);
  while (getchar() != EOF) {
  }
}

int main(int count, char **words) {
  if (count < 4 || (strcmp(words[3], "sign") == 0) != (count == 5)) {
    fprintf(stderr, "usage: visitors DATABASE SHARED sign NAME | list | watch\n");
    return 2;
  }
  if (!tributary_shares_sqlite(sqlite3_libversion())) {
    fprintf(stderr, "visitors: linked with an SQLite of its own\n");
    return 1;
  }
  const char *path = words[1];
  /* The tables first, so that attaching finds them; and closed, since it may need the file for itself. */
  sqlite3_close(open_database(path));
  tributary_store *store = open_store(path, words[2]);
  if (strcmp(words[3], "sign") == 0) {
    sign(path, words[4]);
    synchronize(store);
  } else if (strcmp(words[3], "list") == 0) {
    synchronize(store);
    list(path);
  } else {
    watch(store);
  }
  tributary_close(store);
  return 0;
}
