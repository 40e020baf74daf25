/// The result for one figure.
struct Measurement {
  var value: Double
  /// The rounds whose median it is.
  var rounds: [Double] = []
  /// Further information, such as the times behind a ratio.
  var details: [(name: String, value: Double)] = []
  /// The results of other software.
  var others: [Other] = []
  /// What the figure alone does not show.
  var note = ""

  /// Other software in place of the store.
  struct Other {
    var name: String
    /// The ratio to the same base as the store's; `nil` if it could not be measured.
    var ratio: Double?
    /// How it differs from the others, or why there is no ratio.
    var remark = ""
  }
}
