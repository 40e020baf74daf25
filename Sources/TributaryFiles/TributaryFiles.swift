// TributaryFiles: the file system, with limits on the time that operations may take.
//
// - `FileSystem` is what all other modules see; `LocalFileSystem` is the real one. Files are written under a
//   temporary name, synced, and renamed.
// - `BoundedFileSystem` runs each operation on its own thread and gives up waiting after a limit, since a mounted
//   directory can hang. `BoundedExecutor` is that thread.
// - `Watcher` waits for changes of directories and files.
// - `FileLock` is a lock between processes; `LockHolder` names the process that has it.
//
// `errno` becomes `FileError` here and nowhere else.
