/// A dictionary whose keys are texts that are compared byte by byte; see `ExactText`.
package struct ExactDictionary<Value> {
  private var contents: [ExactText: Value] = [:]

  package init() {}

  package subscript(_ key: String) -> Value? {
    get { contents[ExactText(key)] }
    set { contents[ExactText(key)] = newValue }
  }

  subscript(_ key: String, default value: @autoclosure () -> Value) -> Value {
    get { contents[ExactText(key), default: value()] }
    set { contents[ExactText(key)] = newValue }
  }

  @discardableResult
  mutating func removeValue(forKey key: String) -> Value? {
    contents.removeValue(forKey: ExactText(key))
  }

  var keys: [String] { contents.keys.map(\.text) }
  var values: [Value] { Array(contents.values) }
  package var count: Int { contents.count }
  package var isEmpty: Bool { contents.isEmpty }

  /// In no particular order.
  var pairs: [(key: String, value: Value)] { contents.map { ($0.key.text, $0.value) } }

  /// Adds the values of another dictionary, replacing existing ones.
  mutating func merge(_ other: ExactDictionary) { contents.merge(other.contents) { $1 } }
}

extension ExactDictionary: Equatable where Value: Equatable {}
extension ExactDictionary: Hashable where Value: Hashable {}
extension ExactDictionary: Sendable where Value: Sendable {}
