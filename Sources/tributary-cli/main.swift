import TributaryCommand

TributaryCommand.main()
