/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
