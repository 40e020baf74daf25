/// The one place through which every step goes that makes, moves or deletes whole packages, so that others can
/// be told and waited for around it.
enum DocumentStep {
  /// What a step does to a package.
  enum Kind: Equatable {
    case makes
    case moves(to: String)
    case deletes
  }

  /// Runs `body`, which does one step.
  ///
  /// - Parameter package: the path of the package, without links.
  static func run<Result>(
    _ kind: Kind, _ package: String, _ body: () throws -> Result
  ) rethrows -> Result {
    try body()
  }
}
