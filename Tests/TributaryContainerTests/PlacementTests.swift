import Glibc
import Testing
import TributaryContainer
import TributaryFiles
import TributaryTesting

struct PlacementTests {
  let files = LocalFileSystem()

  private func refuses(_ store: String, _ container: String) -> Bool {
    do throws(ContainerError) {
      try Placement.checkNotInside(storePath: store, container: container, using: files)
      return false
    } catch {
      #expect(has(.storeInsideContainer, error))
      #expect(error.message.contains(store))
      return true
    }
  }

  @Test func `a store inside the container is refused by whatever path`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["con tainer/ü/deep"])
    try files.makeDirectories(scratch["outside"])
    symlink(scratch["con tainer/ü"], scratch["outside/link"])
    symlink(scratch["con tainer"], scratch["alias"])
    scratch.write("", to: "con tainer/there.sqlite")
    symlink(scratch["con tainer/there.sqlite"], scratch["outside/file"])
    for container in [scratch["con tainer"], scratch["con tainer/"], scratch["alias"]] {
      for store in [
        "con tainer/a.sqlite", "con tainer/ü/deep/a.sqlite", "con tainer/new/newer/a.sqlite",
        "outside/link/a.sqlite", "outside/link/deep/../../x/a.sqlite", "alias/a.sqlite",
        "outside/../con tainer/a.sqlite", "con tainer", "con tainer/there.sqlite", "outside/file",
        "outside/missing/../../con tainer/a.sqlite",
      ] {
        #expect(refuses(scratch[store], container), "\(store)")
      }
    }
  }

  @Test func `a store beside the container is fine`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["container/x"])
    symlink(scratch.path, scratch["container/out"])
    for store in ["a.sqlite", "container.sqlite", "container2/a", "container/../a", "new/er/a"] {
      #expect(!refuses(scratch[store], scratch["container"]), "\(store)")
    }
    #expect(!refuses(scratch["container/out/a.sqlite"], scratch["container"]))
    #expect(!refuses(scratch["a.sqlite"], scratch["not mounted/container"]))
    #expect(refuses(scratch["not mounted/container/a.sqlite"], scratch["not mounted/container"]))
  }

  @Test func `a store in another container's content is recognised`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    try files.makeDirectories(directory.log(of: alice))
    try files.makeDirectories(scratch["mine"])
    #expect(refuses(directory.path.appending(component: "a.sqlite"), scratch["mine"]))
    #expect(refuses(directory.log(of: alice).appending(component: "x/a.sqlite"), scratch["mine"]))
    // In its container too, whose contents lie in the usual root.
    #expect(refuses(scratch["container/a.sqlite"], scratch["mine"]))
    let container = "iCloud~com~example~App"
    #expect(!refuses(scratch[container + "/Documents/a.sqlite"], scratch["mine"]))
    try files.makeDirectories(scratch[container + "/Documents"])
    #expect(refuses(scratch[container + "/Documents/a.sqlite"], scratch["mine"]))
    // Only a directory that certainly is one counts.
    try files.makeDirectories(scratch["people/peers/not a peer/log"])
    try files.makeDirectories(scratch["hashes/peers/" + bob.description])
    #expect(!refuses(scratch["people/a.sqlite"], scratch["mine"]))
    #expect(!refuses(scratch["hashes/a.sqlite"], scratch["mine"]))
  }

  @Test func `a link that leads nowhere yet is not trusted`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["container"])
    symlink(scratch["container/later.sqlite"], scratch["a.sqlite"])
    #expect {
      try Placement.checkNotInside(
        storePath: scratch["a.sqlite"], container: scratch["container"], using: files)
    } throws: {
      has(.inaccessible, $0) && "\($0)".contains("a.sqlite")
    }
  }

  @Test func `only what lies in the container is inside`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["container/a"])
    try files.makeDirectories(scratch["other"])
    symlink(scratch["other"], scratch["container/link"])
    func isInside(_ path: String) -> Bool {
      do throws(ContainerError) {
        try Placement.checkInside(scratch[path], container: scratch["container"], using: files)
        return true
      } catch {
        #expect(has(.outsideContainer, error))
        return false
      }
    }
    #expect(
      isInside("container/a") && isInside("container/new/b") && isInside("other/../container/b"))
    #expect(!isInside("other") && !isInside("container/link/x") && !isInside("container/../x"))
    #expect(!isInside("container2"))
  }
}
