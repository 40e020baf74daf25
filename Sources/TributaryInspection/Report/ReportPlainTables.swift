internal import TributaryCore
internal import TributaryFiles

/// The tables of a report for a reader without scripts.
enum ReportPlainTables {
  static func html(of report: LogReport) -> String {
    var html = "<p>This page draws its time line with a script, and scripts are off here. "
    html += "These tables are what it says in numbers.</p>\n"
    html += table(
      "Summary", ["", ""],
      [
        ["Made", Timestamp.text(milliseconds: min(report.time, HybridTime.maximumMilliseconds))],
        ["Peers", "\(report.peers.count)"], ["Segments", "\(report.fileCount)"],
        ["Bytes of segments", "\(report.fileBytes)"],
        ["Transactions", "\(report.total.transactions)"], ["Changes", "\(report.total.changes)"],
        ["Concurrent writes", "\(report.conflictCounts.values.reduce(0, +))"],
        ["Damaged", "\(report.findingCount)"], ["Gaps", "\(report.gapCount)"],
      ]
        + (report.beginning.map {
          [["History begins", "\(time($0.time.milliseconds)), with \($0.path)"]]
        } ?? []))
    html += table(
      "Peers", ["Peer", "Name", "Segments", "Bytes", "Transactions", "First", "Last"],
      report.peers.map { peer in
        [
          peer.identity.description, peer.name ?? "", "\(peer.segmentCount)", "\(peer.fileBytes)",
          "\(peer.tally.transactions)", time(peer.times?.lowerBound), time(peer.times?.upperBound),
        ]
      })
    html += table(
      "Tables", ["Table", "Inserted", "Updated", "Deleted", "Bytes"],
      report.tables.map {
        [
          $0.name, "\($0.counts.inserts)", "\($0.counts.updates)", "\($0.counts.deletes)",
          "\($0.counts.byteCount)",
        ]
      })
    html += table(
      "Damage", ["File", "What is wrong"], report.findings.map { [$0.path, $0.message] })
    return html
  }

  private static func time(_ milliseconds: UInt64?) -> String {
    milliseconds.map { Timestamp.text(milliseconds: $0) } ?? ""
  }

  private static func table(_ caption: String, _ head: [String], _ rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "" }
    var html = "<table><caption>\(caption)</caption>\n"
    if head.contains(where: { !$0.isEmpty }) {
      html += "<tr>" + head.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr>\n"
    }
    for row in rows {
      html += "<tr>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>\n"
    }
    return html + "</table>\n"
  }

  /// Returns text that may appear in an element: without markup, control characters, and characters
  /// that reorder it.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: escaped += "&amp;"
      case 0x3C: escaped += "&lt;"
      case 0x3E: escaped += "&gt;"
      case 0x22: escaped += "&quot;"
      case 0x27: escaped += "&#39;"
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C:
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
