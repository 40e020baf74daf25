/// A file that an import has set aside, as readable text.
package enum SetAsideFile {
  /// Returns the file's name and why it was set aside.
  package static func text(_ file: (path: String, reason: String)) -> String {
    // If the engine's reasons are whole sentences, they already name the file.
    let isNamed = file.reason.hasPrefix(file.path)
    return "set aside: \(isNamed ? file.reason : "\(file.path): \(file.reason)")"
  }
}
