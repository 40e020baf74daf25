/// The version of the command, by the rules of https://semver.org.
package enum Version {
  package static let text = "0.1.0"
}
