// TributaryCommand: the `tributary` command.
//
// `Running/CommandTree` lists all commands, and each of them is one file that reads its arguments, calls the engine
// and prints. `Arguments` parses, completes and prints help from one description of each option, and `Output` writes
// text and JSON and notices where the reader has gone. Exit statuses are in `Running/ExitStatus`.
//
// It imports no Foundation, which takes longer to load than most commands run.
