import TributarySync

extension ProgressLine {
  func show(_ progress: Progress) {
    show(progress.stage, done: progress.done, total: progress.total)
  }
}
