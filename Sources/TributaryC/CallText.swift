import Glibc

/// The texts that pass between C and Swift.
enum CallText {
  /// Returns the text of an argument.
  ///
  /// - Parameter name: the name of the argument in the header.
  static func read(_ text: UnsafePointer<CChar>?, _ name: String) throws(CallError) -> String {
    guard let text else {
      throw CallError("the argument \(name) is NULL", remedy: "pass a text")
    }
    // Repairing invalid text would name another file, or write another value.
    guard let read = String(validatingCString: text) else {
      throw CallError("the argument \(name) is not valid UTF-8", remedy: "pass UTF-8")
    }
    return read
  }

  /// Returns the texts of an array that ends with NULL.
  static func readAll(
    _ texts: UnsafePointer<UnsafePointer<CChar>?>?, _ name: String
  ) throws(CallError) -> [String] {
    guard var next = texts else { return [] }
    var all: [String] = []
    while let text = next.pointee {
      all.append(try read(text, "\(name)[\(all.count)]"))
      next += 1
    }
    return all
  }

  /// Returns a copy for the caller, to be released with *free(3)*. Text from outside may contain a NUL, and
  /// the copy ends there.
  static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }
}
