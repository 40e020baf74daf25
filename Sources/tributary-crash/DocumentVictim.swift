import TributaryDocuments
import TributaryFiles
import TributaryStore
import TributarySync

/// A device that makes, edits, renames and deletes documents until it is killed.
///
/// It says what it has made (`c NAME`) and written (`w NAME KEY`), what it is about to delete (`d NAME`), and what
/// it has deleted (`D NAME`); NAME is a content name.
struct DocumentVictim {
  let places: DataPlaces
  let device: String
  let seed: UInt64

  static let migration = Migration(name: "1", sql: "CREATE TABLE note (id TEXT PRIMARY KEY)")
  static let identifier = "iCloud.com.example.Crash"
  /// There are about so many documents.
  private static let wanted = 4

  func run() throws {
    let containers = Containers(places: places)
    let container = try containers.availablePath(for: ContainerIdentifier(Self.identifier))
    let directory = container.appending(component: Containers.documentsName)
    let documents = try Documents(containers: containers)
    var random = SeededRandom(state: seed)
    while true {
      let present = try documents.list()
      let name = directory.appending(component: "\(Int.random(in: 0..<1000, using: &random)).note")
      guard let document = present.randomElement(using: &random), let content = document.contentName
      else {
        try create(at: name, documents)
        continue
      }
      do {
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1: if present.count < Self.wanted { try create(at: name, documents) }
        case 2, 3: try documents.move(document.path, to: name)
        case 4:
          if present.count < Self.wanted {
            let copy = try documents.duplicate(document.path, to: name)
            report("c \(copy.metadata.contentName)")
          }
        case 5:
          report("d \(content)")
          try documents.delete(document.path)
          // Where two devices have renamed it at the same time, only one of its packages goes.
          let hasOther = try documents.list().contains {
            $0.contentName == content && $0.path != document.path
          }
          if !hasOther { report("D \(content)") }
        default:
          let key = "\(device)-\(UInt64.random(in: 0 ... .max, using: &random))"
          try write(key, to: documents.open(document.path))
        }
      } catch {
        // Another device may have taken the name, or the document.
        if (error as? DocumentError)?.code == .exists { continue }
        let after = try documents.list()
        let isStillThere = after.contains {
          $0.contentName == content && $0.path == document.path
        }
        if isStillThere { throw error }
      }
    }
  }

  private func create(at path: String, _ documents: Documents) throws {
    do {
      let document = try documents.create(
        at: path, options: DocumentOptions(migrations: [Self.migration]))
      report("c \(document.metadata.contentName)")
    } catch let error as DocumentError where error.code == .exists {
      // Another device was faster.
    }
  }

  private func write(_ key: String, to document: OpenDocument) throws {
    let session = try SyncSession(store: document.store)
    defer { session.store.close() }
    try session.store.write { try $0.execute("INSERT INTO note VALUES (?)", key) }
    report("w \(document.metadata.contentName) \(key)")
    let result = try session.synchronize()
    if let failure = result.failure { throw failure }
  }
}
