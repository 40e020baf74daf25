import Glibc

/// How long a test waits for what must come, and no longer: so long that no load of a machine makes it fail. It
/// stands for "does not hang" alone.
package let patience = Duration.seconds(600)

/// Waits until something is so.
///
/// - Throws: `NeverHappened` when it is not within `patience`; what `condition` throws.
package func eventually(
  fileID: String = #fileID, line: UInt = #line, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + patience
  while try !condition() {
    guard ContinuousClock.now < end else { throw NeverHappened(place: "\(fileID):\(line)") }
    usleep(2000)
  }
}

/// What a test waited for did not come.
package struct NeverHappened: Error, CustomStringConvertible {
  /// Where the test waited, as file and line.
  package let place: String

  package var description: String {
    "what is waited for at \(place) has not come within \(patience)"
  }
}
