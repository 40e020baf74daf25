import TributaryFiles

/// Where metrics go.
enum MetricsTarget: Equatable {
  /// A file that is replaced as a whole.
  case file(String)
  /// A socket. Each client that connects receives the text.
  case socket(String)

  private static let prefix = "unix:"

  /// Reads `FILE` or `unix:PATH`; `nil` if `unix:` has no path.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else {
      self = .file(text)
      return
    }
    let path = String(text.dropFirst(Self.prefix.count))
    // The system would choose a name that no client knows.
    if path.isEmpty || path == "@" { return nil }
    self = .socket(path)
  }

  /// Reads the argument of `--metrics`.
  static func read(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> MetricsTarget? {
    guard let text = try arguments.nonempty(option) else { return nil }
    guard let target = MetricsTarget(text) else {
      throw UsageError("--\(option.long) \(text) lacks the path of the socket after 'unix:'")
    }
    return target
  }

  /// Checks whether metrics may go there. Changes nothing.
  ///
  /// - Throws: an error that names the path and the remedy if they may not.
  func check(stores: [String], configuration: String?) throws {
    switch self {
    case .file(let path):
      _ = try MetricsFile(path, stores: stores, configuration: configuration)
    case .socket(let path):
      try MetricsSocket.check(path)
      if path.hasPrefix("@") { return }
    }
    let directory = path.contains("/") ? path.parentDirectory : "."
    guard try LocalFileSystem().status(directory)?.kind == .directory else {
      throw TextError(
        "\(path) cannot receive the metrics: there is no directory \(directory); make it, or name another path"
      )
    }
  }

  var path: String {
    switch self {
    case .file(let path), .socket(let path): path
    }
  }
}
