import Testing
import TributaryContainer
import TributaryFiles
import TributaryTesting

struct ContentDirectoryTests {
  @Test func `everything has its place`() throws {
    let directory = ContentDirectory(
      container: "/c d/", root: try ContentRoot("a/b"), name: try ContentName("Größe 1"))
    let peer = "/c d/a/b/Größe 1/peers/a11ce000000000010123456789abcdef"
    #expect(directory.path == "/c d/a/b/Größe 1")
    #expect(directory.peers == "/c d/a/b/Größe 1/peers")
    #expect(directory.peer(alice) == peer)
    #expect(directory.manifest(of: alice) == peer + "/peer.json")
    #expect(directory.log(of: alice) == peer + "/log")
    #expect(directory.baseline(of: alice) == peer + "/baseline")
  }

  @Test(arguments: [
    ("Library", "library"), ("Library", "LIBRARY"), ("Ärger", "ärger"), ("Ärger", "A\u{308}rger"),
    ("\u{e9}t\u{e9}", "E\u{301}T\u{c9}"), ("ΣΑΣ", "σασ"), ("Жук", "жУК"),
  ])
  func `a name that some device takes for another is refused`(name: String, other: String) throws {
    for (mine, theirs) in [(name, other), (other, name)] {
      let scratch = try Scratch()
      let directory = try scratch.contentDirectory(mine)
      let present = scratch["container/tributary/" + theirs]
      try scratch.files.makeDirectories(present)
      #expect {
        try directory.checkCollision(using: scratch.files)
      } throws: {
        has(.nameCollision, $0) && "\($0)".contains(mine) && "\($0)".contains(theirs)
          && ($0 as? ContainerError)?.path == present
      }
    }
  }

  @Test func `other names, the same name and no container do not collide`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory("Library")
    try directory.checkCollision(using: scratch.files)
    for name in ["Library", "Library2", "Librar", "Lıbrary", "straße", "strasse"] {
      try scratch.files.makeDirectories(scratch["container/tributary/" + name])
    }
    try directory.checkCollision(using: scratch.files)
    try scratch.contentDirectory("straße").checkCollision(using: scratch.files)
  }

  @Test func `a content root collides too`() throws {
    let scratch = try Scratch()
    try scratch.files.makeDirectories(scratch["container/Tributary"])
    let directory = try scratch.contentDirectory()
    #expect { try directory.checkCollision(using: scratch.files) } throws: {
      has(.nameCollision, $0)
    }
  }

  @Test func `a container that cannot be listed is told`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    let failing = FailingFileSystem(at: 1, code: 5)
    #expect {
      try directory.checkCollision(using: failing)
    } throws: {
      has(.inaccessible, $0) && ($0 as? ContainerError)?.isTransient == true
    }
  }
}
