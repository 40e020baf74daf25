/// Counts what a piece of work does.
struct Counter {
  /// Returns what the process has done so far.
  let read: () -> Counts

  func count(_ body: () throws -> Void) rethrows -> Counts {
    let before = read()
    try body()
    return read() - before
  }
}
