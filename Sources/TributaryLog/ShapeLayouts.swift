/// The layouts of shapes by id: an array access for ordinary ids, and bounded memory for any ids.
package struct ShapeLayouts: Sendable {
  /// Ids below this are looked up in an array. Without the limit, a hostile id could make the array
  /// huge.
  private static let denseLimit: UInt32 = 1 << 16

  private var dense: [ShapeLayout] = []
  private var sparse: [UInt32: ShapeLayout] = [:]

  package init() {}

  /// The layout of a shape; `nil` if there is none.
  package subscript(id: UInt32) -> ShapeLayout? {
    get {
      if id < dense.count {
        let layout = dense[Int(id)]
        return layout.columns == 0 ? nil : layout
      }
      return sparse.isEmpty ? nil : sparse[id]
    }
    set {
      guard id < Self.denseLimit else {
        sparse[id] = newValue
        return
      }
      let missing = Int(id) + 1 - dense.count
      if missing > 0 { dense.append(contentsOf: repeatElement(.undefined, count: missing)) }
      dense[Int(id)] = newValue ?? .undefined
    }
  }
}
