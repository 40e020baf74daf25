#ifndef TRIBUTARY_CSQLITE_H
#define TRIBUTARY_CSQLITE_H

// Debian builds its library with both, but the header hides them unless asked.
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_SESSION 1
#include <sqlite3.h>

// The destructor constants are casts of integers to function pointers, which Swift cannot import.
static inline int tributary_bind_text(sqlite3_stmt *statement, int index, const void *bytes,
                                      sqlite3_uint64 count, int copied) {
  return sqlite3_bind_text64(statement, index, (const char *)bytes, count,
                             copied ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

static inline int tributary_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                      sqlite3_uint64 count, int copied) {
  return sqlite3_bind_blob64(statement, index, bytes, count,
                             copied ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

// For results of virtual tables; the bytes must stay until the statement goes on.
static inline void tributary_result_text(sqlite3_context *context, const void *bytes,
                                         sqlite3_uint64 count) {
  sqlite3_result_text64(context, (const char *)bytes, count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline void tributary_result_blob(sqlite3_context *context, const void *bytes,
                                         sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes, count, SQLITE_STATIC);
}

// For results of functions, which are copied. An address is needed even for no bytes: NULL would be NULL.
static inline void tributary_copy_text(sqlite3_context *context, const void *bytes,
                                       sqlite3_uint64 count) {
  sqlite3_result_text64(context, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

static inline void tributary_copy_blob(sqlite3_context *context, const void *bytes,
                                       sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// As a column for text stores it; variadic in C.
static inline void tributary_print_real(char *buffer, int size, double number) {
  sqlite3_snprintf(size, buffer, "%!.15g", number);
}

static inline int tributary_enable(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

// Whether a setting of sqlite3_db_config is on.
static inline int tributary_is_enabled(sqlite3 *db, int option) {
  int on = 0;
  sqlite3_db_config(db, option, -1, &on);
  return on;
}

#endif
