import Testing
import TributaryFiles

struct PathTests {
  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a/b/", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"),
    ("/", "/", ""), ("//a", "/", "a"), ("a//b", "a", "b"), ("/ä ö/é", "/ä ö", "é"),
    ("a/", ".", "a"),
  ])
  func `a path comes apart`(path: String, parent: String, name: String) {
    #expect(path.parentDirectory == parent)
    #expect(path.lastPathComponent == name)
  }

  @Test func `a component is added with one slash`() {
    #expect("/a".appending(component: "b") == "/a/b")
    #expect("/a/".appending(component: "b") == "/a/b")
    #expect("/".appending(component: "b") == "/b")
    #expect("".appending(component: "b") == "b")
  }
}
