/// What was measured for one figure.
struct Measurement {
  var value: Double
  /// The rounds that it is the median of.
  var rounds: [Double] = []
  /// What else is worth knowing, such as the times behind a ratio.
  var details: [(name: String, value: Double)] = []
}
