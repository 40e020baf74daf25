import Foundation
import Glibc
import Testing
import TributaryCommand
import TributaryFiles
import TributaryTesting

/// The page that a service shows to browsers.
struct ServicePageTests {
  private static let token = "0123456789abcdef0123456789abcdef"

  /// Asks a page, as a program.
  private func ask(_ address: String, _ options: String...) throws -> (status: String, text: String)
  {
    let run = try Shell(
      "curl -s -w '\\n%{http_code}' \(options.joined(separator: " ")) \"$0\"", address
    ).finish()
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
  }

  /// Serves two stores, of which `b` has a conflict over a title.
  private func withPage(
    token: Bool, _ body: (StoreFixture, ServiceProcess, String) throws -> Void
  ) throws {
    try withStores { stores in
      try stores.write(Self.token + "\n", to: "token")
      chmod(stores.directory + "/token", 0o600)
      stores.sql("a", "INSERT INTO tracks (id, title) VALUES (1, 'first')")
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      stores.sql("a", "UPDATE tracks SET title = 'theirs <b>'")
      awaitClockTick()
      stores.sql("b", "UPDATE tracks SET title = 'ours'")
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      let service = try ServiceProcess(
        stores,
        #"{"stores": ["a.db", "b.db"], "page": "0"\#(token ? #", "pageToken": "token""# : "")}"#)
      let address = try #require(try service.next("started")["page"])
      try #require(address.hasPrefix("http://127.0.0.1:"))
      try body(stores, service, address)
      try service.end()
    }
  }

  private func conflicts(_ stores: StoreFixture) -> Int {
    Invocation("conflicts", "list", stores.path("b"), "--json").lines.count
  }

  @Test func `without a token it is for this machine, shows everything, and changes nothing`()
    throws
  {
    try withPage(token: false) { stores, _, address in
      #expect(try ask(address).text.hasPrefix("<!doctype html>"))
      let all = try ask(address + "stores")
      #expect(all.status == "200")
      try JSONSchema(named: "page").check(all.text)
      for (path, schema) in [("status", "status"), ("conflicts", "conflict")] {
        let one = try ask("\(address)\(path)?store=\(stores.path("b"))")
        #expect(one.status == "200")
        let text = path == "status" ? one.text : String(one.text.dropFirst().dropLast())
        try JSONSchema(named: schema).check(text)
      }
      #expect(try ask("\(address)report?store=\(stores.path("a"))").text.contains("<html"))
      let conflict = try #require(
        Invocation("conflicts", "list", stores.path("b"), "--json").output.firstMatch(
          of: /"id":"([0-9a-f]+)"/))
      let settling = "settle?store=\(stores.path("b"))&conflict=\(conflict.1)&choice=keep"
      #expect(try ask(address + settling, "-X POST").status == "403")
      #expect(conflicts(stores) == 1)
      #expect(try ask("\(address)status?store=/etc/passwd").status == "404")
      #expect(try ask(address + "stores", "-X POST").status == "404")
      #expect(try ask(address + "stores", "-H 'Host: evil.example'").status == "403")
      let port = try #require(address.firstMatch(of: /:([0-9]+)\/$/)).1
      #expect(try ask(address + "stores", "-H 'Host: localhost:\(port)'").status == "200")
    }
  }

  @Test func `with a token it settles conflicts, for those alone who know it`() throws {
    try withPage(token: true) { stores, _, address in
      #expect(try ask(address).status == "200", "what asks for the token")
      for path in [
        "stores", "status?store=\(stores.path("a"))", "report?store=\(stores.path("a"))",
      ] {
        #expect(try ask(address + path).status == "401")
        #expect(
          try ask(address + path, "-H 'Authorization: Bearer \(Self.token)x'").status == "401")
        #expect(try ask(address + path, "-H 'Authorization: Bearer \(Self.token)'").status == "200")
      }
      let wrong = try ask(
        "\(address)settle?store=\(stores.path("b"))&conflict=0000000000000000&choice=keep",
        "-X POST",
        "-H 'Authorization: Bearer \(Self.token)'")
      #expect(wrong.status == "409" && wrong.text.contains("0000000000000000"), "\(wrong)")
      #expect(conflicts(stores) == 1)
    }
  }

  @Test
  func `a person uses it with the keyboard, in dark and narrow windows, and by a screen reader`()
    throws
  {
    try withPage(token: true) { stores, service, address in
      let browser = try Browser(directory: stores.directory)
      let focus = #"{"value": "document.activeElement.id"}"#
      let results = try browser.use(
        """
        [{"scheme": "dark"}, {"width": 360}, {"go": "\(address)"},
         {"wait": "document.getElementById('access')?.hidden === false"},
         {"keys": ["Tab"]}, \(focus), {"keys": ["wrong", "Enter"]},
         {"wait": "document.getElementById('refusal').textContent !== ''"},
         {"keys": ["\(Self.token)", "Enter"]}, {"wait": "document.getElementById('choose1') !== null"},
         {"names": "table"}, {"keys": ["Tab", "Tab"]}, \(focus), {"keys": ["Enter"]},
         {"wait": "document.querySelector('[id^=keep]') !== null"}, {"names": "heading"},
         {"value": "document.documentElement.scrollWidth <= innerWidth"},
         {"value": "getComputedStyle(document.body).backgroundColor"},
         {"value": "document.querySelectorAll('#store b').length"},
         {"keys": ["Tab"]}, {"value": "document.activeElement.getAttribute('aria-label')"},
         {"keys": ["Tab"]}, {"value": "document.activeElement.getAttribute('aria-label')"},
         {"keys": ["Enter"]}, {"wait": "document.querySelector('[id^=keep]') === null"},
         {"value": "document.getElementById('line').focus() || document.activeElement.id"},
         {"keys": ["Enter"]}, {"wait": "document.querySelector('iframe').srcdoc.includes('<html')"},
         {"names": "Iframe"}, {"scheme": "light"}, {"width": 1200},
         {"value": "document.documentElement.scrollWidth <= innerWidth"},
         {"value": "getComputedStyle(document.body).backgroundColor"}]
        """)
      #expect(conflicts(stores) == 0)
      #expect(stores.sql("b", "SELECT title FROM tracks") == "theirs <b>\n")
      try service.next("published") { $0["store"] == stores.path("b") }
      let facts = results.map { "\($0)" }
      try #require(facts.count == 13, "\(facts)")
      #expect(facts[0] == "token" && facts[2] == "choose1")
      #expect(results[1] as? [String] == ["Stores"])
      #expect(
        results[3] as? [String] == [
          "Tributary", "b.db", "Peers", "Sizes", "Conflicts", "Time line",
        ])
      #expect(results[4] as? Bool == true, "nothing is wider than the window")
      #expect(facts[5] == "rgb(20, 22, 25)")
      #expect(facts[6] == "0", "names and values are text")
      #expect(facts[7] == "Keep what is visible: tracks 1, update")
      #expect(facts[8] == "Restore what was lost: tracks 1, update")
      #expect(facts[9] == "line")
      #expect(results[10] as? [String] == ["Time line of the logs"])
      #expect(results[11] as? Bool == true && facts[12] == "rgb(250, 249, 247)")
    }
  }

  @Test func `a page that would be open to others, or has no place, is refused at the start`()
    throws
  {
    try withStores { stores in
      try stores.write(#"{"stores": ["a.db"]}"#, to: "serve.json")
      try stores.write(Self.token, to: "token")
      try stores.write("short", to: "short")
      chmod(stores.directory + "/token", 0o644)
      chmod(stores.directory + "/short", 0o600)
      func serve(_ words: String...) -> Invocation {
        Invocation(
          words: ["serve", "--config", stores.directory + "/serve.json", "--check"] + words)
      }
      for (words, reason) in [
        (
          ["--page", "0.0.0.0:8080"],
          "other machines can reach the page at 0.0.0.0:8080; add a token"
        ),
        (["--page", "[::]:8080"], "other machines can reach the page at [::]:8080; add a token"),
        (["--page-token", "token"], "token is the token of no page; name its address too"),
        (
          ["--page", "80", "--page-token", stores.directory + "/none"],
          "there is no file with the token"
        ),
        (["--page", "80", "--page-token", stores.directory + "/token"], "chmod 600 "),
        (["--page", "80", "--page-token", stores.directory + "/short"], "at least 16 letters"),
      ] {
        let run = Invocation(
          words: ["serve", "--config", stores.directory + "/serve.json", "--check"] + words)
        #expect(run.status == .failed && run.errors.contains(reason), "\(run.errors)")
      }
      #expect(serve("--page", "nowhere").status == .usage)
      for address in ["8080", "localhost:80", "127.0.0.2:1", "[::1]:9"] {
        #expect(serve("--page", address).status == .done, "\(address)")
      }
      // Another process is there.
      let first = try ServiceProcess(stores, #"{"stores": [], "page": "0"}"#)
      let address = try #require(try first.next("started")["page"])
      let port = try #require(address.firstMatch(of: /:([0-9]+)\/$/)).1
      try stores.write(#"{"stores": []}"#, to: "serve.json")
      let second = Invocation(
        "serve", "--config", stores.directory + "/serve.json", "--page", "\(port)")
      #expect(second.status == .failed)
      #expect(
        second.errors.contains("the page at 127.0.0.1:\(port): something else listens there; "),
        "\(second.errors)")
      try first.end()
    }
  }
}
