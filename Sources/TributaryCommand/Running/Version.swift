/// The version of the command, following the rules of https://semver.org.
package enum Version {
  package static let text = "0.1.0"
}
