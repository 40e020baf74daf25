/// What was measured for one figure.
struct Measurement {
  var value: Double
  /// The rounds that it is the median of.
  var rounds: [Double] = []
  /// What else is worth knowing, such as the times behind a ratio.
  var details: [(name: String, value: Double)] = []
  /// The same with other software.
  var others: [Other] = []
  /// What the figure alone would not say.
  var note = ""

  /// Other software in the place of the store.
  struct Other {
    var name: String
    /// To the same as the store's own; `nil` when it could not be measured.
    var ratio: Double?
    /// How it differs from the others, or why there is no ratio.
    var remark = ""
  }
}
