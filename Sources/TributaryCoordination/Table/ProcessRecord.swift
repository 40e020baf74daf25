/// A participating process.
package struct ProcessRecord: Hashable, Sendable {
  /// Its identity, which no other process ever has.
  package var identity: String
  package var number: Int32
  /// The name of the program; empty if it is unknown.
  package var name: String
}
