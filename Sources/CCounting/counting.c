#include "counting.h"
#include "counters.h"
#include <sqlite3.h>
#include <stddef.h>

_Atomic(uint64_t) tributary_allocations;
static _Atomic(uint64_t) sqlite_allocations;
static _Atomic(uint64_t) sqlite_steps;

static sqlite3_mem_methods allocator; // SQLite's own

static void *allocate(int size) {
  tributary_add(&sqlite_allocations, 1);
  return allocator.xMalloc(size);
}

static void *reallocate(void *old, int size) {
  tributary_add(&sqlite_allocations, 1);
  return allocator.xRealloc(old, size);
}

// When a statement has ended, in whatever way.
static int ended(unsigned kind, void *context, void *statement, void *nanoseconds) {
  (void)kind, (void)context, (void)nanoseconds;
  int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
  tributary_add(&sqlite_steps, (uint64_t)steps);
  return 0;
}

static int opened(sqlite3 *database, char **message, const void *functions) {
  (void)message, (void)functions;
  return sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, ended, NULL);
}

int tributary_counting_start(void) {
  if (TRIBUTARY_IS_SANITIZED) return 0;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &allocator) != SQLITE_OK) return 0;
  sqlite3_mem_methods counting = allocator;
  counting.xMalloc = allocate;
  counting.xRealloc = reallocate;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &counting) != SQLITE_OK) return 0;
  // The function is declared as one without parameters.
  return sqlite3_auto_extension((void (*)(void))opened) == SQLITE_OK;
}

struct tributary_counts tributary_counting_read(void) {
  struct tributary_counts counts = {tributary_allocations, sqlite_allocations, sqlite_steps,
                                    tributary_system_calls, tributary_syncs};
  return counts;
}
