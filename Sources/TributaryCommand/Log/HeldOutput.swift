/// What is printed of one transaction, held back until all of it could be read, so that one in a
/// damaged file is not printed in part. Only very large ones are printed on the way.
struct HeldOutput {
  private let output: Output
  private(set) var hasPrinted = false
  /// UTF-8.
  var bytes: [UInt8] = []

  static let limit = 16 << 20

  init(_ output: Output) { self.output = output }

  /// Prints what is there if it has become too much to hold.
  mutating func releaseLarge() throws(OutputError) {
    guard bytes.count >= Self.limit else { return }
    hasPrinted = true
    try release()
  }

  /// Prints all.
  mutating func release() throws(OutputError) {
    try output.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Forgets what was not printed yet.
  ///
  /// - Parameter notice: what is printed in its place where a part of the transaction was printed.
  mutating func abandon(_ notice: String) throws(OutputError) {
    bytes.removeAll(keepingCapacity: true)
    if hasPrinted { try output.write(notice) }
    hasPrinted = false
  }
}
