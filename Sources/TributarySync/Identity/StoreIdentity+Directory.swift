import TributaryContainer
import TributarySQLite
package import TributaryStore

extension StoreIdentity {
  init(reading connection: Connection) throws {
    self = try connection.remembered { try Settings(connection).identity() }
  }

  package func directory() throws -> ContentDirectory {
    ContentDirectory(
      container: container, root: try ContentRoot(contentRoot), name: try ContentName(contentName))
  }
}
