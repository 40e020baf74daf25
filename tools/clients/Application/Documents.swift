import Foundation
import Tributary

@MainActor
final class Window {
  let document: ManagedDocument

  init(at url: URL, schema: Schema) async throws {
    var options = ManagedDocumentOptions(schema: schema)
    options.attributes = ["author": "Ada"]
    document = try await ManagedDocument.create(at: url, contents: .empty, options: options)
    print(document.metadata.attributes, document.documentState.contains(.savingError))
  }

  func run() async throws {
    try document.write { try $0.execute("DELETE FROM note") }
    for await state in document.states where state == .normal { break }
    try await document.rename(to: "Notes")
    _ = try await document.save()
    await document.close()
    for found in try await ManagedDocument.list() where found.state == .damaged {
      print(found.name, found.bytes)
    }
  }
}

func containers() throws {
  let identifier = try ContainerIdentifier("iCloud.com.example.notes")
  let entitlements = try Entitlements(contentsOf: "/app.entitlements")
  let places = DataPlaces(containers: "/c", data: "/d")
  let containers = Containers(places: places, entitlements: entitlements)
  print(try containers.list().map(\.state), try containers.storage().flatMap(\.documents))
  print(try containers.identityToken()?.text as Any, identifier.directoryName)
  let listed: [PublicContainer] = try PublicContainer.all(inInfo: "/Info.plist")
  print(listed.map(\.supportedFolderLevels), try DocumentModels.find(in: "/models").map(\.name))
  print(try Container.lookup("iCloud.com.example.notes")?.documents as Any)
}

func settings(in container: Container) async throws {
  let options = KeyValueStoreOptions(
    identifier: "settings", container: container, profile: .classic)
  let store = try await KeyValueStore.open(at: "/tmp/settings.db", options: options)
  try store.set("blue", forKey: "colour")
  try store.set(.array([.integer(1), .bool(true)]), forKey: "list")
  print(store.string(forKey: "colour") as Any, store.value(forKey: "list")?.kind as Any)
  print(try store.usage().exceeds(.standard), store.profile.totalByteLimit)
  for await change in store.changes where change.reason == .serverChange {
    print(change.changedKeys, KeyValueNotificationKey.reason)
  }
  try store.close()
}
