// Counts system calls by the functions of the C library that make them, in the same way.
//
// Counted is what touches files: opening, reading, writing, syncing, locking, mapping, asking for
// and changing names. Not counted is what the library calls on its own behalf (memory, the reading
// of a directory after it is opened), what threads wait with, and clocks, which are no system calls.
//
// The names are given as labels: the C headers declare the same functions with other attributes.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // RTLD_NEXT
#endif
#include "counters.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#if !TRIBUTARY_IS_SANITIZED

_Atomic(uint64_t) tributary_system_calls;
_Atomic(uint64_t) tributary_syncs;

// Two who ask at once get the same answer.
#define NEXT(type, parameters, name)                                                               \
  static type(*next) parameters;                                                                   \
  if (next == NULL) next = (type(*) parameters)dlsym(RTLD_NEXT, name);                             \
  tributary_add(&tributary_system_calls, 1)

#define COUNTED(label, type, name, parameters, arguments)                                          \
  type counted_##label parameters __asm__(name);                                                   \
  type counted_##label parameters {                                                                \
    NEXT(type, parameters, name);                                                                  \
    return next arguments;                                                                         \
  }

#define CALL(name, type, parameters, arguments) COUNTED(name, type, #name, parameters, arguments)
#define LARGE(name, type, parameters, arguments)                                                   \
  CALL(name, type, parameters, arguments) CALL(name##64, type, parameters, arguments)

#define SYNC(name)                                                                                 \
  int counted_##name(int file) __asm__(#name);                                                     \
  int counted_##name(int file) {                                                                   \
    NEXT(int, (int), #name);                                                                       \
    tributary_add(&tributary_syncs, 1);                                                            \
    return next(file);                                                                             \
  }

// The mode is there only where a file may be made.
#define OPEN(name, parameters, forwarded)                                                          \
  int counted_##name parameters __asm__(#name);                                                    \
  int counted_##name parameters {                                                                  \
    mode_t mode = 0;                                                                               \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                                         \
      va_list rest;                                                                                \
      va_start(rest, flags);                                                                       \
      mode = va_arg(rest, mode_t);                                                                 \
      va_end(rest);                                                                                \
    }                                                                                              \
    NEXT(int, parameters, #name);                                                                  \
    return next forwarded;                                                                         \
  }

// What follows the command is an integer or a pointer, or nothing, and is passed on as it came.
#define CONTROL(name, command_type)                                                                \
  int counted_##name(int file, command_type command, ...) __asm__(#name);                          \
  int counted_##name(int file, command_type command, ...) {                                        \
    va_list rest;                                                                                  \
    va_start(rest, command);                                                                       \
    void *argument = va_arg(rest, void *);                                                         \
    va_end(rest);                                                                                  \
    NEXT(int, (int, command_type, ...), #name);                                                    \
    return next(file, command, argument);                                                          \
  }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
OPEN(openat64, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
CALL(close, int, (int file), (file))
CALL(opendir, void *, (const char *path), (path))
CALL(fdopendir, void *, (int file), (file))
CALL(closedir, int, (void *directory), (directory))

CALL(read, ssize_t, (int file, void *bytes, size_t count), (file, bytes, count))
CALL(write, ssize_t, (int file, const void *bytes, size_t count), (file, bytes, count))
LARGE(pread, ssize_t, (int file, void *bytes, size_t count, int64_t at), (file, bytes, count, at))
LARGE(pwrite, ssize_t, (int file, const void *bytes, size_t count, int64_t at),
      (file, bytes, count, at))
CALL(writev, ssize_t, (int file, const void *pieces, int count), (file, pieces, count))
LARGE(lseek, int64_t, (int file, int64_t offset, int origin), (file, offset, origin))
LARGE(ftruncate, int, (int file, int64_t size), (file, size))
LARGE(fallocate, int, (int file, int mode, int64_t at, int64_t size), (file, mode, at, size))
LARGE(posix_fallocate, int, (int file, int64_t at, int64_t size), (file, at, size))
SYNC(fsync)
SYNC(fdatasync)

CONTROL(fcntl, int)
CONTROL(fcntl64, int)
CONTROL(ioctl, unsigned long)
CALL(flock, int, (int file, int operation), (file, operation))

LARGE(stat, int, (const char *path, void *status), (path, status))
LARGE(lstat, int, (const char *path, void *status), (path, status))
LARGE(fstat, int, (int file, void *status), (file, status))
LARGE(fstatat, int, (int directory, const char *path, void *status, int flags),
      (directory, path, status, flags))
CALL(statx, int, (int directory, const char *path, int flags, unsigned mask, void *status),
     (directory, path, flags, mask, status))
LARGE(statfs, int, (const char *path, void *status), (path, status))
LARGE(fstatfs, int, (int file, void *status), (file, status))
CALL(access, int, (const char *path, int mode), (path, mode))
CALL(faccessat, int, (int directory, const char *path, int mode, int flags),
     (directory, path, mode, flags))
CALL(readlink, ssize_t, (const char *path, char *target, size_t size), (path, target, size))
CALL(realpath, char *, (const char *path, char *resolved), (path, resolved))
CALL(getcwd, char *, (char *path, size_t size), (path, size))

CALL(unlink, int, (const char *path), (path))
CALL(unlinkat, int, (int directory, const char *path, int flags), (directory, path, flags))
CALL(rename, int, (const char *from, const char *to), (from, to))
CALL(renameat, int, (int from_directory, const char *from, int to_directory, const char *to),
     (from_directory, from, to_directory, to))
CALL(renameat2, int,
     (int from_directory, const char *from, int to_directory, const char *to, unsigned flags),
     (from_directory, from, to_directory, to, flags))
CALL(linkat, int,
     (int from_directory, const char *from, int to_directory, const char *to, int flags),
     (from_directory, from, to_directory, to, flags))
CALL(mkdir, int, (const char *path, mode_t mode), (path, mode))
CALL(mkdirat, int, (int directory, const char *path, mode_t mode), (directory, path, mode))
CALL(rmdir, int, (const char *path), (path))
CALL(fchmod, int, (int file, mode_t mode), (file, mode))
CALL(fchown, int, (int file, uid_t owner, gid_t group), (file, owner, group))

LARGE(mmap, void *, (void *at, size_t size, int protection, int flags, int file, int64_t offset),
      (at, size, protection, flags, file, offset))
CALL(munmap, int, (void *at, size_t size), (at, size))
CALL(inotify_add_watch, int, (int file, const char *path, uint32_t mask), (file, path, mask))
CALL(getrandom, ssize_t, (void *bytes, size_t count, unsigned flags), (bytes, count, flags))

#else

_Atomic(uint64_t) tributary_system_calls;
_Atomic(uint64_t) tributary_syncs;

#endif
