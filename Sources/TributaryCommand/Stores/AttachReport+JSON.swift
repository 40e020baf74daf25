import TributaryCore
import TributaryStore
import TributarySync

extension AttachedTable {
  /// Writes one object.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("table", name)
      if let rows { json.member("rows", rows) }
      json.member("by", knownBy.map { $0.word ?? "unique" } ?? "primary key")
      if !key.isEmpty { json.member("columns", strings: key) }
      json.member("references", each: references) { $1.write(to: &$0) }
    }
  }
}

extension AttachedReference {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("columns", strings: columns)
      json.member("table", table)
      if !parentColumns.isEmpty { json.member("parentColumns", strings: parentColumns) }
      json.member("binding") { $0.bool(isBinding) }
    }
  }
}

extension LeftOut {
  /// Writes one object.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("kind", kind.rawValue)
      json.member("reason", reason)
    }
  }
}

extension AttachNote {
  /// Writes one object.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("kind", kind.rawValue)
      if let table { json.member("table", table) }
      json.member("text", text)
      json.member("options", options)
    }
  }
}

extension AttachRefusal {
  /// Writes one object.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("path", path)
      if let table { json.member("table", table) }
      json.member("message", message)
      json.member("remedy", remedy)
      json.member("options", options)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ options: [AttachOption]) {
    member(name, objects: options) { json, option in
      json.member("name", option.name)
      json.member("argument", option.argument)
    }
  }
}
