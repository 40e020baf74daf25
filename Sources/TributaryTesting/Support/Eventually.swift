import Glibc

/// How long a test waits for something that must happen. It is so long that no load on the machine makes a
/// test fail; it only means "does not hang".
package let patience = Duration.seconds(600)

/// Waits until a condition holds.
///
/// - Throws: `NeverHappened` if it does not hold within `patience`; what `condition` throws.
package func eventually(
  fileID: String = #fileID, line: UInt = #line, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + patience
  while try !condition() {
    guard ContinuousClock.now < end else { throw NeverHappened(place: "\(fileID):\(line)") }
    usleep(2000)
  }
}

/// The error that something a test waited for did not happen.
package struct NeverHappened: Error, CustomStringConvertible {
  /// Where the test waited, as file and line.
  package let place: String

  package var description: String {
    "what is waited for at \(place) has not come within \(patience)"
  }
}
