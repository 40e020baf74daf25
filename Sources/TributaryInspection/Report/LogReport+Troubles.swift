internal import TributaryCore

extension LogReport {
  /// Writes the members about concurrent writes, damage, and what is missing.
  func appendTroubles(to json: inout JSONWriter) {
    json.member("conflictCounts") { json in
      json.object { json in
        for kind in ReportConflict.Kind.allCases {
          json.member(kind.rawValue, conflictCounts[kind] ?? 0)
        }
      }
    }
    json.member("conflicts") { json in
      json.array { json in for conflict in conflicts { Self.append(conflict, to: &json) } }
    }
    json.member("findingCount", findingCount)
    json.member("findings") { json in
      json.array { json in
        for finding in findings {
          json.object { json in
            json.member("path", finding.path)
            json.member("message", finding.message)
          }
        }
      }
    }
    json.member("gapCount", gapCount)
    json.member("gaps") { json in
      json.array { json in
        for gap in gaps {
          json.object { json in
            json.member("peer", gap.peer)
            json.member("first", gap.missing.lowerBound.rawValue)
            json.member("last", gap.missing.upperBound.rawValue)
          }
        }
      }
    }
    json.member("waitCount", waitCount)
    json.member("waits") { json in
      json.array { json in
        for wait in waits {
          json.object { json in
            json.member("peer", wait.peer)
            json.member("sequence", wait.sequence.rawValue)
            json.member("for", wait.cause)
            json.member("forSequence", wait.causeSequence.rawValue)
          }
        }
      }
    }
  }

  private static func append(_ conflict: ReportConflict, to json: inout JSONWriter) {
    json.object { json in
      json.member("kind", conflict.kind.rawValue)
      json.member("table", conflict.table ?? -1)
      json.member("key", conflict.key)
      json.member("columns") { json in
        json.array { json in for column in conflict.columns { json.string(column) } }
      }
      json.member("winner") { $0.side(conflict.winner) }
      json.member("loser") { $0.side(conflict.loser) }
      json.member("time", conflict.time)
      json.member("answered") { $0.bool(conflict.isAnswered) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func side(_ side: ReportConflict.Side) {
    object { json in
      json.member("peer", side.peer)
      json.member("sequence", side.sequence.rawValue)
    }
  }
}
