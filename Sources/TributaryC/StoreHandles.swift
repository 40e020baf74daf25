import Synchronization

/// The open stores of this process. C holds their numbers as pointers. No number is used twice, so a closed
/// store is recognised.
enum StoreHandles {
  private struct Table {
    var last: UInt = 0
    var stores: [UInt: StoreHandle] = [:]
  }

  private static let table = Mutex(Table())

  static func add(_ store: StoreHandle) -> OpaquePointer? {
    table.withLock { table in
      // Never the address of anything.
      table.last += 1
      table.stores[table.last] = store
      return OpaquePointer(bitPattern: table.last)
    }
  }

  static func store(_ pointer: OpaquePointer?) throws(CallError) -> StoreHandle {
    let number = UInt(bitPattern: pointer)
    guard number != 0 else {
      throw CallError("the argument store is NULL", remedy: "open one with tributary_open()")
    }
    guard let store = table.withLock({ $0.stores[number] }) else { throw unknown() }
    return store
  }

  static func remove(_ pointer: OpaquePointer) throws(CallError) -> StoreHandle {
    let number = UInt(bitPattern: pointer)
    guard let store = table.withLock({ $0.stores.removeValue(forKey: number) }) else {
      throw unknown()
    }
    return store
  }

  static func unknown() -> CallError {
    CallError("the store was closed, or is none", remedy: "open it with tributary_open()")
  }
}
