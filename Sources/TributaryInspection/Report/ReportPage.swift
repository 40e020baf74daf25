internal import CResources
internal import TributaryCore

/// The page of a report: one file that needs no other file and no network.
package enum ReportPage {
  /// The place in the template for everything that depends on the report.
  private static let place = Array("<!--REPORT-->".utf8)

  /// Returns the page as UTF-8.
  package static func bytes(of report: LogReport) -> [UInt8] {
    let template = Array(String(cString: tributary_report_html).utf8)
    guard let start = template.firstRange(of: place) else {
      preconditionFailure("report.html has no place for the report")
    }
    let data = report.json.bytes
    var page: [UInt8] = []
    page.reserveCapacity(template.count + data.count + data.count / 64)
    page += template[..<start.lowerBound]
    page += "<noscript>\n\(ReportPlainTables.html(of: report))</noscript>\n".utf8
    page += #"<script type="application/json" id="report">"#.utf8
    for byte in data {
      // No value can end the element: in JSON, this byte occurs only in texts.
      if byte == UInt8(ascii: "<") { page += #"\u003c"#.utf8 } else { page.append(byte) }
    }
    page += "</script>".utf8
    page += template[start.upperBound...]
    return page
  }
}
