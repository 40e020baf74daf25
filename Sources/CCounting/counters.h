#ifndef TRIBUTARY_COUNTERS_H
#define TRIBUTARY_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic(uint64_t) tributary_allocations;
extern _Atomic(uint64_t) tributary_system_calls;
extern _Atomic(uint64_t) tributary_syncs;

static inline void tributary_add(_Atomic(uint64_t) *counter, uint64_t count) {
  atomic_fetch_add_explicit(counter, count, memory_order_relaxed);
}

// A sanitizer takes the place of these functions itself; nothing is counted beside it.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRIBUTARY_IS_SANITIZED 1
#else
#define TRIBUTARY_IS_SANITIZED 0
#endif

#endif
