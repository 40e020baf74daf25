/// What the fuzzer calls, and the test of its corpus.
package enum FuzzInput {
  /// Takes the bytes for what the first of them says, and reads them in every way there is.
  ///
  /// - Throws: `FuzzFailure` when something is not as it must be. That the bytes are wrong is not:
  ///   most are.
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
    }
  }
}
