import CPlatform
import Glibc

/// How a process that runs for months keeps free memory. *mallopt(3)*
enum AllocatorPolicy {
  /// The allocator would give each of the threads, which come and go, an arena of its own, and none of these gives back
  /// what was freed below its newest block.
  private static let arenas: Int32 = 2
  /// Larger blocks, such as those for a segment's contents, go back to the system when they are freed. Without a set size,
  /// the allocator would soon keep blocks of up to 32 MiB.
  private static let largestKept: Int32 = 256 << 10

  /// Has the memory of a process depend on what it uses, not on how long it has run. To be called before there are further
  /// threads.
  static func giveBack() {
    // A refusal leaves the allocator as it is.
    _ = mallopt(M_ARENA_MAX, arenas)
    _ = mallopt(M_MMAP_THRESHOLD, largestKept)
  }
}
