package import TributarySync

extension Environment {
  /// An environment in which creation times of files are unknown, so that a store does not find out
  /// that it is a copy.
  package static var blind: Environment {
    var environment = Environment()
    environment.birth = { _ in nil }
    return environment
  }
}
