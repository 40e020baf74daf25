/// The bytes that a transaction and `peer.json` take if ten of 100 devices write, above one declared horizon.
///
/// They are the same with 1,000 devices and with 10,000, since only devices that write are listed.
struct DeclaredFleetCounts {
  let scratch: Scratch

  private static let name = "100 peers, 10 of which write"

  func figures() throws -> [CountedFigure] {
    let fleet = try DeclaredFleet(of: 100, scratch, environment: .repeatable())
    // The last writer knows what all the others have written.
    for name in fleet.writers { try fleet.write(name) }
    let writer = fleet.writers.last ?? fleet.reader
    let insert = try fleet.lastSegmentByteCount(writer, scratch)
    try fleet.update(writer)
    return [
      CountedFigure("\(Self.name): bytes of the segment of an inserted row", UInt64(insert)),
      CountedFigure(
        "\(Self.name): bytes of the segment of an updated row",
        UInt64(try fleet.lastSegmentByteCount(writer, scratch))),
      CountedFigure(
        "\(Self.name): bytes of peer.json", UInt64(try fleet.manifestByteCount(writer, scratch))),
    ]
  }
}
