/// What a coordinated write has done to an item.
package enum ItemChange: Hashable, Sendable {
  case changed(String)
  /// The item did not exist before.
  case appeared(String)

  package var path: String {
    switch self {
    case .changed(let path), .appeared(let path): path
    }
  }
}
