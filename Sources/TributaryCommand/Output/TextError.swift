/// A failure that the command itself finds: what happened, in which file, and the remedy, in one
/// line.
struct TextError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
