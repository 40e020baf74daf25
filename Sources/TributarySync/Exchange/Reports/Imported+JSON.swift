import TributaryCore
import TributaryMerge

extension SyncReport.Imported {
  /// Writes `{"transactions": n, "peers": {…}, "changes": {…}}`, with `"elsewhere": true` if another process
  /// imported it, and `"everything": true` if any row may have changed.
  ///
  /// - Parameter withConflicts: whether to write `"conflicts": […]` too, the identifiers, if there are any.
  package func write(to json: inout JSONWriter, withConflicts: Bool = false) {
    json.object { json in
      json.member("transactions", transactions)
      json.object("peers") { json in
        for range in peers {
          json.member(range.peer.description) { json in
            json.array { json in
              json.integer(range.first.rawValue)
              json.integer(range.last.rawValue)
            }
          }
        }
      }
      json.object("changes") { json in
        for entry in changes { json.member(entry.table) { entry.changes.write(to: &$0) } }
      }
      if isByAnotherProcess { json.member("elsewhere") { $0.bool(true) } }
      if mayHaveChangedEverything { json.member("everything") { $0.bool(true) } }
      if withConflicts, !conflicts.isEmpty {
        // There may be many conflicts. Generic code of another module would allocate for each.
        json.member("conflicts") { json in
          json.array { json in for conflict in conflicts { json.string(conflict.id) } }
        }
      }
    }
  }
}

extension TableChanges {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      for (name, list) in [("inserted", inserted), ("updated", updated), ("deleted", deleted)] {
        json.member(name) { json in
          json.array { list.write(to: &$0) }
        }
      }
    }
  }
}
