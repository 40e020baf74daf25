package import TributaryCore

extension PropertyListValue {
  /// The value as JSON: data as `{"blob": "<hex>"}`, dates as `{"date": "<RFC 3339>"}`, members in order of their keys.
  package var json: String {
    var json = JSONWriter()
    write(to: &json)
    return json.text
  }

  package func write(to json: inout JSONWriter) {
    switch self {
    case .string(let string): json.string(string)
    case .integer(let integer): json.integer(integer)
    case .real(let real): json.value(.real(real))
    case .bool(let bool): json.bool(bool)
    case .date: json.object { $0.member("date", text) }
    case .data(let data): json.value(.blob(data))
    case .array(let elements):
      json.array { json in for element in elements { element.write(to: &json) } }
    case .dictionary(let members):
      json.object { json in
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
          json.member(key) { member.write(to: &$0) }
        }
      }
    }
  }
}
