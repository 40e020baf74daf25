#ifndef TRIBUTARY_EXTENSION_H
#define TRIBUTARY_EXTENSION_H

// Without it, the header makes each function of SQLite a macro that needs a variable of its own.
#define SQLITE_CORE 1
#include <sqlite3ext.h>

// What SQLite calls when a program loads the library as an extension; the name follows from that of
// the file. https://www.sqlite.org/loadext.html
int sqlite3_tributary_init(sqlite3 *connection, char **message, const sqlite3_api_routines *host);

#endif
