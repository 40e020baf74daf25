import TributaryCore
import TributaryKeyValue

/// A key with its value, as the commands print it.
struct KeyValueOutput {
  let key: String
  let value: StoredValue

  /// One JSON object.
  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.member("key", key)
      guard let readable = value.propertyListValue else {
        json.member("type", "unreadable")
        json.member("bytes", value.byteCount)
        json.member("value") { $0.value(value.value) }
        return
      }
      json.member("type", value.type)
      json.member("bytes", value.byteCount)
      json.member("value") { json in
        if case .date = readable { json.string(readable.text) } else { readable.write(to: &json) }
      }
    }
    return json.text
  }

  private static let shownCount = 60

  /// The value as readable text, in one short line.
  var line: String {
    guard let readable = value.propertyListValue else { return "unreadable: \(value.type)" }
    let text = readable.text
    let short = text.prefix(Self.shownCount)
    return Escaping.escaped(String(short)) + (short.endIndex < text.endIndex ? "…" : "")
  }
}
