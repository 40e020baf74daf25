// A music player on one device: run it twice, with two databases and one shared directory.
//
//   tributary-example DATABASE SHARED-DIRECTORY TITLE
//
// It adds an album, prints what it has, and then what other devices add, for ten seconds.
import Tributary

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
  print("usage: tributary-example DATABASE SHARED-DIRECTORY TITLE")
  throw CancellationError()
}

let schema: Schema = [
  Migration(
    name: "001-albums",
    sql: "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating INTEGER)")
]

let container = try Container(at: arguments[2])
let store = try await Store.open(
  at: arguments[1],
  options: StoreOptions(contentName: "Library", container: container, schema: schema))

// Listen first, then write: nothing that happens in between is missed.
let imports = store.imports

let id = Int64.random(in: 1...Int64.max)
try store.write { db in
  try db.execute("INSERT INTO album (id, title) VALUES (?, ?)", id, arguments[3])
}

for row in try store.read({ db in try db.query("SELECT title FROM album ORDER BY title") }) {
  print("have:", row.string("title") ?? "")
}

let listening = Task {
  for await change in imports {
    for key in change.tables["album"]?.inserted.keys ?? [] {
      let rows = try store.read { db in
        try db.query("SELECT title FROM album WHERE id = ?", key[0])
      }
      print("new: ", rows.first?.string("title") ?? "(gone again)")
    }
  }
}

try await Task.sleep(for: .seconds(10))
store.close()
try await listening.value
