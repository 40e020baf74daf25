extension CommandNode {
  /// All commands, in the order of the help.
  package static let root = CommandNode.group(
    Syntax(
      "", summary: "keep SQLite databases on several devices the same through a shared directory",
      options: [.version],
      details: """
        STORE is the path of a SQLite database, or of a document. Attaching records in
        it what the other commands need. Results go to standard output, everything else
        to standard error. The exit status is 0 if everything was done, 1 if it could
        not be done, 2 if the command line is wrong, and 3 if it was done as far as
        possible and damage or differences were found.
        """),
    [
      .command(AttachCommand.self), .command(SQLCommand.self), .command(SyncCommand.self),
      .command(ServeCommand.self),
      .command(StatusCommand.self), .command(DigestCommand.self), .command(VerifyCommand.self),
      .command(RebuildCommand.self), .command(DetachCommand.self),
      .command(BaselineCommand.self), .command(SchemaCommand.self),
      .group(
        Syntax(
          "conflicts", summary: "list, show and settle what merging could not keep visible",
          details: """
            A conflict arises when devices write without knowing of each other: two values
            for one cell, an update of a row that was deleted, a row whose UNIQUE key is
            taken or whose parent is missing. ID is the same on every device.
            """),
        [
          .command(ConflictsListCommand.self), .command(ConflictsShowCommand.self),
          .command(ConflictsResolveCommand.self),
        ]),
      .group(
        Syntax(
          "peers", summary: "show which devices still count, and retire devices that are gone",
          details: """
            What every device has, no device needs to keep. A device that is away for a long
            time therefore delays removal until it is back or retired.
            """),
        [.command(PeersListCommand.self), .command(PeersRetireCommand.self)]),
      .group(
        Syntax(
          "kv", summary: "keep small settings that all devices share",
          details: """
            The store has values of property lists under string keys; the value that was set
            last wins on every device. It is an ordinary STORE with limits.
            """),
        [
          .command(KeyValueAttachCommand.self), .command(KeyValueGetCommand.self),
          .command(KeyValueSetCommand.self), .command(KeyValueDeleteCommand.self),
          .command(KeyValueListCommand.self),
        ]),
      .group(
        Syntax(
          "log", summary: "inspect logs, without a store",
          details: """
            PATH is a container, a content directory, the directory of a peer, or a segment;
            everything below it is included.
            """),
        [
          .command(LogListCommand.self), .command(LogShowCommand.self),
          .command(LogStatCommand.self), .command(LogVerifyCommand.self),
          .command(LogFollowCommand.self), .command(LogGrepCommand.self),
          .command(LogBlameCommand.self), .command(LogDiffCommand.self),
          .command(LogReplayCommand.self), .command(LogExportCommand.self),
          .command(LogReportCommand.self),
        ]),
      .group(
        Syntax(
          "document", summary: "make, open, list, move and delete documents with a store each",
          details: """
            A PACKAGE is a directory. Its contents are shared if it is in the directory
            Documents of a container. Its store stays on the device, in TRIBUTARY_DATA or in
            the XDG data directory.
            """),
        [
          .command(DocumentCreateCommand.self), .command(DocumentOpenCommand.self),
          .command(DocumentListCommand.self), .command(DocumentMoveCommand.self),
          .command(DocumentDeleteCommand.self), .command(DocumentDuplicateCommand.self),
        ]),
      .group(
        Syntax(
          "container", summary: "find, enable, disable and delete the containers of this device",
          details: """
            A container is a directory that applications share by an identifier. Containers
            are in TRIBUTARY_CONTAINERS, or in the XDG data directory.
            """),
        [
          .command(ContainerListCommand.self), .command(ContainerURLCommand.self),
          .command(ContainerEnableCommand.self), .command(ContainerDisableCommand.self),
          .command(ContainerStorageCommand.self), .command(ContainerDeleteCommand.self),
        ]),
      .command(DoctorCommand.self),
      .command(CompletionsCommand.self), .command(HelpCommand.self),
    ])
}
