// Makes Synchronization.Mutex visible to ThreadSanitizer: linked by tools/check --sanitize thread.
//
// The way that succeeds at once is compiled into the program, and the sanitizer sees its atomic
// operations. Who has to wait calls this function of libswiftSynchronization instead, which was built
// without the sanitizer: it would report whatever such a lock guards. Here it is again, waiting
// without the kernel's help, so that the word never says that somebody waits.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic(uint32_t) Word;

// Synchronization._MutexHandle._lockSlow(UInt32)
__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) Word *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) Word *word) {
  uint32_t open = 0;
  while (!atomic_compare_exchange_weak_explicit(
      word, &open, thread, memory_order_acquire, memory_order_relaxed)) {
    open = 0;
    sched_yield();
  }
}
