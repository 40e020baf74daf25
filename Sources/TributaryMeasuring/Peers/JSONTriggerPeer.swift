/// Triggers that write each row as JSON.
struct JSONTriggerPeer: Peer {
  let name = "triggers"

  func install(in database: PlainDatabase) throws {
    // JSON cannot contain a blob.
    let key = { (row: String) in
      "'id', CASE typeof(\(row).id) WHEN 'blob' THEN hex(\(row).id) ELSE \(row).id END"
    }
    let values = Workload.columns.map { "'\($0)', new.\($0)" }.joined(separator: ", ")
    let row = "json_object(\(key("new")), \(values))"
    try database.execute("CREATE TABLE captured (id INTEGER PRIMARY KEY, changes TEXT)")
    for (event, image) in [
      ("INSERT", row), ("UPDATE", row), ("DELETE", "json_object(\(key("old")))"),
    ] {
      try database.execute(
        """
        CREATE TRIGGER capture_\(event) AFTER \(event) ON tracks BEGIN
          INSERT INTO captured (changes) VALUES (\(image));
        END
        """)
    }
  }

  func open(on database: PlainDatabase) -> any PeerCapture { NoCapture() }
}
