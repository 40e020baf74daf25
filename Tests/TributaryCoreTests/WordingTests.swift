import Testing
import TributaryCore

/// A remedy names a command where a command prints it, and a call of the library elsewhere.
struct WordingTests {
  @Test(arguments: [
    ("run `tributary sync` there", "call `store.synchronize()` there"),
    (
      "wait, or run `tributary detach --remove-logs`",
      "wait, or call `store.detach(removingLogs: true)`"
    ),
    ("`tributary rebuild` or `tributary doctor`", "`Store.rebuild(at:)` or `store.diagnose()`"),
    ("run `tributary container enable iCloud.a.b`", "call `Containers.enable(_:)`"),
    ("leave it out with --except", "leave it out with `tables: .except`"),
    ("keep the rows with --foreign-keys keep", "keep the rows with `foreignKeys: .keep`"),
    (
      "`tributary attach` with --capture triggers, or not",
      "`Store.open(at:options:)` with `capture: .triggers`, or not"
    ),
  ])
  func `a command becomes a call in an application`(command: String, call: String) {
    #expect(Wording.library.spoken(command) == call)
    #expect(Wording.command.spoken(command) == command)
    // What is in the words of the library stays.
    #expect(Wording.library.spoken(call) == call)
  }

  @Test(arguments: [
    "", "`", "``", "a ` b", "run `tributary sync --reseed`", "`tributary log show` says so",
    "run `tributary syncing`", "repair what `PRAGMA quick_check` lists", "with --excepting",
    "stop it (perhaps `tributary sync --watch`), then try again", "`tributary sync", "--",
  ])
  func `what has no call stays as it is`(text: String) {
    #expect(Wording.library.spoken(text) == text)
  }

  private struct Failure: DetailedError {
    var details: ErrorDetails

    init(_ details: ErrorDetails) { self.details = details }
  }

  @Test func `an error speaks to its reader`() {
    let error: any TributaryError = Failure(
      .damaged, "it is damaged", path: "/a", remedy: "run `tributary rebuild`")
    #expect(error.code == .damaged && error.path == "/a")
    #expect(error.remedy == "call `Store.rebuild(at:)`")
    #expect(error.description == "/a: it is damaged; call `Store.rebuild(at:)`")
    Wording.$current.withValue(.command) {
      #expect("\(error)" == "/a: it is damaged; run `tributary rebuild`")
    }
    #expect("\(Failure(.closed, "it is closed", path: "", remedy: ""))" == "it is closed")
  }
}
