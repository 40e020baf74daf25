/// Where metrics go.
enum MetricsTarget: Equatable {
  /// A file that is replaced as a whole.
  case file(String)
  /// A socket. Each client that connects receives the text.
  case socket(String)

  private static let prefix = "unix:"

  /// Reads `FILE` or `unix:PATH`.
  init(_ text: String) {
    self =
      text.hasPrefix(Self.prefix)
      ? .socket(String(text.dropFirst(Self.prefix.count))) : .file(text)
  }

  var path: String {
    switch self {
    case .file(let path), .socket(let path): path
    }
  }
}
