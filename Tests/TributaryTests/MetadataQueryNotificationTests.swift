import Foundation
import Testing
import Tributary
import TributaryTesting

/// What a query posts.
struct MetadataQueryNotificationTests {
  @Test func `a query posts that it has gathered, and what has changed`() async throws {
    try await withTemporaryDirectory { directory in
      let center = NotificationCenter()
      let (posted, continuation) = AsyncStream.makeStream(of: String.self)
      for name in [Notification.Name.metadataQueryDidFinishGathering, .metadataQueryDidUpdate] {
        _ = center.addObserver(forName: name, object: nil, queue: nil) { notification in
          let update = notification.userInfo?[MetadataQueryNotificationKey.update]
          let added = (update as? MetadataUpdate)?.added.map(\.name) ?? []
          continuation.yield("\(notification.object is MetadataQuery) \(added)")
        }
      }
      let query = try MetadataQuery(scopes: [.directory(URL(filePath: directory))])
      try query.start(postingTo: center)
      // What posts needs a thread that a test which blocks would keep from it.
      var posts = posted.makeAsyncIterator()
      #expect(await posts.next() == "true []")
      try Data().write(to: URL(filePath: "\(directory)/a"))
      #expect(await posts.next() == "true [\"a\"]")
      query.stop()
    }
  }

  @Test func `without a word, a query searches the containers that the application may use`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let file = directory + "/App.entitlements"
      try PropertyListSerialization.data(
        fromPropertyList: [
          "com.apple.developer.icloud-container-identifiers": ["iCloud.own", "iCloud.own.*"]
        ], format: .xml, options: 0
      ).write(to: URL(filePath: file))
      let places = DataPlaces(containers: directory + "/shared", data: directory + "/data")
      let all = Containers(places: places)
      for text in ["iCloud.own", "iCloud.own.second", "iCloud.other", "iCloud.own.off"] {
        let path = try #require(try all.path(for: ContainerIdentifier(text)))
        try Data().write(to: URL(filePath: path + "/Documents/" + text))
      }
      try all.disable(ContainerIdentifier("iCloud.own.off"))
      let query = try MetadataQuery(
        scopes: [.documents],
        containers: Containers(places: places, entitlements: Entitlements(contentsOf: file)))
      try query.start()
      for await event in query.events {
        if case .didFinishGathering = event { break }
      }
      #expect(query.results.map(\.name) == ["iCloud.own", "iCloud.own.second"])
    }
  }
}
