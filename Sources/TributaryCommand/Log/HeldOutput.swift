/// The output of one transaction, held back until all of the transaction has been read, so that a
/// transaction in a damaged file is not printed in part. Only very large ones are printed earlier.
struct HeldOutput {
  private let output: Output
  private(set) var hasPrinted = false
  /// The bytes, in UTF-8.
  var bytes: [UInt8] = []

  static let limit = 16 << 20

  init(_ output: Output) { self.output = output }

  /// Prints the bytes if there are too many to hold.
  mutating func releaseLarge() throws(OutputError) {
    guard bytes.count >= Self.limit else { return }
    hasPrinted = true
    try release()
  }

  /// Prints all bytes.
  mutating func release() throws(OutputError) {
    try output.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Discards what was not printed yet.
  ///
  /// - Parameter notice: printed instead if part of the transaction was already printed.
  mutating func abandon(_ notice: String) throws(OutputError) {
    bytes.removeAll(keepingCapacity: true)
    if hasPrinted { try output.write(notice) }
    hasPrinted = false
  }
}
