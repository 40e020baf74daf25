package import TributarySync

extension Environment {
  /// One in which nobody knows when files were made, so that a store does not find out that it is a
  /// copy.
  package static var blind: Environment {
    var environment = Environment()
    environment.birth = { _ in nil }
    return environment
  }
}
