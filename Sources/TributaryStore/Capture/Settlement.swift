import TributaryCore

/// What the open transaction says of a row that it need not change: that it is meant to be as it
/// is.
struct Settlement {
  var table: String
  /// In the order of the primary key.
  var key: [Value]
  /// Written again with the values that they have, if there is the row.
  var columns: [String] = []
  /// Deleted again, if there is no row.
  var isDeletion = false
}
