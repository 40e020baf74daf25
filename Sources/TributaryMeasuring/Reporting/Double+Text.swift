import Foundation

extension Double {
  /// The number with three digits, or with all digits before the point.
  var shortText: String {
    String(format: self >= 100 ? "%.0f" : self >= 10 ? "%.1f" : "%.2f", self)
  }
}

extension Double {
  /// A count with at most three decimal places.
  var countText: String {
    var text = String(format: "%.3f", self)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
