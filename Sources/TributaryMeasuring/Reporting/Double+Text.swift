import Foundation

extension Double {
  /// With three digits, or all that stand before the point.
  var shortText: String {
    String(format: self >= 100 ? "%.0f" : self >= 10 ? "%.1f" : "%.2f", self)
  }
}

extension Double {
  /// A count with up to three digits behind the point.
  var countText: String {
    var text = String(format: "%.3f", self)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
