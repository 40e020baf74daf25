import TributaryCore
import TributarySync

extension SyncReport {
  /// Returns the line that --json prints.
  package func json(of store: String) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.object("published") { json in
        json.member("transactions", published.transactions)
        json.member("segments", published.segments)
        json.member("bytes", published.bytes)
      }
      if let baseline {
        json.object("baseline") { json in
          json.member("path", baseline.path)
          json.member("transactions", baseline.transactions)
          json.member("bytes", baseline.bytes)
        }
      }
      json.member("imported") { imported.write(to: &$0) }
      json.member("waiting", each: waiting) { $1.write(to: &$0) }
      if !imported.schemas.isEmpty {
        json.member("followed", objects: imported.schemas) { $1.writeMembers(to: &$0) }
      }
      json.member("conflicts", conflicts)
      if let found = uncaptured {
        json.object("uncaptured") { json in
          json.member("rows", found.rows)
          json.member("tables", strings: found.tables)
        }
      }
      if !stopped.isEmpty {
        json.member("stopped", each: stopped) { json, table in json.string("\(table)") }
      }
      if !disagreements.isEmpty {
        json.member("disagreements", each: disagreements) { json, text in json.string("\(text)") }
      }
      if !keyless.isEmpty {
        json.member("keyless", each: keyless) { json, rows in json.string("\(rows)") }
      }
      if let notice = space {
        json.object("space") { json in
          json.member("limit", notice.limit)
          json.member("used", notice.used)
        }
      }
      if let renewal {
        json.object("renewed") { json in
          json.member("former", renewal.former.description)
          json.member("sequence", renewal.last.rawValue)
          json.member("peer", renewal.peer.description)
          json.member("transactions", renewal.reissued)
          json.member("evidence", renewal.evidence)
        }
      }
      if let returned {
        json.object("returned") { json in
          json.member("baseline", returned.baseline)
          if let former = returned.former { json.member("former", former.description) }
          if let retired = returned.retired { json.member("retired", retired.description) }
          json.member("fenced", returned.fenced)
          json.member("fencedOfOthers", returned.fencedOfOthers)
          json.member("reissued", returned.reissued)
          if returned.undeleted > 0 { json.member("undeleted", returned.undeleted) }
        }
      }
    }
    return json.text
  }
}
