import TributaryCore
import TributaryLog
import TributaryStore

/// Reads changes as their author meant them, where rows were given one number by accident.
struct Rereading {
  let roots: KeyRoots
  let registry: BirthRegistry

  /// The image with the numbers that the rows have by now.
  ///
  /// - Returns: `nil` when it is the same.
  func image(
    of change: ChangeView, _ mapping: TableMapping, by transaction: BatchTransaction
  ) throws(LogError) -> [UInt8]? {
    let columns = roots.columns[Int(mapping.tableNumber)]
    if registry.isEmpty || columns.isEmpty { return nil }
    var cursor = change.values
    var image = ByteBuffer(capacity: change.image.count + 8)
    var isSame = true
    let sources =
      change.operation == .delete ? mapping.sourceKeys : Array(0..<mapping.sourceColumnCount)
    for source in sources {
      let view = try cursor.next()
      if view.kind == .integer,
        let root = columns.first(where: { $0.column == mapping.columns[source] })?.root
      {
        let shared = SharedNumber(table: root, number: view.integer)
        let isBirth =
          change.operation == .insert && root == Int(mapping.tableNumber)
          && mapping.sourceKeys.contains(source)
        let number =
          isBirth
          ? registry.number(shared, bornIn: transaction)
          : registry.number(shared, meantBy: transaction)
        if number != view.integer { isSame = false }
        image.append(Value.integer(number))
      } else {
        image.append(view)
      }
    }
    return isSame ? nil : Array(image.bytes)
  }
}
