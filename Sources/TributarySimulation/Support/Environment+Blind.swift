package import TributarySync
internal import TributaryTesting

extension StoreEnvironment {
  /// An environment in which creation times of files are unknown, so that a store does not notice
  /// that it is a copy.
  package static var blind: StoreEnvironment {
    var environment = StoreEnvironment()
    environment.birth = { _ in nil }
    return environment
  }
}
