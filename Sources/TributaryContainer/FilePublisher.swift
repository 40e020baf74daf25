import TributaryFiles

/// Publishes files in one directory of the container: each appears complete and durable under its name, or not
/// at all.
struct FilePublisher {
  /// The directory. Publishing never makes it: it may be missing because the container is an empty mount point.
  let path: String
  let fileSystem: any FileSystem

  /// Publishes a file.
  ///
  /// An existing, intact file with that name is left as it is. A file that a carrier has cut off or changed
  /// is replaced.
  ///
  /// - Parameters:
  ///   - isWhole: whether the file that already has the name is intact; called only if it has the same size.
  ///   - body: writes the contents and returns the name.
  /// - Throws: whatever `body` throws, with nothing left behind; `ContainerError`: `absent` if the directory is
  ///   gone.
  func publish<Name: CustomStringConvertible>(
    isWhole: (Name) -> Bool, body: (inout SegmentFileSink) throws -> Name
  ) throws -> Name {
    let file: any TemporaryFile
    do {
      file = try fileSystem.makeTemporary(in: path)
    } catch {
      throw writing(error)
    }
    defer { file.discard() }
    var sink = SegmentFileSink(file)
    let name = try body(&sink)
    do throws(FileError) {
      let present = try fileSystem.status(path.appending(component: name.description))
      if let present, present.kind == .file, present.size == sink.byteCount, isWhole(name) {
        // An earlier attempt may have written the file and failed at exactly this step.
        try fileSystem.synchronizeDirectory(path)
      } else {
        try file.publish(as: name.description)
      }
    } catch {
      throw writing(error)
    }
    return name
  }

  /// Removes a file. It is not an error if it is already gone.
  func remove(_ name: some CustomStringConvertible) throws(ContainerError) {
    do {
      try fileSystem.remove(path.appending(component: name.description))
    } catch {
      throw writing(error)
    }
  }

  /// Makes the directory in its parent directory. Leaves an existing directory as it is.
  ///
  /// - Throws: `ContainerError`: `absent` without the parent directory.
  func makeDirectory() throws(ContainerError) {
    do {
      try fileSystem.makeDirectory(path)
    } catch {
      throw error.isNotEmpty ? .notADirectory(path, error) : writing(error)
    }
  }

  func writing(_ error: FileError) -> ContainerError {
    error.isMissing ? .absent(path, error) : ContainerError(error)
  }
}
