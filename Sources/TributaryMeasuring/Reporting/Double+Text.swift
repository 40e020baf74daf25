import Foundation

extension Double {
  /// With three digits, or all that stand before the point.
  var shortText: String {
    String(format: self >= 100 ? "%.0f" : self >= 10 ? "%.1f" : "%.2f", self)
  }
}
