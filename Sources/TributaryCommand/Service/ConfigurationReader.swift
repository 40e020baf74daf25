import Glibc
import TributaryFiles
import TributaryKeyValue
import TributarySync

/// Reads the configuration of a service from a JSON file. `Schemas/service.schema.json`
struct ConfigurationReader {
  private typealias Members = [String: PropertyListValue]

  private let path: String
  /// The directory of the file, to which relative paths are relative.
  private let directory: String
  private let home: String?
  private var configuration = ServiceConfiguration()
  /// Where each store was named.
  private var places: [String: String] = [:]
  /// Where each file was named: hard links are different paths of the same file.
  private var files: [FileIdentity: String] = [:]

  /// The largest file that is read; a store takes about 100 bytes.
  private static let limit = 16 << 20

  /// Reads a configuration.
  ///
  /// - Throws: `FileError`, or an error that names the file, the place in it, what is wrong and what would be right.
  static func read(
    _ path: String,
    home: String? = getenv("HOME").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  ) throws -> ServiceConfiguration {
    // Configurations are often links into a directory that something else manages.
    let real = try LocalFileSystem().resolve(path) ?? path
    let bytes = try LocalFileSystem().read(real, limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TextError("\(path): the configuration is not valid UTF-8; save it as UTF-8")
    }
    return try read(text, path: path, home: home)
  }

  static func read(_ text: String, path: String, home: String?) throws -> ServiceConfiguration {
    let value: PropertyListValue
    do {
      value = try PropertyListJSONReader.value(text)
    } catch {
      let before = Array(text.utf8).prefix(error.offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
      throw TextError(
        "\(path):\(line):\(column): \(error.message); the configuration is one JSON object")
    }
    let current = try LocalFileSystem().resolve(path) ?? path
    var reader = ConfigurationReader(
      path: path, directory: current.parentDirectory, home: home)
    try reader.read(value)
    return reader.configuration
  }

  private init(path: String, directory: String, home: String?) {
    self.path = path
    self.directory = directory
    self.home = home
  }

  // MARK: The whole

  private mutating func read(_ value: PropertyListValue) throws {
    guard case .dictionary(let members) = value else {
      throw refusal("the configuration", "is not an object", "write { \"stores\": [ … ] }")
    }
    try check(
      members, at: "",
      known: [
        "$schema", "stores", "interval", "containerTimeout", "onImport", "metrics",
        "metricsInterval", "page", "pageToken", "log",
      ])
    guard let stores = members["stores"] else {
      throw refusal("stores", "is missing", "name at least one store, or write []")
    }
    guard case .array(let elements) = stores else {
      throw refusal("stores", "is not an array", "write [ \"/path/of/a/store\" ]")
    }
    if let text = try text(members, "metrics", at: "") {
      switch MetricsTarget(text) {
      case .file(let path): configuration.metrics = .file(absolute(path))
      case .socket(let path):
        configuration.metrics = .socket(path.hasPrefix("@") ? path : absolute(path))
      case nil:
        throw refusal(
          "metrics", "lacks the path of the socket", "write \"unix:/run/tributary/metrics\"")
      }
    }
    if let interval = try seconds(members, "metricsInterval", at: "") {
      configuration.metricsInterval = interval
    }
    if let text = try text(members, "page", at: "") {
      do { configuration.page = try PageAddress(text) } catch {
        throw TextError("\(path): page: \(error.description)")
      }
    }
    configuration.pageToken = try text(members, "pageToken", at: "").map(absolute)
    if let form = try text(members, "log", at: "") {
      guard let form = ServiceLog.Form(rawValue: form) else {
        throw refusal("log", "is '\(form)'", "write \"logfmt\" or \"json\"")
      }
      configuration.log = form
    }
    var common = ServedStore(path: "")
    try settings(of: &common, members, at: "")
    // A store that is named explicitly is meant, even if patterns match it too.
    let named = try elements.enumerated().map { index, element in
      try store(element, common, at: "stores[\(index)]")
    }
    for (place, store, pattern) in named where pattern == nil { try add(store, at: place) }
    for (place, store, pattern) in named {
      guard let pattern else { continue }
      let before = configuration.passedOver.count
      let paths = try StorePattern.stores(pattern, passedOver: &configuration.passedOver)
      if paths.isEmpty, configuration.passedOver.count == before {
        configuration.unmatched.append(store.path)
      }
      for path in paths where other(path) == nil {
        var match = store
        match.path = path
        try add(match, at: place)
      }
    }
  }

  private mutating func add(_ store: ServedStore, at place: String) throws {
    // One store under two names would be synchronised twice.
    if let other = other(store.path) {
      throw refusal(
        "\(place).path", "names the same store as \(other): \(store.path)", "remove one of them")
    }
    places[real(store.path)] = place
    places[store.path] = place
    if let identity = identity(store.path) { files[identity] = place }
    configuration.stores.append(store)
  }

  /// Returns where a store has been named already, by any of its paths.
  private func other(_ path: String) -> String? {
    places[path] ?? places[real(path)] ?? identity(path).flatMap { files[$0] }
  }

  // A path that cannot be resolved is compared as written; opening the store reports what is wrong. A path
  // that does not exist has no other name.
  private func real(_ path: String) -> String { (try? LocalFileSystem().resolve(path)) ?? path }

  private func identity(_ path: String) -> FileIdentity? {
    StorePattern.status(path)?.identity
  }

  /// Returns the warning about a pattern that no store matches.
  static func warning(of pattern: String) -> String {
    "\(pattern) matches no file; check the pattern, or attach stores there and reload"
  }

  // MARK: A store

  /// Reads a store, or a pattern for several stores.
  private func store(
    _ value: PropertyListValue, _ common: ServedStore, at place: String
  ) throws -> (place: String, store: ServedStore, pattern: String?) {
    var store = common
    let written: String
    switch value {
    case .string(let path):
      written = path
      store.path = try storePath(path, at: place)
    case .dictionary(let members):
      try check(
        members, at: place, known: ["path", "interval", "containerTimeout", "onImport"])
      guard let path = try text(members, "path", at: place) else {
        throw refusal("\(place).path", "is missing", "name the store")
      }
      written = path
      store.path = try storePath(path, at: "\(place).path")
      try settings(of: &store, members, at: place)
    default:
      throw refusal(place, "is neither a path nor an object", "write \"/path/of/a/store\"")
    }
    return (place, store, pattern(written, store.path))
  }

  /// Returns a text as a pattern, with the directory before it taken literally; `nil` if the text names a
  /// file.
  private func pattern(_ text: String, _ path: String) -> String? {
    guard StorePattern.isPattern(text), StorePattern.status(path) == nil else { return nil }
    if text.hasPrefix("~/"), let home { return StorePattern.escaped(home) + text.dropFirst() }
    return text.hasPrefix("/")
      ? text : StorePattern.escaped(directory).appending(component: text)
  }

  private func storePath(_ text: String, at place: String) throws -> String {
    guard !text.isEmpty else { throw refusal(place, "is empty", "name the store") }
    try checkNull(text, at: place)
    if text.hasPrefix("~"), home == nil || !(text == "~" || text.hasPrefix("~/")) {
      throw refusal(place, "begins with '~': \(text)", "write the whole path")
    }
    let path = absolute(text)
    if DocumentArguments.isDocument(path) {
      throw refusal(
        place, "is a document: \(path)", "name the store that `tributary document open` prints")
    }
    return path
  }

  private func absolute(_ path: String) -> String {
    if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
    return path.hasPrefix("/") ? path : directory.appending(component: path)
  }

  private func settings(of store: inout ServedStore, _ members: Members, at place: String) throws {
    if let interval = try seconds(members, "interval", at: place) { store.interval = interval }
    if let limit = try seconds(members, "containerTimeout", at: place) {
      store.containerLimit = limit
    }
    if let command = try text(members, "onImport", at: place) { store.onImport = command }
  }

  // MARK: Values

  private func check(_ members: Members, at place: String, known: [String]) throws {
    for name in members.keys.sorted() where !known.contains(name) {
      throw refusal(
        Self.join(place, name), "is not known", "the keys here are \(known.joined(separator: ", "))"
      )
    }
  }

  private func text(_ members: Members, _ name: String, at place: String) throws -> String? {
    guard let value = members[name] else { return nil }
    guard case .string(let text) = value else {
      throw refusal(Self.join(place, name), "is not a text", "write it in quotes")
    }
    guard !text.isEmpty else {
      throw refusal(Self.join(place, name), "is empty", "give it a value, or leave it out")
    }
    try checkNull(text, at: Self.join(place, name))
    return text
  }

  /// Throws if a text contains a NUL: the system would read it only up to there.
  private func checkNull(_ text: String, at place: String) throws {
    if text.utf8.contains(0) {
      throw refusal(place, "contains U+0000", "leave that character out")
    }
  }

  private func seconds(_ members: Members, _ name: String, at place: String) throws -> Int? {
    let number: Double
    switch members[name] {
    case nil: return nil
    case .integer(let integer): number = Double(integer)
    case .real(let real): number = real
    default: throw refusal(Self.join(place, name), "is not a number", "write seconds")
    }
    guard number >= 0.001, number <= 86_400 else {
      throw refusal(
        Self.join(place, name), "is \(number)", "write seconds from 0.001 to 86400")
    }
    return Int(number * 1000)
  }

  private func refusal(_ place: String, _ what: String, _ remedy: String) -> TextError {
    TextError("\(path): \(place) \(what); \(remedy)")
  }

  private static func join(_ place: String, _ name: String) -> String {
    place.isEmpty ? name : "\(place).\(name)"
  }
}
