internal import Glibc

/// The directory where programs of this user keep state from one run to the next.
package enum StateDirectory {
  /// `$XDG_STATE_HOME/tributary` or `~/.local/state/tributary`; `nil` for a process without a home
  /// directory.
  ///
  /// Source: *XDG Base Directory Specification*
  package static var user: String? {
    if let path = value("XDG_STATE_HOME") { return path.appending(component: "tributary") }
    return value("HOME")?.appending(component: ".local").appending(component: "state")
      .appending(component: "tributary")
  }

  /// Returns the value of a variable, unless it is relative: the specification says to ignore those.
  private static func value(_ name: String) -> String? {
    guard let text = getenv(name) else { return nil }
    let path = String(cString: text)
    return path.utf8.first == UInt8(ascii: "/") ? path : nil
  }
}
