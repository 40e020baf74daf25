import TributaryStore

/// What to know of tables whose rows SQLite numbers.
struct KeyWarning {
  /// `nil` when there are no such tables.
  let text: String?

  init(_ schema: ReplicatedSchema) {
    let names = schema.tables.filter {
      $0.refusal == nil && $0.numbersItsRows && !$0.keepsEqualRowsApart
    }.map(\.name)
    guard !names.isEmpty else {
      text = nil
      return
    }
    text =
      "rows of \(names.count == 1 ? "table" : "tables") \(names.joined(separator: ", ")) are numbered by each device "
      + "for itself: where two give one number to different rows, both stay, and the later one gets another number; "
      + "keys made with tributary_id() never clash"
  }
}
