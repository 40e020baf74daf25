// What the samples of the documentation use without declaring it; see tools/check-samples. It is compiled and never run.

import Foundation
import Tributary

func declared<T>() -> T { fatalError() }

var store: Store { declared() }
var db: Database { declared() }
var container: Container { declared() }
var schema: Schema { declared() }
var options: StoreOptions {
  get { declared() }
  set {}
}
var conflict: Conflict { declared() }
var url: URL { declared() }
var id: Int64 { declared() }
var title: String { declared() }
var library: MusicLibrary { declared() }
var editor: Editor { declared() }
var logger: Logger { declared() }
var change: Change { declared() }

struct MusicLibrary { let store: Store }

struct Album: Codable {
  var id: Int64?
  var title: String
}

struct Editor {
  func save(to url: URL) async {}
}

/// In the shape of swift-log's.
struct Logger {
  enum Level: String { case trace, debug, info, notice, warning, error, critical }
  enum Value { case string(String) }
  func log(level: Level, _ message: String, metadata: [String: Value]) {}
}

/// A write of the application, or a view that follows changes.
struct Change {
  func callAsFunction(_ db: Database) throws {}
  func callAsFunction(
    _ added: [MetadataItem], _ changed: [MetadataItem], _ removed: [MetadataItem]
  ) {}
}

func show<T>(_ anything: T) {}
func refresh<T>(_ anything: T) {}
func reload() {}
func reload(_ keys: [String]) {}
func warn(_ error: any Error) {}
func alert(_ message: String, _ remedy: String) {}
func importTracks(_ db: Database) throws {}
func merged(_ conflict: Conflict) -> Value { declared() }
func workAlone() {}
