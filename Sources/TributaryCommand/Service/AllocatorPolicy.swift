import CPlatform
import Glibc

/// How a process that runs for months handles freed memory. *mallopt(3)*
enum AllocatorPolicy {
  /// Threads come and go, and the allocator would give each its own arena. An arena does not give back memory
  /// that was freed below its newest block.
  private static let arenas: Int32 = 2
  /// Larger blocks, such as those for a segment's contents, go back to the system when they are freed.
  /// Without a fixed size, the allocator would soon keep blocks of up to 32 MiB.
  private static let largestKept: Int32 = 256 << 10

  /// Makes the memory of a process depend on what it uses, not on how long it has run. Must be called before
  /// there are further threads.
  static func giveBack() {
    // If a call fails, the allocator stays as it is.
    _ = mallopt(M_ARENA_MAX, arenas)
    _ = mallopt(M_MMAP_THRESHOLD, largestKept)
  }
}
