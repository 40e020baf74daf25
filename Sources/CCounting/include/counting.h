#ifndef TRIBUTARY_COUNTING_H
#define TRIBUTARY_COUNTING_H

#include <stdint.h>

// What the whole process has done so far, in all its threads.
struct tributary_counts {
  uint64_t allocations;        // calls of malloc and its kin, SQLite's included
  uint64_t sqlite_allocations; // those that SQLite asked for
  uint64_t sqlite_steps;       // instructions of its virtual machine, of statements that have ended
  uint64_t system_calls;       // see calls.c
  uint64_t syncs;              // of these, fsync and fdatasync
};

// Before the first use of SQLite; false where it cannot count.
int tributary_counting_start(void);

struct tributary_counts tributary_counting_read(void);

#endif
