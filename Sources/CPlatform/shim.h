#ifndef TRIBUTARY_CPLATFORM_H
#define TRIBUTARY_CPLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // statx(2), memmem(3), sync_file_range(2)
#endif

#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

// What the C library keeps in global variables, which Swift does not let several threads share.
struct tributary_word {
  int code;             // what getopt_long returned
  const char *argument; // of the option, or NULL
  int option;           // the option at fault, or 0
  int next;             // the index of the word after this one
};

static inline void tributary_getopt_reset(void) {
  optind = 0; // GNU: starts anew, and reads the environment again
  opterr = 0;
}

static inline struct tributary_word tributary_getopt(int count, char *const *words,
                                                     const char *letters,
                                                     const struct option *names) {
  optarg = NULL;
  optopt = 0;
  int code = getopt_long(count, words, letters, names, NULL);
  struct tributary_word word = {code, optarg, optopt, optind};
  return word;
}

// Has the system begin to write a part of a file, without waiting.
static inline void tributary_begin_writing(int file, long long offset, long long count) {
  // It saves time; nothing depends on it.
  (void)sync_file_range(file, offset, count, SYNC_FILE_RANGE_WRITE);
}

// When a file was made, as seconds since 1970 and nanoseconds; false where the file system does not
// say. Swift does not see struct statx.
static inline bool tributary_birth(const char *path, long long *seconds, unsigned *nanoseconds) {
  struct statx status;
  if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return false;
  if (!(status.stx_mask & STATX_BTIME)) return false;
  *seconds = status.stx_btime.tv_sec;
  *nanoseconds = status.stx_btime.tv_nsec;
  return true;
}

// Whether the file system of a path, one of this machine's own, notes in the status of a directory when an entry was
// made, removed or renamed. Network file systems, and those that programs provide, may not.
static inline bool tributary_notes_changes(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return false;
  switch ((unsigned long)status.f_type) {
  case EXT4_SUPER_MAGIC: // and ext2, ext3
  case XFS_SUPER_MAGIC:
  case BTRFS_SUPER_MAGIC:
  case F2FS_SUPER_MAGIC:
  case TMPFS_MAGIC: return true;
  default: return false;
  }
}

// Where bytes occur in others, or -1; Swift does not see memmem.
static inline ptrdiff_t tributary_find(const void *bytes, size_t count, const void *wanted,
                                       size_t wanted_count) {
  const char *found = (const char *)memmem(bytes, count, wanted, wanted_count);
  return found == NULL ? -1 : found - (const char *)bytes;
}

#endif
