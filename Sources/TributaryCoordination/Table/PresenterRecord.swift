/// A presenter, as other processes see it.
package struct PresenterRecord: Hashable, Sendable {
  package var number: UInt64
  /// The identity of its process.
  package var process: String
  /// The absolute path of its item.
  package var path: String
}
