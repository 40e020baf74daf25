/// The entry point of the fuzzer, and of the test of its corpus.
package enum FuzzInput {
  /// Interprets the bytes as the first byte says, and reads them in every possible way.
  ///
  /// - Throws: `FuzzFailure` if a property does not hold. Invalid bytes are not a failure; most
  ///   inputs are invalid.
  package static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch FuzzMode(choosing: first) {
    case .file: try SegmentCheck.run(rest)
    case .payload: try PayloadCheck.run(rest)
    case .header: try HeaderCheck.run(rest)
    case .trailer: try TrailerContentCheck.run(rest)
    case .changes: try ChangeListCheck.run(rest)
    case .manifest: try ManifestCheck.run(rest)
    case .name: try NameCheck.run(rest)
    case .baseline: try BaselineCheck.run(rest)
    }
  }
}
