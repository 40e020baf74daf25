/// The version of the command, by the rules of https://semver.org.
enum Version {
  static let text = "0.1.0"
}
