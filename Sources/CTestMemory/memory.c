#include <sqlite3.h>

#include "memory.h"

// SQLite counts its memory under one lock for the whole process. Tests run side by side, and would spend a
// quarter of their time waiting for it.
__attribute__((constructor)) static void leave_memory_uncounted(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
