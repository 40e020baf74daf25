import TributaryContainer
import TributaryHorizon
import TributarySQLite
import TributaryStore

extension KnownHorizons {
  /// Adds the declarations that a store remembers.
  func add(_ record: HorizonRecord) {
    for declaration in record.declarations { add(declaration) }
  }

  /// Returns the declarations that a store remembers, and those that baselines contain.
  static func known(to connection: Connection) -> KnownHorizons {
    let horizons = KnownHorizons()
    for declaration in remembered(by: connection) { horizons.add(declaration) }
    return horizons
  }

  /// Returns the declarations that a store remembers, including earlier ones.
  static func remembered(by connection: Connection) -> [Declaration] {
    // If the record cannot be read, the step that decides by it reports this. Here, it only helps to read
    // what others wrote.
    let record = try? HorizonRecord(connection).declarations
    // Without these, a segment above one of them waits for a baseline, and is reported.
    let earlier = try? HorizonRecord.earlier(connection)
    return (record ?? []) + (earlier ?? [])
  }
}
