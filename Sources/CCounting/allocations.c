// Counts allocations: these functions take the place of the C library's in a program that they are
// linked into, and hand on to it under its own other names. What is freed is freed there.
#include "counters.h"
#include <errno.h>
#include <stddef.h>

#if !TRIBUTARY_IS_SANITIZED

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  tributary_add(&tributary_allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  tributary_add(&tributary_allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  tributary_add(&tributary_allocations, 1);
  return __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, bytes);
}

void *memalign(size_t alignment, size_t size) {
  tributary_add(&tributary_allocations, 1);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

#endif
