import Foundation

/// The data in a page of `log report`.
struct ReportData {
  /// The JSON, as it stands in the page.
  let text: String
  let object: [String: Any]

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Throws: when the page has no such element, or it holds no JSON.
  init(page: String) throws {
    let start = #"<script type="application/json" id="report">"#
    guard let from = page.range(of: start),
      let to = page.range(of: "</script>", range: from.upperBound..<page.endIndex)
    else { throw Failure(description: "the page has no data") }
    text = String(page[from.upperBound..<to.lowerBound])
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let object = value as? [String: Any] else { throw Failure(description: "no object") }
    self.object = object
  }

  /// A member as JSON with sorted keys, so that whole states can be compared.
  subscript(_ name: String) -> String {
    guard let value = object[name],
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
    else { return "missing" }
    return String(decoding: data, as: UTF8.self)
  }
}
