import Foundation
import Testing
import Tributary
import TributaryTesting

/// What a query posts.
struct MetadataQueryNotificationTests {
  @Test func `a query posts that it has gathered, and what has changed`() throws {
    try withTemporaryDirectory { directory in
      let center = NotificationCenter()
      let posted = Recorded<String>()
      for name in [Notification.Name.metadataQueryDidFinishGathering, .metadataQueryDidUpdate] {
        _ = center.addObserver(forName: name, object: nil, queue: nil) { notification in
          let update = notification.userInfo?[MetadataQueryNotificationKey.update]
          let added = (update as? MetadataUpdate)?.added.map(\.name) ?? []
          posted.append("\(notification.object is MetadataQuery) \(added)")
        }
      }
      let query = try MetadataQuery(scopes: [.directory(URL(filePath: directory))])
      try query.start(postingTo: center)
      try eventually { posted.all == ["true []"] }
      try Data().write(to: URL(filePath: "\(directory)/a"))
      try eventually { posted.all.count == 2 }
      #expect(posted.all == ["true []", "true [\"a\"]"])
      query.stop()
    }
  }
}
