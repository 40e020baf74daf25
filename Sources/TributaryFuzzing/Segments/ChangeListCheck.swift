import TributaryCore
import TributaryLog

/// Checks any changes as a database stores them, without a file around them.
enum ChangeListCheck {
  private static let layouts = [
    ShapeLayout(columnCount: 1, keyCount: 1), ShapeLayout(columnCount: 4, keyCount: 2),
    ShapeLayout(columnCount: 300, keyCount: 1),
    ShapeLayout(columnCount: 32767, keyCount: 32767),
  ]

  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    let (changes, _) = try read(bytes)
    var buffer = ByteBuffer()
    for change in changes { change.encode(into: &buffer) }
    let written = Array(buffer.bytes)
    let (again, error) = try read(written)
    try FuzzFailure.demand(error == nil, "written again: \(String(describing: error))")
    try FuzzFailure.demand(again == changes, "written and read again, they are others")
  }

  private static func read(
    _ bytes: [UInt8]
  ) throws(FuzzFailure) -> (changes: [SegmentModel.Change], error: LogError?) {
    var changes: [SegmentModel.Change] = []
    var failure: FuzzFailure?
    let error = bytes.withUnsafeBytes { (bytes) -> LogError? in
      var reader = ChangeListReader(bytes)
      do throws(LogError) {
        while true {
          let next = try reader.next(layout: layout)
          guard let view = next else { return nil }
          do throws(FuzzFailure) { changes.append(try change(view)) } catch {
            failure = error
            return nil
          }
        }
      } catch { return error }
    }
    if let failure { throw failure }
    try FuzzFailure.demand(
      error.map { $0.offset.map { $0 <= bytes.count } ?? false } ?? true,
      "no place: \(String(describing: error))")
    return (changes, error)
  }

  private static func layout(_ id: UInt32) -> ShapeLayout? {
    id < layouts.count ? layouts[Int(id)] : nil
  }

  private static func change(_ view: ChangeView) throws(FuzzFailure) -> SegmentModel.Change {
    let layout = layouts[Int(view.shapeID)]
    let count = view.operation == .delete ? layout.keyCount : layout.columnCount
    do {
      let change = try SegmentModel.Change(view)
      guard change.values.count == count else {
        throw FuzzFailure("\(change.values.count) values where \(count) must be")
      }
      return change
    } catch let failure as FuzzFailure {
      throw failure
    } catch { throw FuzzFailure("a change that was read does not decode: \(error)") }
  }
}
