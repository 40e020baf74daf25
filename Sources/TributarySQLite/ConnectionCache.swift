/// Values that other modules keep for as long as a connection lives, one of each type.
package struct ConnectionCache {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  package subscript<Value: Sendable>(type: Value.Type) -> Value? {
    get { values[ObjectIdentifier(type)] as? Value }
    set { values[ObjectIdentifier(type)] = newValue }
  }
}
