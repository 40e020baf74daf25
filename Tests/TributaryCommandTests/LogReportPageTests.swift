import Foundation
import Testing
import TributaryCommand
import TributaryCore
import TributaryLog
import TributaryTesting

/// What the page of `log report` does in a browser.
@Suite(.serialized) struct LogReportPageTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  /// Makes a page of logs and lends it with a browser.
  private func withPage(
    _ write: (inout LogFixture) throws -> Void, _ body: (Browser, String) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let browser = try Browser(directory: directory)
      var logs = LogFixture(container: directory + "/container")
      try write(&logs)
      let page = directory + "/page.html"
      let run = Invocation("log", "report", logs.container, "-o", page)
      #expect(run.status == .done, "\(run.errors)")
      try body(browser, page)
    }
  }

  /// Neither an error, nor anything that the page is not allowed, nor a request.
  private func expectPeace(_ page: Browser.Page, _ source: SourceLocation = #_sourceLocation) {
    #expect(page.attribute("data-ready") == "true", sourceLocation: source)
    #expect(page.attribute("data-error") == nil, sourceLocation: source)
    #expect(page.attribute("data-violation") == nil, sourceLocation: source)
    #expect(page.attribute("data-requests") == "0", sourceLocation: source)
    #expect(page.console == [], sourceLocation: source)
  }

  @Test func `names that are markup are shown as text, and nothing is requested`() throws {
    let evil = "</script><img src=x onerror=\"document.title='taken'\"><!--\u{202E}"
    let table = TableShape(
      table: "<b onclick=alert(1)>t</b></noscript>", columns: ["id", "<i>&amp;"],
      keys: [.init(column: 0)])
    try withPage { logs in
      logs.moreShapes = [table]
      try logs.writeManifest(of: alice, name: evil, sequence: 1)
      try logs.write([Transaction(1, .insert("<u>'\"", 1, into: table))])
      try logs.write([Transaction(1, .insert("<u>'\"", 2, into: table))], by: bob)
    } _: { browser, path in
      let source = try String(contentsOfFile: path, encoding: .utf8)
      #expect(source.components(separatedBy: "</script>").count == 3)
      #expect(!source.contains("<img") && !source.contains("<b onclick") && !source.contains("<u>"))
      #expect(!source.contains("http://") && !source.contains("https://"))
      for word in ["@import", "url(", "import(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("] {
        #expect(!source.contains(word), "\(word)")
      }
      let page = try browser.load(path, "select=a11ce:1")
      expectPeace(page)
      let shown = page.dom.components(separatedBy: "id=\"report\"")[0]
      // What stands in the elements as text, escaped by the browser when it prints them.
      #expect(
        shown.contains("&lt;/script&gt;&lt;img src=x onerror=\"document.title='taken'\"&gt;"))
      #expect(shown.contains("&lt;!--\\u{202e}"))
      #expect(shown.contains("&lt;b onclick=alert(1)&gt;t&lt;/b&gt;&lt;/noscript&gt;"))
      #expect(shown.contains("&lt;i&gt;&amp;amp;"))
      #expect(shown.contains("\"&lt;u&gt;'\\\"\""))
      #expect(!shown.contains("<img") && !shown.contains("<b onclick"))
    }
  }

  @Test func `the address selects a transaction, a span of time and a theme`() throws {
    try withPage { logs in
      try logs.writeManifest(of: alice, name: "Laptop", sequence: 3, receipt: [bob: 1])
      try logs.writeManifest(of: bob, name: "Phone", sequence: 2, receipt: [alice: 2])
      try logs.write([
        Transaction(1), Transaction(2, .insert(2, "x", 1.5), .delete(9)),
        Transaction(3, at: 1_700_000_009_000, knows: [bob: 1], .update(2, "y", nil)),
      ])
      try logs.write(
        [
          Transaction(
            1, at: 1_700_000_005_000, knows: [alice: 2], .delete("a", 1, from: LogFixture.pairs)),
          Transaction(2, at: 1_700_000_006_000, knows: [alice: 2], .update(2, "z", nil)),
        ], by: bob)
    } _: { browser, path in
      let page = try browser.load(path, "theme=dark&zoom=1700000004000,1700000010000&select=b0b0:1")
      expectPeace(page)
      #expect(page.attribute("data-shown") == "dark")
      #expect(page.attribute("data-transactions") == "5")
      #expect(page.attribute("data-selected") == "\(bob):1")
      #expect(page.attribute("data-from") == "1700000004000")
      #expect(page.attribute("data-to") == "1700000010000")
      #expect(page.attribute("data-visible") == "3")
      #expect(page.attribute("data-arrows-in") == "1")
      #expect(page.attribute("data-arrows-out") == "1")
      let details = page.dom.components(separatedBy: "id=\"details\"")[1]
        .components(separatedBy: "</section>")[0]
      for text in [
        "Phone, transaction 1<", "2023-11-14 22:13:25.000 UTC", "pairs<", ">Laptop 2<",
        ">Laptop 3<",
      ] {
        #expect(details.contains(text), "\(text)")
      }
      #expect(
        page.dom.contains("Phone has not imported 1 transaction that is here.")
          || page.dom.contains("2 of 2 devices have not imported everything that is here."))
      #expect(page.dom.contains(">updated both<"))
      let light = try browser.load(path, "theme=light")
      expectPeace(light)
      #expect(light.attribute("data-shown") == "light")
      #expect(light.attribute("data-selected") == nil)
      #expect(light.attribute("data-visible") == "5")
      let colours = try browser.colours(path, "theme=dark&select=b0b0:1")
      #expect(colours > 20)
    }
  }

  @Test func `100,000 transactions are there at once`() throws {
    let count: UInt64 = 50_000
    func transaction(_ number: UInt64, _ other: PeerIdentity, _ shift: UInt64) -> Transaction {
      let known: UInt64 = number < 100 ? 0 : number / 100 * 100 - 50
      let time: UInt64 = 1_700_000_000_000 + number * 60_000 + shift
      return Transaction(
        number, at: time, knows: known == 0 ? [:] : [other: known],
        .insert(.integer(Int64(number)), "title", 1.5))
    }
    try withPage { logs in
      try logs.write((1...count).map { transaction($0, bob, 0) }, by: alice)
      try logs.write((1...count).map { transaction($0, alice, 500) }, by: bob)
    } _: { browser, path in
      let page = try browser.load(path, "select=b0b0:40000")
      expectPeace(page)
      #expect(page.attribute("data-transactions") == "100000")
      #expect(page.attribute("data-visible") == "100000")
      #expect(page.attribute("data-selected") == "\(bob):40000")
      // About 300 and 20 on a machine with nothing else to do; a busy one says nothing.
      #expect(Int(page.attribute("data-load-milliseconds") ?? "") != nil)
      #expect(Int(page.attribute("data-draw-milliseconds") ?? "") != nil)
      let colours = try browser.colours(path, "theme=light")
      #expect(colours > 20)
    }
  }
}
