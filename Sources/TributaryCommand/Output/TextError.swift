/// A failure that the command finds by itself: what, which file, the remedy, in one line.
struct TextError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
