// TributaryCommand: the `tributary` command.
//
// `Running/CommandTree` lists all commands. Each command is one file that reads its arguments, calls the
// engine and prints. `Arguments` parses, completes and prints help from one description of each option.
// `Output` writes text and JSON, and notices when the reader has gone. Exit statuses are in
// `Running/ExitStatus`.
//
// The module does not import Foundation, which takes longer to load than most commands take to run.
