import Foundation
import TributaryTesting

/// A headless Chromium, one process for each look at a page.
struct Browser {
  /// What one look came to.
  struct Page {
    let dom: String
    /// What the page has written to the console.
    let console: [String]

    /// The value of the first attribute of that name; `nil` when there is none.
    func attribute(_ name: String) -> String? {
      guard let start = dom.range(of: " \(name)=\""),
        let end = dom.range(of: "\"", range: start.upperBound..<dom.endIndex)
      else { return nil }
      return String(dom[start.upperBound..<end.lowerBound])
    }
  }

  struct Missing: Error, CustomStringConvertible {
    let description =
      "no Chromium here, and pages cannot be tested without one: run tools/setup, "
      + "or apt-get install chromium"
  }

  private let path: String
  /// For its profile.
  private let directory: String

  /// - Throws: `Missing`.
  init(directory: String) throws {
    let places = ["/usr/bin", "/usr/local/bin", "/snap/bin"]
    let names = ["chromium", "chromium-browser", "google-chrome"]
    let paths = names.flatMap { name in places.map { "\($0)/\(name)" } }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
      throw Missing()
    }
    self.path = path
    self.directory = directory
  }

  /// Loads a file and returns what has become of it.
  ///
  /// - Parameter fragment: what follows the `#` of its address.
  func load(_ file: String, _ fragment: String = "") throws -> Page {
    let run = try run(["--dump-dom"], file, fragment)
    return Page(
      dom: run.output,
      console: run.errors.split(separator: "\n").map(String.init).filter {
        $0.contains(":CONSOLE")
      })
  }

  /// Draws a file into a picture and counts its colours.
  func colours(_ file: String, _ fragment: String) throws -> Int {
    let picture = directory + "/picture.png"
    _ = try run(["--screenshot=\(picture)", "--window-size=600,700"], file, fragment)
    let counted = try Shell("python3 -c \"$0\" \"$1\"", Self.counting, picture).finish()
    guard counted.status == 0, let count = Int(counted.output.filter(\.isNumber)) else {
      throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: counted.output])
    }
    return count
  }

  /// Uses a page as a person does; `browser.py` says what steps there are.
  ///
  /// - Parameter steps: as JSON.
  /// - Returns: the results of those that have one.
  func use(_ steps: String) throws -> [Any] {
    let file = directory + "/steps"
    try Data(steps.utf8).write(to: URL(filePath: file))
    let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "browser.py")
      .path
    // What is waited for comes however long it takes; what never comes ends the test.
    let run = try Shell(
      "timeout 300 python3 \"$0\" \"$1\" \"$2\" < \"$3\"", driver, path, directory + "/profile",
      file
    ).finish()
    guard run.status == 0,
      let results = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [Any]
    else { throw HarnessFailure("the browser: \(run.output)") }
    return results
  }

  private func run(
    _ options: [String], _ file: String, _ fragment: String
  ) throws -> (output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        "--enable-logging=stderr", "--user-data-dir=\(directory)/profile",
      ] + options + ["file://\(file)#\(fragment)"]
    // Files, not pipes: what it leaves running would hold a pipe open.
    let outputs = ["output", "errors"].map { "\(directory)/\($0)" }
    for path in outputs { try Data().write(to: URL(filePath: path)) }
    let handles = try outputs.map { try FileHandle(forWritingTo: URL(filePath: $0)) }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let texts = try outputs.map {
      String(decoding: try Data(contentsOf: URL(filePath: $0)), as: UTF8.self)
    }
    guard process.terminationStatus == 0 else {
      throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: texts[1]])
    }
    return (texts[0], texts[1])
  }

  /// Prints how many colours a PNG of eight bits a channel has.
  private static let counting = """
    struct, sys, zlib = map(__import__, ("struct", "sys", "zlib"))
    data = open(sys.argv[1], "rb").read()
    assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
    place, body = 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        piece = data[place + 8:place + 8 + size]
        if kind == b"IHDR": width, height, depth, colour = struct.unpack(">IIBB", piece[:10])
        if kind == b"IDAT": body += piece
        place += size + 12
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(body), width * step
    above, colours = bytearray(stride), set()
    for row in range(height):
        start = row * (stride + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            a = line[i - step] if i >= step else 0
            b = above[i]
            c = above[i - step] if i >= step else 0
            if kind == 1: line[i] = (line[i] + a) & 255
            elif kind == 2: line[i] = (line[i] + b) & 255
            elif kind == 3: line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p, q, r = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                line[i] = (line[i] + (a if p <= q and p <= r else b if q <= r else c)) & 255
        colours.update(bytes(line[i:i + step]) for i in range(0, stride, step))
        above = line
    print(len(colours))
    """
}
